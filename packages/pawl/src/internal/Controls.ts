/** The clock and the service behind a test, as promises. */
import { Faults } from "@pawl/testkit/Faults"
import { Gateway } from "@pawl/testkit/Gateway"
import { VirtualClock } from "@pawl/testkit/VirtualClock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Sandbox } from "../testing.ts"
import type * as OptionTypes from "./OptionTypes.ts"
import * as Promised from "./Promised.ts"

const expected = 'Expected a duration, such as "62 minutes", or a number of milliseconds'

export const merchantSecret = "sandbox-secret"

/** The settings of a fake and of a sandbox. */
export const settings = {
  any: "pace intentLifetime seed",
  text: "pageUrl environment",
  boolean: "isLenient",
  number: "firstId"
} satisfies OptionTypes.Names

export const make = (
  context: Context.Context<VirtualClock | Gateway | Faults>
): Pick<Sandbox, "clock" | "service"> => {
  const runner = Promised.makeRunner(context)
  const { advance } = Context.get(context, VirtualClock)
  const { checkout, move, transaction, transactions } = Context.get(context, Gateway)
  const { confirm, decide, submit } = checkout
  const { add, clear } = Context.get(context, Faults)
  return {
    clock: Promised.make(runner, {
      advance: (duration: Duration.Input) =>
        Option.match(Duration.fromInput(duration), {
          onNone: () => Effect.die(new RangeError(expected)),
          onSome: advance
        })
    }),
    service: Promised.make(runner, {
      confirm,
      decide,
      submit,
      move,
      transaction,
      transactions: () => transactions,
      addFault: add,
      clearFaults: () => clear
    })
  }
}
