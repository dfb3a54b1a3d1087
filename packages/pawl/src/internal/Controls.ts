/** The clock and the service behind a test, as promises. */
import { Faults } from "@pawl/testkit/Faults"
import { Gateway } from "@pawl/testkit/Gateway"
import { VirtualClock } from "@pawl/testkit/VirtualClock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type { Sandbox } from "../testing.ts"
import * as Promised from "./Promised.ts"

export const merchantSecret = "sandbox-secret"

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
      advance: (duration: Duration.Input) => advance(Duration.fromInputUnsafe(duration))
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
