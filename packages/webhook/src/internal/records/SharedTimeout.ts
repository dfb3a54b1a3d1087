/**
 * Waits with one timer and fiber for all; `Effect.timeout` forks two fibers for each. The clock is
 * monotonic. From the end of its scope each wait times out at once.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"

/**
 * Function that waits for a result; the function that `start` gets never throws. The returned one
 * cancels the work on timeout and on interruption.
 */
export type AwaitResult<E> = <A, E1>(
  start: (resume: (result: Effect.Effect<A, E1>) => void) => () => void
) => Effect.Effect<A, E | E1>

export const make = Effect.fnUntraced(function* <E>(
  timeout: Duration.Duration,
  onTimeout: Effect.Effect<never, E>
): Effect.fn.Return<AwaitResult<E>, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const timeoutNanos = Duration.toNanosUnsafe(timeout)
  const waits = new Set<{ readonly deadline: bigint; readonly expire: () => void }>()
  const notEmpty = yield* Latch.make()

  const fork = Effect.runForkWith(yield* Effect.context())
  /** Resumes a fiber; an observer of it may throw. */
  const guarded = (resume: () => void): void => {
    const result = Result.try(resume)
    if (Result.isFailure(result)) fork(Effect.logError(observerFailed, result.failure))
  }

  const expireOldest = Effect.suspend(() => {
    const [oldest] = waits
    if (oldest === undefined) return Effect.sync(() => notEmpty.closeUnsafe())
    const left = oldest.deadline - clock.monotonicTimeNanosUnsafe()
    return left > 0n ? Effect.sleep(Duration.nanos(left)) : Effect.sync(oldest.expire)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(notEmpty.await, expireOldest)))
  let isEnded = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isEnded = true
      for (const { expire } of waits) expire()
    })
  )

  return (start) =>
    Effect.callback((resume) => {
      let isResumed = false
      const stop = () => {
        waits.delete(wait)
        cancel()
      }
      const wait = {
        deadline: 0n,
        expire: () => {
          // This call comes first, because only the first one counts.
          guarded(() => resume(onTimeout))
          stop()
        }
      }
      const cancel = start((result) => {
        isResumed = true
        waits.delete(wait)
        guarded(() => resume(result))
      })
      if (isResumed) return undefined
      wait.deadline = clock.monotonicTimeNanosUnsafe() + timeoutNanos
      waits.add(wait)
      notEmpty.openUnsafe()
      if (isEnded) wait.expire()
      return Effect.sync(stop)
    })
})

const observerFailed = "An observer of a fiber threw an error"
