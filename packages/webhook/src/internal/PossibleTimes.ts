/**
 * Corrects the times of a row that a clock recorded before it was set back.
 *
 * **Details**
 *
 * If a recorded time is later than now, the clock was ahead when the time was recorded. Work that waits for such a time
 * would wait too long. So the wait is limited to the longest one of the rules. Differences of up to 5 seconds are left,
 * because the clocks of several processes differ by a little.
 */
import * as Duration from "effect/Duration"
import * as Reconciler from "../Reconciler.ts"
import type { Change, Row } from "../Row.ts"
import { defaults } from "../WorkLimits.ts"
import * as Transition from "./Transition.ts"

const maxDifference = Duration.toMillis(Duration.seconds(5))

/** Returns the change that corrects the times of a row; undefined if they are possible. `lease` is the time of a lease. */
export const correction = (
  row: Row,
  rules: Reconciler.Rules,
  now: number,
  lease: number = defaults.lease
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
  const retryWait = Math.max(attempt > 0 ? Transition.backoff(attempt) : 0, lease)
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
