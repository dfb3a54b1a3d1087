/**
 * Sends the requests that are due: those that were enqueued, and those whose outcome is not known because a process
 * ended or the service did not answer.
 *
 * Any number of processes may do so on one database: each request is claimed under a lease. At the end no more requests
 * are claimed, and the running ones get 15 seconds.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import * as Lease from "./Lease.ts"
import * as Process from "./Process.ts"

/** The most requests at a time in one process. */
const maxRunning = 16
const retryDelay = Duration.seconds(1)
const drainTimeout = Duration.seconds(15)

/** Starts to work, until the scope ends. */
export const start = Effect.fnUntraced(function* (
  tools: Process.Tools
): Effect.fn.Return<void, never, Scope.Scope> {
  const { store } = tools
  const fibers = yield* FiberSet.make<void>()
  const freed = yield* Latch.make()
  let running = 0

  const work = (leased: Parameters<typeof Process.run>[1]) =>
    Process.run(tools, leased).pipe(
      Effect.catchCause((cause) => Effect.logError("A request could not be worked on", cause)),
      Effect.annotateLogs({ requestId: leased.requestId }),
      Effect.ensuring(
        Effect.sync(() => {
          running--
          freed.openUnsafe()
        })
      )
    )

  const round = Effect.gen(function* () {
    freed.closeUnsafe()
    const limit = maxRunning - running
    if (limit === 0) return yield* freed.await
    const at = yield* Lease.timeOf(store)
    // Uninterruptible, because only the fiber of a claimed request releases its lease.
    const { dueAt } = yield* store.claim({ at, until: at + Lease.duration, limit }).pipe(
      Effect.tap(({ rows }) => {
        running += rows.length
        return Effect.forEach(rows, (row) => FiberSet.run(fibers, work(row)), { discard: true })
      }),
      Effect.uninterruptible
    )
    const untilDue = Duration.millis(Math.max((dueAt ?? Infinity) - at, 0))
    yield* Effect.raceFirst(
      store.awaitWork,
      Effect.sleep(Duration.min(store.pollInterval, untilDue))
    )
  })

  const rounds = yield* round.pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logError("The request store could not be read", cause),
        Effect.sleep(retryDelay)
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )

  yield* Effect.addFinalizer(() =>
    Fiber.interrupt(rounds).pipe(
      Effect.andThen(FiberSet.awaitEmpty(fibers)),
      Effect.timeoutOption(drainTimeout),
      Effect.andThen(FiberSet.clear(fibers))
    )
  )
})
