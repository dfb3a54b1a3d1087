/**
 * Works on the rows that are due: reads their status from the service, and calls the handler.
 *
 * **Details**
 *
 * The worker runs in rounds. A round claims the rows that are due, each under a lease, and starts a fiber
 * for each, at most 64 at a time. The next round begins when a row falls due, or after `pollInterval`.
 *
 * Work on a row has three steps:
 *
 * 1. *read*: if a read is due (`Reconciler`), the status is read (`Confirmer`) and the result is written.
 * 2. *tell*: the handler is called with the next transition, if there is one (`Teller`).
 * 3. *release*: the lease ends, and the row gets the time at which it is due again.
 *
 * Only one worker at a time has the lease of a row, so there is at most one call of the handler at a
 * time for a transaction. A worker that loses the lease stops at once.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import { Profile } from "@pawl/core/Profile"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { Confirmer, type ReadResult } from "./Confirmer.ts"
import * as Alarm from "./internal/Alarm.ts"
import * as ClockWatch from "./internal/ClockWatch.ts"
import * as Lease from "./internal/Lease.ts"
import * as LedgerClock from "./internal/LedgerClock.ts"
import * as PossibleTimes from "./internal/PossibleTimes.ts"
import * as Transition from "./internal/Transition.ts"
import { Journal } from "./Journal.ts"
import { Ledger } from "./Ledger.ts"
import * as Reconciler from "./Reconciler.ts"
import type { Leased, Row } from "./Row.ts"
import { Teller } from "./Teller.ts"

const maxRowsAtWork = 64
const retryDelay = Duration.seconds(1)

/**
 * Layer that works until its scope ends. Then the running handlers are interrupted, and the leases of their rows
 * are released.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never, never, Ledger | Confirmer | Journal | Teller> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const confirmer = yield* Confirmer
      const journal = yield* Journal
      const teller = yield* Teller
      const { pollGaps } = yield* Profile
      const clock = yield* Clock.Clock
      const rules: Reconciler.Rules = { policy: confirmer.policy, pollGaps }
      const fibers = yield* FiberSet.make<void>()
      const rowsAtWork = new Set<string>()
      const slotFreed = yield* Latch.make()

      /** Tells whether an unknown id is that of a transaction of the other method. */
      const isReplay = ({ method, registered, transactionId }: Row) =>
        registered
          ? Effect.succeed(false)
          : ledger.get(method === "card" ? "apm" : "card", transactionId).pipe(
              Effect.retry(Lease.retrySchedule),
              Effect.orDie,
              Effect.map((other) => Evidence.confirmedStatuses(other?.evidence ?? 0).length > 0)
            )

      const readIfDue = Effect.fnUntraced(function* (row: Leased) {
        const at = Reconciler.readAt(row, rules)
        if (at === undefined || at > (yield* Clock.currentTimeMillis)) return row
        const result = yield* confirmer.read(row)
        yield* journal.record(row, { _tag: "Read", result: textOf(result) })
        const planned = Reconciler.afterRead(row, result, rules, yield* Clock.currentTimeMillis)
        const change =
          planned.deadLetter?.reason === "unknown-transaction" && (yield* isReplay(row))
            ? Reconciler.asReplay(row, planned)
            : planned
        const next = yield* Lease.write(ledger, row, change)
        if (change.deadLetter !== undefined) {
          yield* journal.record(row, { _tag: "DeadLettered", reason: change.deadLetter.reason })
        }
        const reason = Alarm.reasonOf(row, next, result, rules)
        if (reason !== undefined) yield* journal.record(row, { _tag: "Alarm", reason })
        return next
      })

      const correctTimes = Effect.fnUntraced(function* (leased: Leased) {
        const now = yield* Clock.currentTimeMillis
        const change = PossibleTimes.correction(leased, rules, now)
        return change === undefined ? leased : yield* Lease.write(ledger, leased, change)
      })

      const work = Effect.fnUntraced(
        function* (leased: Leased) {
          const row = yield* correctTimes(leased).pipe(
            Effect.flatMap(readIfDue),
            Effect.flatMap(teller.tell),
            Effect.ensuring(Effect.sync(() => freeSlot(leased)))
          )
          yield* Lease.write(ledger, row, { release: { dueAt: dueAt(row, rules) } })
        },
        (effect, leased) =>
          effect.pipe(
            Effect.raceFirst(Lease.renew(ledger, leased)),
            Effect.onInterrupt(() =>
              Effect.ignore(ledger.write(leased, { release: { dueAt: 0 } }))
            ),
            Effect.catchCause((cause) => Effect.logError("A row could not be worked on", cause)),
            Effect.annotateLogs({ method: leased.method, transactionId: leased.transactionId })
          )
      )

      /** Skips a row that this worker works on already: it was claimed again because the clock jumped. */
      const start = (leased: Leased) => {
        if (rowsAtWork.has(keyOf(leased))) return Effect.void
        rowsAtWork.add(keyOf(leased))
        return FiberSet.run(fibers, work(leased))
      }

      const freeSlot = (leased: Leased) => {
        rowsAtWork.delete(keyOf(leased))
        slotFreed.openUnsafe()
      }

      const awaitSlot = Effect.suspend(() => {
        if (rowsAtWork.size < maxRowsAtWork) return Effect.void
        slotFreed.closeUnsafe()
        return slotFreed.await
      })

      const checkClocks = ClockWatch.make({ ledger, journal, clock })

      const round = Effect.gen(function* () {
        yield* awaitSlot
        yield* checkClocks
        const at = yield* Clock.currentTimeMillis
        const limit = maxRowsAtWork - rowsAtWork.size
        // Uninterruptible, because only the fiber of a claimed row releases its lease, so each fiber must be started.
        const { dueAt } = yield* ledger.claim({ at, until: at + Lease.duration, limit }).pipe(
          Effect.tap(({ rows }) => Effect.forEach(rows, start, { discard: true })),
          Effect.uninterruptible
        )
        const untilDue = Duration.millis(Math.max((dueAt ?? Infinity) - at, 0))
        yield* Effect.raceFirst(
          ledger.awaitWork,
          Effect.sleep(Duration.min(ledger.pollInterval, untilDue))
        )
      })

      yield* round.pipe(
        Effect.catchCause((cause) =>
          Effect.andThen(
            Effect.logError("The ledger could not be read", cause),
            Effect.sleep(retryDelay)
          )
        ),
        Effect.forever,
        Effect.provideService(Clock.Clock, LedgerClock.make(ledger, clock)),
        Effect.forkScoped
      )
    })
  )

const keyOf = ({ scope, transactionId }: Row): string => `${scope}/${transactionId}`

/** Returns when the row is due for a read or a call of the handler; undefined if it has no work to do. */
const dueAt = (row: Row, rules: Reconciler.Rules): number | undefined => {
  const callAt = Transition.callAt(row, rules.policy)
  const readAt = Reconciler.readAt(row, rules)
  return callAt === undefined ? readAt : Math.min(callAt, readAt ?? callAt)
}

const textOf = (result: ReadResult) =>
  result._tag === "Answered" ? result.status : result._tag === "NotFound" ? "404" : "no answer"
