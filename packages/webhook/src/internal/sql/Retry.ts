/**
 * How a store is dealt with that is busy, slow or gone.
 *
 * **Details**
 *
 * What failed only because others were at the same rows (a lock, a deadlock, a serialization failure)
 * is done again, whole. What takes longer than three seconds is given up: its fiber is left to end by
 * itself, since a store that hangs may not even answer that it was told to stop.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { isSqlError, SqlError, StatementTimeoutError } from "effect/sql/SqlError"
import * as SharedTimeout from "../SharedTimeout.ts"

/** Less than the four seconds after which the receiver answers 503 by itself. */
const patience = Duration.seconds(3)

/** Repeats what met others at the same rows. */
export const conflicts = {
  while: ({ reason: { _tag } }: SqlError) =>
    _tag === "DeadlockError" || _tag === "SerializationError" || _tag === "LockTimeoutError",
  schedule: Schedule.min([Schedule.exponential("5 millis"), Schedule.spaced("100 millis")]).pipe(
    Schedule.jittered,
    Schedule.upTo({ duration: "2500 millis" })
  )
}

/** Does a whole unit of work again while it conflicts. */
export const again = <A>(work: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.retry(lost(work), conflicts)

/** A transaction whose ROLLBACK fails, as on a lost connection, dies of it; it failed all the same. */
const lost = <A>(work: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.catchDefect(work, (defect) =>
    isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
  )

/** Gives up waiting after three seconds. */
export const atMost = <A, E>(wait: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
  Effect.timeoutOrElse(wait, { duration: patience, orElse: () => Effect.fail(late) })

/** Makes a way to wait for what others do, three seconds at most. */
export const wait = Effect.suspend(() => SharedTimeout.make(patience, Effect.fail(late)))

/** Gives work up after three seconds without waiting for its end, in a scope in which it may end. */
export const within =
  (scope: Scope.Scope) =>
  <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
    Effect.flatMap(Effect.forkIn(work, scope, { startImmediately: true }), (fiber) =>
      Effect.onExit(atMost(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe()))
    )

const late = new SqlError({
  reason: new StatementTimeoutError({
    message: "The store takes longer than 3 seconds",
    cause: undefined
  })
})
