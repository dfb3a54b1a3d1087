/**
 * Retries and timeouts of the ledger's statements.
 *
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

/** The limit is shorter than the four seconds after which the receiver responds 503. */
const storeTimeout = Duration.seconds(3)

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
export const failOnSqlDefect = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
  Effect.catchDefect(work, (defect) =>
    isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
  )

export const timeout = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.timeoutOrElse(work, { duration: storeTimeout, orElse: () => Effect.fail(timeoutError) })

export const makeWait = Effect.suspend(() =>
  SharedTimeout.make(storeTimeout, Effect.fail(timeoutError))
)

/** Limits a step to three seconds; the work may end later, in `scope`. */
export const timeoutIn =
  (scope: Scope.Scope) =>
  <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
    Effect.flatMap(Effect.forkIn(work, scope, { startImmediately: true }), (fiber) =>
      Effect.onExit(timeout(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe()))
    )

const timeoutError = new SqlError({
  reason: new StatementTimeoutError({
    message: "A transaction takes longer than 3 seconds",
    cause: undefined
  })
})
