/**
 * The lease under which a worker works on one row.
 *
 * A lease lasts 30 seconds (`WorkLimits`) by the clock of the ledger and is renewed after a third of that. It counts as lost
 * when another worker has the row, or when the ledger cannot renew it for half of its time: the work is stopped before
 * another worker can claim the row. Only a process that is itself paused for longer than that cannot stop it. When it goes on, it can write
 * nothing to the row, and its call of the handler ends with the next renewal.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Status } from "@pawl/core/Status"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Ledger } from "../../Ledger.ts"
import type { Change, Leased } from "../rule/Row.ts"

/** The wait before a ledger that is not available is called again. */
export const retryDelay = Duration.seconds(1)

/** Retries a ledger that is not available, every second. */
export const retrySchedule = Schedule.spaced(retryDelay)

/** Writes to a leased row, with retries while the ledger is not available. Interrupts if the lease is lost. */
export const write = (
  ledger: Ledger["Service"],
  leased: Leased,
  change: Change
): Effect.Effect<Leased> =>
  ledger.write(leased, change).pipe(
    Effect.retry(retrySchedule),
    // The schedule never ends, so no error is left.
    Effect.orDie,
    Effect.flatMap((row) => (row === undefined ? Effect.interrupt : Effect.succeed(row)))
  )

/** Reads the body of the newest callback that claims a status, with retries while the ledger is not available. */
export const body = (
  ledger: Ledger["Service"],
  { method, newestCallbacks, scope, transactionId }: Leased,
  status: Status
): Effect.Effect<Uint8Array | undefined> =>
  newestCallbacks[status] === undefined
    ? Effect.undefined
    : ledger
        .body({ method, scope, transactionId }, status)
        .pipe(Effect.retry(retrySchedule), Effect.orDie)

/** Renews the lease of a row until it is lost. `duration` is the time that it lasts, in milliseconds. */
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

/** Renews a lease after each third of its time, until it is lost or could not be renewed for half of its time. */
export const renewEach =
  (duration: number) =>
  (renewed: Effect.Effect<boolean, StoreUnavailable>): Effect.Effect<void> =>
    renewed.pipe(
      Effect.retry(retrySchedule),
      Effect.timeout(duration / 2),
      Effect.orElseSucceed(() => false),
      Effect.delay(duration / 3),
      Effect.repeat({ while: (isRenewed) => isRenewed }),
      Effect.asVoid
    )
