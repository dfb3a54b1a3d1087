/**
 * Waiting for many, for each no longer than it is worth, with one timer.
 *
 * **Details**
 *
 * A timer of its own takes a wait two fibers more. Who waits the same time gives up in the order he came
 * in, so that the next to give up is known. How long somebody waited does not depend on a clock that is set.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"

/** Waits for the answer that `begin` sees to; when that comes too late, what it returned is called. */
export type Wait<E> = <A, E1>(
  begin: (answer: (effect: Effect.Effect<A, E1>) => void) => () => void
) => Effect.Effect<A, E | E1>

/** Makes a way to wait, which fails as `late` does. */
export const make = Effect.fnUntraced(function* <E>(
  duration: Duration.Duration,
  late: Effect.Effect<never, E>
): Effect.fn.Return<Wait<E>, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const patience = Duration.toNanosUnsafe(duration)
  const waiting = new Set<{ readonly until: bigint; readonly giveUp: () => void }>()
  const someone = yield* Latch.make()

  const watch = Effect.suspend(() => {
    const [first] = waiting
    if (first === undefined) return Effect.sync(() => someone.closeUnsafe())
    const rest = first.until - clock.monotonicTimeNanosUnsafe()
    return rest > 0n ? Effect.sleep(Duration.nanos(rest)) : Effect.sync(first.giveUp)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(someone.await, watch)))

  return (begin) =>
    Effect.callback((resume) => {
      const stop = () => {
        waiting.delete(entry)
        end()
      }
      const entry = {
        until: clock.monotonicTimeNanosUnsafe() + patience,
        // Told to end, it may still answer; by then it is late.
        giveUp: () => {
          resume(late)
          stop()
        }
      }
      waiting.add(entry)
      someone.openUnsafe()
      const end = begin((effect) => {
        waiting.delete(entry)
        resume(effect)
      })
      return Effect.sync(stop)
    })
})
