/**
 * After a conflict a statement or transaction is run again as a whole. One that takes longer than
 * three seconds fails; it is interrupted and not awaited.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { isSqlError, SqlError, StatementTimeoutError } from "effect/sql/SqlError"
import * as SharedTimeout from "../records/SharedTimeout.ts"

/** In seconds: shorter than the four after which the receiver responds 503. */
const storeTimeout = 3

/**
 * In seconds: no start is repeated, and a pooler may wait for its server to start, or the process
 * be busy.
 */
const startTimeout = 15

export const conflictPolicy = {
  while: ({ reason: { _tag } }: SqlError) =>
    _tag === "DeadlockError" || _tag === "SerializationError" || _tag === "LockTimeoutError",
  schedule: Schedule.min([Schedule.exponential("5 millis"), Schedule.spaced("100 millis")]).pipe(
    Schedule.jittered,
    Schedule.upTo({ duration: "2500 millis" })
  )
}

export const onConflict = <A>(
  work: Effect.Effect<A, SqlError>,
  isFinal: (error: SqlError) => boolean = () => false
): Effect.Effect<A, SqlError> =>
  Effect.retry(failOnSqlDefect(work), {
    ...conflictPolicy,
    while: (error) => conflictPolicy.while(error) && !isFinal(error)
  })

/** Fails with the `SqlError` with which a ROLLBACK on a lost connection dies. */
export const failOnSqlDefect = <A, E, R>(
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.catchDefect(work, (defect) =>
    isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
  )

const timeout = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  seconds = storeTimeout
): Effect.Effect<A, E | SqlError, R> =>
  Effect.timeoutOrElse(work, {
    duration: Duration.seconds(seconds),
    orElse: () => failLate(seconds)
  })

export const timeoutAtStart = <A, E, R>(work: Effect.Effect<A, E, R>) => timeout(work, startTimeout)

export const makeWait = Effect.suspend(() =>
  SharedTimeout.make(Duration.seconds(storeTimeout), failLate(storeTimeout))
)

/** The work may end later, in `scope`. */
export const timeoutIn =
  (scope: Scope.Scope) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.flatMap(Effect.forkIn(work, scope, { startImmediately: true }), (fiber) =>
      Effect.onExit(timeout(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe()))
    )

const failLate = (seconds: number) =>
  Effect.fail(
    new SqlError({
      reason: new StatementTimeoutError({
        message: `A transaction takes longer than ${seconds} seconds`,
        cause: undefined
      })
    })
  )
