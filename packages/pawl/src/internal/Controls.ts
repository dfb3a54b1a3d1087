/** The clock and the service behind a test, as promises. */
import { statuses } from "@pawl/core/Status"
import { Faults } from "@pawl/testkit/Faults"
import { Gateway } from "@pawl/testkit/Gateway"
import { VirtualClock } from "@pawl/testkit/VirtualClock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { InvalidConfig } from "@pawl/http/PawlConfig"
import type { Sandbox } from "../testing.ts"
import * as OptionTypes from "./OptionTypes.ts"
import * as Promised from "./Promised.ts"

const expected = 'Expected a duration, such as "62 minutes", or a number of milliseconds'

export const merchantSecret = Redacted.make("sandbox-secret")

/** The settings of a fake and of a sandbox. */
export const settings = {
  any: "pace intentLifetime seed",
  text: "pageUrl environment",
  boolean: "isLenient",
  count: "firstId"
} satisfies OptionTypes.Names

const isDuration = (value: unknown): boolean =>
  typeof value === "number"
    ? value >= 0
    : Option.isSome(Duration.fromInput(value as Duration.Input))

/** The clock would never arrive at an infinite time. */
const isForward = (duration: Duration.Duration): boolean =>
  Duration.isFinite(duration) && !Duration.isNegative(duration)

const isHost = (value: unknown): boolean => typeof value === "string" && /^[^/\s]+$/u.test(value)

interface ValueCheck {
  readonly isValid: (value: unknown) => boolean
  readonly advice: string
}

const duration: ValueCheck = {
  isValid: isDuration,
  advice: "give milliseconds, or text such as 200 millis"
}

const values: Readonly<Record<string, ValueCheck>> = {
  pace: duration,
  intentLifetime: duration,
  seed: {
    isValid: (value) => typeof value === "string" || Number.isFinite(value),
    advice: "give a number or text"
  },
  merchantSecret: { isValid: Redacted.isRedacted, advice: "give a Redacted of effect" },
  style: { isValid: (value) => value === "plain" || value === "jvm", advice: "give plain or jvm" },
  port: {
    isValid: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 65_536,
    advice: "give a number from 0 to 65535"
  },
  allowCallbacks: {
    isValid: (value) => Array.isArray(value) && value.every(isHost),
    advice: "give a list of hosts, such as shop.example"
  }
}

/** Checks the names, types and values of settings. */
export const check = Effect.fnUntraced(function* (
  options: object,
  names: OptionTypes.Names
): Effect.fn.Return<void, InvalidConfig> {
  yield* OptionTypes.check(options, names)
  for (const [setting, value] of Object.entries(options)) {
    const { advice = "", isValid } = values[setting] ?? {}
    if (value !== undefined && isValid?.(value) === false) {
      return yield* new InvalidConfig({ setting, advice })
    }
  }
})

const decisions = new Set(["approve", "decline", "cancel"])

const refuse = (message: string) => Effect.die(new RangeError(message))

/** Refuses the id of nothing, on which an action would do nothing. */
const known = <A>(found: Effect.Effect<A | undefined>, what: string): Effect.Effect<A> =>
  Effect.flatMap(found, (value) =>
    value === undefined ? refuse(`The service has no ${what}`) : Effect.succeed(value)
  )

export const make = (
  context: Context.Context<VirtualClock | Gateway | Faults>
): Pick<Sandbox, "clock" | "service"> => {
  const runner = Promised.makeRunner(context)
  const { advance } = Context.get(context, VirtualClock)
  const { checkout, move, transaction, transactions } = Context.get(context, Gateway)
  const { confirm, decide, method, submit } = checkout
  const { add, clear } = Context.get(context, Faults)
  return {
    clock: Promised.make(runner, {
      advance: (duration: Duration.Input) =>
        Option.match(Option.filter(Duration.fromInput(duration), isForward), {
          onNone: () => refuse(expected),
          onSome: advance
        })
    }),
    service: Promised.make(runner, {
      confirm: (id: string, decision: Parameters<typeof confirm>[1]) =>
        decisions.has(decision)
          ? Effect.andThen(
              known(method(id), `customer's page of a method for the transaction ${id}`),
              confirm(id, decision)
            )
          : refuse("Expected approve, decline or cancel"),
      decide: (id: string, isApproved: boolean) =>
        typeof isApproved === "boolean"
          ? known(decide(id, isApproved), `transaction ${id}`)
          : refuse("Expected true or false"),
      submit: (...args: Parameters<typeof submit>) => known(submit(...args), `intent ${args[0]}`),
      move: (...args: Parameters<typeof move>) =>
        statuses.includes(args[1])
          ? known(move(...args), `transaction ${args[0]}`)
          : refuse(`Expected ${statuses.join(", ")}`),
      transaction,
      transactions: () => transactions,
      addFault: add,
      clearFaults: () => clear
    })
  }
}
