/**
 * The work on a leased row: the row as it will be, and the change of it that is not written yet.
 *
 * **Details**
 *
 * Each write is a commit, so a change waits for the next one that has to be durable: that of a read for the start of a call, and
 * that of the end of a call for the release.
 */
import * as Effect from "effect/Effect"
import type { Ledger } from "../../Ledger.ts"
import type { Change, Leased } from "../rule/Row.ts"
import * as RowRule from "../rule/RowRule.ts"
import * as Lease from "./Lease.ts"

/** `after` runs when the change is written. */
export interface Pending {
  readonly row: Leased
  readonly change: Change
  readonly after: Effect.Effect<void>
}

/** Returns the work on a row that has no change. */
export const none = (row: Leased): Pending => ({ row, change: {}, after: Effect.void })

/** Adds a change. */
export const add = (
  pending: Pending,
  change: Change,
  after: Effect.Effect<void> = Effect.void
): Pending => ({
  row: RowRule.changed(pending.row, change),
  change: RowRule.joinChanges(pending.change, change),
  after: Effect.andThen(pending.after, after)
})

/** Writes the change, and returns the row. Interrupts if the lease is lost. */
export const write = (
  ledger: Ledger["Service"],
  { after, change, row }: Pending
): Effect.Effect<Leased> => Effect.tap(Lease.write(ledger, row, change), after)
