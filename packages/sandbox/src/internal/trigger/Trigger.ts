/**
 * The run of `trigger`: makes transactions and follows them to their end.
 */
import { clean } from "@pawl/core/internal/Printable"
import type * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type { Scenario } from "@pawl/testkit/Scenario"
import { create, type Order } from "./Creates.ts"
import * as Follower from "./Follower.ts"
import * as SandboxClient from "./SandboxClient.ts"

export interface Input extends SandboxClient.Target, Omit<Order, "scenario"> {
  readonly scenario: Scenario & { readonly text: string }
  readonly times: number
}

const print = (line: string) => Console.log(clean(line))

/** Prints each change, and returns the number of callbacks whose first attempt failed. */
export const run = (
  input: Input
): Effect.Effect<number, SandboxClient.TriggerFailed | Cause.Done> =>
  Effect.gen(function* () {
    const { amount, baseUrl, currency, kind, scenario, times } = input
    const { origin } = new URL(baseUrl)
    const changes = yield* SandboxClient.changes(input)
    const accessToken = yield* SandboxClient.login(input)
    const ids: Array<string> = []
    for (let number = 1; number <= times; number++) {
      const id = yield* create(input, accessToken, { ...input, scenario: scenario.text }, number)
      ids.push(id)
      const page = `${origin}/#/transactions/${id}`
      yield* print(`${id}  ${kind} of ${amount} ${currency}, ${scenario.text}: ${page}`)
    }
    const follower = Follower.make(ids, scenario)
    while (!follower.isOver()) {
      const change = yield* Queue.take(changes)
      if (change.name === "reset") {
        return yield* new SandboxClient.TriggerFailed({ message: "the sandbox was reset" })
      }
      for (const line of follower.follow(change)) yield* print(line)
    }
    const { isRetried, lines, undelivered } = follower.summary()
    for (const line of lines) yield* print(line)
    if (isRetried) {
      const advance = `${origin}/sandbox/clock -d '{"advance":"62 minutes"}'`
      // The token comes from stdin, because every user of the machine can read arguments.
      const command = Option.isSome(input.token)
        ? `curl -s -H @- ${advance} <<<"authorization: Bearer $PAWL_SANDBOX_TOKEN"`
        : `curl -s ${advance}`
      yield* Console.log(`The sandbox tries again; see it now with ${command}`)
    }
    return undelivered
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
