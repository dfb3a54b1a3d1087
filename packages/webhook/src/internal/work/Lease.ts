/**
 * The lease under which a worker works on one row.
 *
 * It lasts 30 seconds (`WorkLimits`) by the clock of the ledger, and is renewed after a third of
 * that. It is lost when another worker has the row, or when it could not be renewed for half of its
 * time: the work stops before another worker can claim the row.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Status } from "@pawl/core/Status"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Ledger } from "../../Ledger.ts"
import type { Change, Leased } from "../rule/Row.ts"
import * as Progress from "./Progress.ts"

/** Writes a change of a leased row, and runs `after`. Interrupts if the lease is lost. */
export const write = (
  ledger: Ledger["Service"],
  leased: Leased,
  change: Change,
  after: Effect.Effect<void> = Effect.void
): Effect.Effect<Leased> =>
  Effect.suspend(() => {
    const step = stepOf(change)
    let mayBeWritten = false
    return ledger.write(leased, change).pipe(
      Effect.tapError(() => Effect.sync(() => (mayBeWritten = step.isEnd))),
      Progress.ofRow(leased, step),
      Effect.tap((row) => (row !== undefined || mayBeWritten ? after : Effect.void)),
      Effect.flatMap((row) => (row === undefined ? Effect.interrupt : Effect.succeed(row)))
    )
  })

const stepOf = (change: Change): Progress.Step => ({
  sort: "told" in change || "retryAt" in change || "deadLetter" in change ? "calls" : "rows",
  isEnd: change.release !== undefined
})

export const body = (
  ledger: Ledger["Service"],
  leased: Leased,
  status: Status
): Effect.Effect<Uint8Array | undefined> => {
  const { method, newestCallbacks, scope, transactionId } = leased
  return newestCallbacks[status] === undefined
    ? Effect.undefined
    : ledger
        .body({ method, scope, transactionId }, status)
        .pipe(Progress.ofRow(leased, { sort: "calls", isEnd: false }))
}

export const reasonOf = (cause: Cause.Cause<unknown>) =>
  Cause.hasInterruptsOnly(cause) ? "its lease was lost" : cause

/** `duration` is in milliseconds. */
export const renew = (
  ledger: Ledger["Service"],
  leased: Leased,
  duration: number
): Effect.Effect<void> =>
  Clock.currentTimeMillis.pipe(
    Effect.flatMap((now) => ledger.write(leased, { until: now + duration })),
    Effect.map((row) => row !== undefined),
    renewEach(duration)
  )

export const renewEach =
  (duration: number) =>
  (renewed: Effect.Effect<boolean, StoreUnavailable>): Effect.Effect<void> =>
    renewed.pipe(
      Effect.retry(Progress.retrySchedule),
      Effect.timeout(duration / 2),
      Effect.orElseSucceed(() => false),
      Effect.delay(duration / 3),
      Effect.repeat({ while: (isRenewed) => isRenewed }),
      Effect.asVoid
    )
