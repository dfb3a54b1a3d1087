/**
 * Works on due rows: reads their status from the service, and calls the handler.
 *
 * A round claims due rows under leases, and starts a fiber for each. The next round begins when a
 * row falls due, a slot becomes free, or `pollInterval` has passed.
 *
 * 1. *read*: if a read is due (`Reconciler`), the status is read (`Confirmer`).
 * 2. *tell*: the result of the read is written. Then the handler is called with the next
 *    transition, if there is one (`Teller`).
 * 3. *release*: one write stores the result of the call, ends the lease, and sets the next due time
 *    and lane.
 *
 * Each lane has slots (`Lane`): by default 48 for first calls of the handler, 16 for its retries,
 * 16 for first reads of claims, 8 for other reads of open transactions and 8 for the watch.
 *
 * A lease belongs to one worker, so a transaction has at most one call of the handler at a time.
 *
 * A worker is drained before it ends: it claims nothing more, releases the rows whose handler is
 * not called yet, and leaves 15 seconds to running calls.
 */
import type { Handler } from "@pawl/core/Handler"
import { Profile } from "@pawl/core/Profile"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Backlog from "./Backlog.ts"
import { Confirmer } from "./Confirmer.ts"
import * as ClockWatch from "./ClockWatch.ts"
import * as Lease from "./Lease.ts"
import * as Progress from "./Progress.ts"
import * as LedgerClock from "../ledger/LedgerClock.ts"
import * as NextWork from "./NextWork.ts"
import * as Outage from "./Outage.ts"
import { MinPollInterval } from "./RowSteps.ts"
import * as ReadQueue from "./ReadQueue.ts"
import * as RowSteps from "./RowSteps.ts"
import { Journal } from "../../Journal.ts"
import { Ledger } from "../../Ledger.ts"
import * as ReadBudget from "../rule/ReadBudget.ts"
import type * as Reconciler from "./Reconciler.ts"
import type { Leased, Row } from "../rule/Row.ts"
import * as WorkLimits from "../rule/WorkLimits.ts"

/** Service that ends the work before its layer does, for a process that still accepts callbacks. */
export class Worker extends Context.Service<
  Worker,
  {
    /**
     * Claims no more rows, and completes when the running handlers have ended, after at most 15
     * seconds, or 18 if one cannot be interrupted.
     */
    readonly drain: Effect.Effect<void>
    /** Whether the worker is drained; true from the start of the drain. */
    readonly isDraining: Effect.Effect<boolean>
    readonly progress: Effect.Effect<Progress.State>
    readonly readUse: Effect.Effect<ReadBudget.ReadUse>
  }
>()("@pawl/webhook/internal/work/Worker") {}

/** `isTold` is true once the handler may have been called. */
interface Task {
  isTold: boolean
  fiber?: Fiber.Fiber<void>
}

/** Layer that works until its scope ends, and drains the worker unless the scope fails. */
export const layer = (
  limits: WorkLimits.WorkLimits
): Layer.Layer<Worker, never, Ledger | Confirmer | Journal | Handler> =>
  Layer.effect(
    Worker,
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const shards = ledger.shards ?? [ledger]
      const workers = yield* Effect.forEach(shards, (shard, position) =>
        start(ledger, shard, WorkLimits.shareOf(limits, position, shards.length))
      )
      let isDraining = false
      const drain = Effect.suspend(() => {
        isDraining = true
        return Effect.forEach(workers, ({ drain }) => drain, {
          concurrency: "unbounded",
          discard: true
        })
      })
      yield* Effect.addFinalizer((exit) =>
        Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? drain : Effect.void
      )
      const readUse = Effect.map(
        Effect.forEach(workers, ({ readUse }) => readUse),
        ReadBudget.sum
      )
      const progress = Effect.map(
        Effect.forEach(workers, ({ progress }) => progress),
        Progress.join
      )
      return { drain, isDraining: Effect.sync(() => isDraining), progress, readUse }
    })
  )

