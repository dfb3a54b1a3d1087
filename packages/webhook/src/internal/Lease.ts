/**
 * The lease under which a worker works on one row.
 *
 * **Details**
 *
 * A lease lasts 30 seconds by the clock of the ledger and is renewed every 10 seconds. It counts as lost when another
 * worker has the row, or when the ledger cannot renew it for 15 seconds: the work is stopped before another worker can
 * claim the row. Only a process that is itself paused for longer than that cannot stop it. When it goes on, it can write
 * nothing to the row, and its call of the handler ends with the next renewal.
 */
import type { Status } from "@pawl/core/Status"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Ledger } from "../Ledger.ts"
import type { Change, Leased } from "../Row.ts"

/** The time that a lease lasts, in milliseconds. */
export const duration = Duration.toMillis(Duration.seconds(30))
const renewalInterval = Duration.seconds(10)
const renewalTimeout = Duration.seconds(15)

/** Retries a ledger that is not available, every second. */
export const retrySchedule = Schedule.spaced(Duration.seconds(1))

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

/** Renews a lease until it is lost. */
export const renew = (ledger: Ledger["Service"], leased: Leased): Effect.Effect<void> =>
  Clock.currentTimeMillis.pipe(
    Effect.flatMap((now) => ledger.write(leased, { until: now + duration })),
    Effect.retry(retrySchedule),
    Effect.timeout(renewalTimeout),
    Effect.orElseSucceed(() => undefined),
    Effect.delay(renewalInterval),
    Effect.repeat({ while: (row) => row !== undefined }),
    Effect.asVoid
  )
