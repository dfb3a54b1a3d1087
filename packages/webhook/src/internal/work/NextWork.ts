/**
 * The next work on a row: when it is due, and in which lane.
 *
 * If a recorded time is later than now, the clock was ahead when the time was recorded. Work that waits for such a time
 * would wait too long. So the wait is limited to the longest one of the rules. Differences of up to 5 seconds are left,
 * because the clocks of several processes differ by a little.
 */
import * as Duration from "effect/Duration"
import type { Lane, ReadLane } from "../rule/Lane.ts"
import * as Reconciler from "./Reconciler.ts"
import type { Change, Row, Leased } from "../rule/Row.ts"
import { defaults, type WorkLimits } from "../rule/WorkLimits.ts"
import * as Transition from "./Transition.ts"
import * as Effect from "effect/Effect"
import type { Ledger } from "../../Ledger.ts"
import * as RowRule from "../rule/RowRule.ts"
import * as Lease from "./Lease.ts"

/** Returns the lane of the read that is due; undefined when none is. */
export const laneOfRead = (
  row: Row,
  rules: Reconciler.Rules,
  now: number
): ReadLane | undefined => {
  const at = Reconciler.readAt(row, rules)
  return at === undefined || at > now ? undefined : readLane(row, rules)
}

/** Returns the lane of the call that is due; undefined when none is. */
export const laneOfCall = (row: Row, rules: Reconciler.Rules, now: number): Lane | undefined => {
  const at = Transition.callAt(row, rules.policy)
  return at === undefined || at > now ? undefined : callLane(row)
}

/** Returns when a row is due for a read or a call of the handler, and in which lane. */
export const nextOf = (
  row: Row,
  rules: Reconciler.Rules,
  now: number
): { readonly dueAt: number | undefined; readonly lane?: Lane } => {
  const readAt = Reconciler.readAt(row, rules)
  const callAt = Transition.callAt(row, rules.policy)
  if (callAt !== undefined && callAt <= Math.max(now, readAt ?? Infinity)) {
    return { dueAt: Math.max(now, Math.min(callAt, readAt ?? callAt)), lane: callLane(row) }
  }
  return readAt === undefined ? { dueAt: undefined } : { dueAt: readAt, lane: readLane(row, rules) }
}

/** Returns the lane of the next read of a row. */
export const readLane = (row: Row, rules: Reconciler.Rules): ReadLane => {
  if (Reconciler.isUnread(row, rules)) return "ask"
  return Reconciler.isClosed(row, rules) ? "watch" : "repeat"
}

const callLane = ({ attempt }: Row): Lane => (attempt > 0 ? "retry" : "tell")

const maxDifference = Duration.toMillis(Duration.seconds(5))

/** Returns the change that corrects the times of a row; undefined if they are possible. */
export const correction = (
  row: Row,
  rules: Reconciler.Rules,
  now: number,
  { lease, retrySchedule }: Pick<WorkLimits, "lease" | "retrySchedule"> = defaults
): Change | undefined => {
  const { askedAt, attempt, failingSince, newStatusAt, pollAt, retryAt, unconfirmedAt } = row
  const aheadOf = (at: number | undefined, wait = 0) => {
    const ahead = at === undefined ? 0 : at - now - wait
    return ahead > maxDifference ? ahead : 0
  }
  // The plan of reads was made when the row was last asked, or got its last status.
  const clockAhead = Math.max(aheadOf(askedAt), aheadOf(newStatusAt))
  const plannedAt = pollAt === undefined ? 0 : pollAt - clockAhead
  const maxPollAt = now + Reconciler.maxGap(rules)
  // An earlier call may still run, so the next one waits at least for the time of a lease.
  const retryWait = Math.max(attempt > 0 ? Transition.waitAfter(retrySchedule, attempt) : 0, lease)
  const change: Change = {
    ...(aheadOf(askedAt) > 0 && { askedAt: undefined }),
    ...(aheadOf(unconfirmedAt, Reconciler.failedReadDelay) > 0 && { unconfirmedAt: now }),
    ...(aheadOf(failingSince) > 0 && { failingSince: undefined }),
    ...(aheadOf(retryAt, retryWait) > 0 && { retryAt: now + retryWait }),
    ...(aheadOf(newStatusAt) > 0 && { newStatusAt: now }),
    ...(pollAt !== undefined &&
      (clockAhead > 0 || plannedAt > maxPollAt) && {
        pollAt: Math.min(Math.max(plannedAt, now), maxPollAt)
      })
  }
  return Object.keys(change).length === 0 ? undefined : change
}

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