const start = Effect.fnUntraced(function* (
  ledger: Ledger["Service"],
  shard: Ledger["Service"],
  limits: WorkLimits.WorkLimits
) {
  const { policy } = yield* Confirmer
  const journal = yield* Journal
  const { pollIntervals } = yield* Profile
  const clock = yield* Clock.Clock
  const rules: Reconciler.Rules = { policy, pollIntervals }
  const slots = yield* RowSteps.makeSlots(limits)
  const use = ReadBudget.make(limits.readsPerSecond)
  const reads = yield* ReadQueue.make(shard, limits.readsPerSecond, clock, use)
  const { lease } = limits
  const pollInterval = Duration.max(shard.pollInterval, yield* MinPollInterval)
  const outage = Outage.make({ ledger: shard, journal, lease })
  const steps = yield* RowSteps.make({ ledger, rules, slots, reads, use, outage, limits })
  const progress = yield* Progress.make(journal.raiseAlarm)
  const tasks = new Map<string, Task>()
  const fibers = yield* FiberSet.make<void>()

  /** The row of the task may be claimed again before the task ends. */
  const forget = (leased: Leased, task: Task) => {
    if (tasks.get(keyOf(leased)) === task) tasks.delete(keyOf(leased))
  }

  const work = Effect.fnUntraced(
    function* (leased: Leased, task: Task) {
      yield* steps(leased, {
        beforeTell: () => {
          task.isTold = true
        },
        release: (row) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            forget(leased, task)
            return NextWork.nextOf(row, rules, now)
          })
      })
    },
    (effect, leased, task) =>
      effect.pipe(
        Effect.raceFirst(
          Effect.andThen(
            Lease.renew(ledger, leased, lease),
            Effect.logWarning("The lease of a row was lost: its work is interrupted and waited for")
          )
        ),
        Effect.onInterrupt(() =>
          task.isTold
            ? Effect.void
            : Effect.ignore(
                Effect.flatMap(Clock.currentTimeMillis, (now) => {
                  // A time that is not corrected yet may be later than now.
                  const { dueAt = now, lane } = NextWork.nextOf(leased, rules, now)
                  return ledger.write(leased, { release: { dueAt: Math.min(dueAt, now), lane } })
                })
              )
        ),
        Effect.provideService(Progress.Current, progress),
        Effect.catchCause((cause) =>
          Cause.squash(cause) instanceof Progress.NotWritten
            ? Effect.void
            : Effect.logError("A row could not be worked on", Lease.reasonOf(cause))
        ),
        Effect.ensuring(Effect.sync(() => forget(leased, task))),
        Effect.annotateLogs({ method: leased.method, transactionId: leased.transactionId })
      )
  )

  /** A row may be claimed again because the clock jumped. */
  const begin = Effect.fnUntraced(function* (leased: Leased) {
    if (tasks.has(keyOf(leased))) return
    const task: Task = { isTold: false }
    tasks.set(keyOf(leased), task)
    task.fiber = yield* FiberSet.run(fibers, work(leased, task))
  })

  // Its alarms have the time of the process, like the condition that they are compared with.
  const checkClocks = Effect.provideService(
    ClockWatch.make({ ledger: shard, journal, clock, lease }),
    Clock.Clock,
    clock
  )

  const round = Effect.gen(function* () {
    const untilCheck = yield* checkClocks
    const at = yield* Clock.currentTimeMillis
    // Uninterruptible, because only the fiber of a claimed row releases its lease, and a claim
    // names an unreadable transaction once.
    const { dueAt, refused = [] } = yield* shard
      .claim({ at, until: at + lease, limit: slots.free(), newest: slots.newest() })
      .pipe(
        progress.ofRound,
        Effect.tap(({ rows }) => Effect.forEach(rows, begin, { discard: true })),
        Effect.tap(({ unreadable = [] }) =>
          Effect.forEach(unreadable, (key) =>
            journal.record(key, { _tag: "DeadLettered", reason: "unreadable" })
          )
        ),
        Effect.uninterruptible
      )
    yield* Effect.forEach(refused, ({ error, one }) => progress.refused(one.leased, error))
    const untilDue = Duration.millis(Math.min(Math.max((dueAt ?? Infinity) - at, 0), untilCheck))
    yield* Effect.raceAllFirst([
      shard.awaitWork,
      slots.awaitFreed,
      Effect.sleep(Duration.min(pollInterval, untilDue))
    ])
  })

  const ledgerClock = LedgerClock.make(shard, clock)
  yield* outage.run.pipe(
    Effect.provideService(Progress.Current, progress),
    Effect.provideService(Clock.Clock, ledgerClock),
    Effect.forkScoped
  )

  const rounds = yield* Progress.forever(round, "The ledger could not be read").pipe(
    (all) => Effect.andThen(outage.begin, all),
    Effect.provideService(Progress.Current, progress),
    Effect.provideService(Clock.Clock, ledgerClock),
    Effect.forkScoped
  )

  /** The rows whose handler is not called yet. */
  const endUntold = Effect.suspend(() =>
    Fiber.interruptAll(
      [...tasks.values()].flatMap(({ fiber, isTold }) => (isTold ? [] : (fiber ?? [])))
    )
  )
  const drain = Effect.sync(progress.end).pipe(
    Effect.andThen(Progress.drain(rounds, fibers, endUntold)),
    Effect.andThen(Effect.sync(() => tasks.clear())),
    Effect.andThen(Effect.provideService(outage.noteEnd, Clock.Clock, ledgerClock))
  )

  const readUse = Effect.map(Clock.currentTimeMillis, use.read).pipe(
    Effect.provideService(Clock.Clock, ledgerClock)
  )
  yield* Backlog.watch({ ledger: shard, journal, progress, free: slots.free, readUse }).pipe(
    Effect.provideService(Clock.Clock, ledgerClock),
    Effect.forkScoped
  )
  return { drain, progress: progress.state, readUse }
})

const keyOf = ({ scope, transactionId }: Row): string => `${scope}/${transactionId}`
