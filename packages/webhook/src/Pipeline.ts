/**
 * Works on the rows that are due: asks the service where it has to, and tells the handler.
 *
 * **Details**
 *
 * A row that is due is leased for 30 seconds, renewed every 10, and taken through two steps: *ask*,
 * when the reconciler says that the service is to be read, and *tell*, when where the transaction
 * stands is news to the handler. What was learned is written before the handler hears of it. A row is
 * worked on by one worker at a time, so the handler is called one at a time per transaction; at most 64
 * rows are worked on in one process. A lease that cannot be renewed for 15 seconds counts as lost, and
 * the work under it is stopped before anybody else may begin.
 *
 * A handler that fails, also by a defect or by taking longer than 5 minutes, is called again after 1, 2,
 * 4, … seconds, at most 5 minutes, for 24 hours; then the row is parked as a dead letter, until something
 * else is to be told. A call that a crash cut short counts as one that failed.
 *
 * Where a callback has another amount than was ordered, nothing is told: the row is parked until a person
 * lets it go on.
 *
 * @since 0.1.0
 */
import { unsigned } from "@pawl/core/Callback"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Evidence from "@pawl/core/Evidence"
import { Handler, type Transition } from "@pawl/core/Handler"
import { Profile } from "@pawl/core/Profile"
import type { Status } from "@pawl/core/Status"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { type Answer, Confirmer } from "./Confirmer.ts"
import { Journal } from "./Journal.ts"
import { Ledger } from "./Ledger.ts"
import * as Cleaner from "./Cleaner.ts"
import type { Change, Leased, DeadLetter, Row } from "./Row.ts"
import * as Alarm from "./internal/Alarm.ts"
import * as Ordered from "./internal/ExpectedAmount.ts"
import * as Reconciler from "./Reconciler.ts"

const slots = 64
const leaseTime = Duration.toMillis(Duration.seconds(30))
const renewal = Duration.seconds(10)
const grace = Duration.seconds(15)
const handlerTime = Duration.minutes(5)
const shortestBackoff = Duration.toMillis(Duration.seconds(1))
const longestBackoff = Duration.toMillis(Duration.minutes(5))
const lastAttempt = Duration.toMillis(Duration.hours(24))
const recovery = Duration.seconds(1)
const patiently = Schedule.spaced(recovery)
const lost = Symbol("the lease was lost")

/**
 * Layer that works for as long as it lives, and cleans up beside. When it ends, handlers at work are interrupted and their
 * leases handed back.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never, never, Ledger | Confirmer | Journal | Handler> = Layer.merge(
  Cleaner.layer,
  Layer.effectDiscard(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const confirmer = yield* Confirmer
      const journal = yield* Journal
      const handler = yield* Handler
      const { pollGaps } = yield* Profile
      const rules: Reconciler.Rules = { policy: confirmer.policy, pollGaps }
      const workers = yield* FiberSet.make<void>()
      const atWork = new Set<string>()
      const free = yield* Latch.make()

      const standing = (row: Row) => Evidence.standing(row.evidence, row.read?.status, rules.policy)

      /** Writes for as long as the lease holds; a worker that lost it stops where it stands. */
      const write = (leased: Leased, change: Change) =>
        Effect.flatMap(Effect.retry(ledger.write(leased, change), patiently), (row) =>
          row === undefined ? Effect.interrupt : Effect.succeed(row)
        )

      const ask = Effect.fnUntraced(function* (row: Leased) {
        const at = Reconciler.readAt(row, rules)
        if (at === undefined || at > (yield* Clock.currentTimeMillis)) return row
        const answer = yield* confirmer.ask(row)
        yield* journal.enter(row, { _tag: "Asked", answer: answerText(answer) })
        const change = Reconciler.afterAsking(row, answer, rules, yield* Clock.currentTimeMillis)
        const next = yield* write(row, change)
        if (change.deadLetter !== undefined) {
          yield* journal.enter(row, { _tag: "Parked", reason: change.deadLetter.reason })
        }
        const reason = Alarm.of(row, next, answer, rules)
        if (reason !== undefined) yield* journal.enter(row, { _tag: "Alarm", reason })
        return next
      })

      const park = Effect.fnUntraced(function* (row: Leased, deadLetter: DeadLetter) {
        const next = yield* write(row, { deadLetter, failingSince: undefined })
        yield* journal.enter(row, { _tag: "Parked", reason: deadLetter.reason })
        return next
      })

      /** Marks a transition told, in one transaction with the handler's own rows where it has any. */
      const settle = Effect.fnUntraced(function* (
        row: Leased,
        handled: Transition,
        change: Change
      ) {
        if (handler.settle === undefined) return Exit.succeed(yield* write(row, change))
        // An answer may be lost of a transaction that was done: then the mark is there already.
        const once = { ...change, ifSequence: row.sequence }
        const told = Effect.flatMap(ledger.write(row, once), (next) =>
          next === undefined ? Effect.fail(lost) : Effect.succeed(next)
        )
        const exit = yield* handler.settle(handled, told).pipe(
          Effect.retry({
            schedule: patiently,
            while: (error) => error instanceof StoreUnavailable
          }),
          Effect.timeout(handlerTime),
          Effect.exit
        )
        const isLost = Exit.isFailure(exit) && Cause.squash(exit.cause) === lost
        return isLost ? yield* Effect.interrupt : exit
      })

      const tell = Effect.fnUntraced(function* (row: Leased) {
        const stands = standing(row)
        const to = Evidence.news(stands, row.told)
        const now = yield* Clock.currentTimeMillis
        if (to === undefined || row.deadLetter?.to === to) return row
        if (Ordered.differ(row)) return yield* park(row, { reason: "amount-mismatch", at: now, to })
        const isAgain = row.pendingStatus === to
        if (isAgain && row.retryAt > now) return row
        const failingSince = (isAgain ? row.failingSince : undefined) ?? now
        if (isAgain && row.retryAt - backoff(row.attempt) - failingSince >= lastAttempt) {
          return yield* park(row, { reason: "handler-failed", at: now, to })
        }
        const attempt = isAgain ? row.attempt + 1 : 1
        const retryAt = now + backoff(attempt)
        const called = yield* write(row, { pendingStatus: to, attempt, failingSince, retryAt })
        const handled = transition(called, to, stands)
        const taken = yield* Effect.suspend(() => handler.handle(handled)).pipe(
          Effect.timeout(handlerTime),
          Effect.exit
        )
        const told: Exit.Exit<Leased, unknown> = Exit.isFailure(taken)
          ? Exit.failCause(taken.cause)
          : yield* settle(called, handled, {
              told: to,
              sequence: row.sequence + 1,
              pendingStatus: undefined,
              attempt: 0,
              failingSince: undefined,
              deadLetter: undefined
            })
        if (Exit.isFailure(told)) {
          yield* journal.enter(row, { _tag: "HandlerFailed", to, attempt })
          const wait = backoff(attempt)
          yield* Effect.logWarning(`The handler failed; again in ${wait / 1000} s`, why(told.cause))
          const after = yield* Clock.currentTimeMillis
          return yield* write(called, { retryAt: after + wait })
        }
        const { confirmed, conflict } = stands
        yield* journal.enter(row, { _tag: "Told", to, confirmed, conflict, attempt })
        return told.value
      })

      const dueAt = (row: Row): number | undefined => {
        const to = Evidence.news(standing(row), row.told)
        const retryAt =
          to === undefined || row.deadLetter?.to === to
            ? undefined
            : row.pendingStatus === to
              ? row.retryAt
              : 0
        const readAt = Reconciler.readAt(row, rules)
        return retryAt === undefined ? readAt : Math.min(retryAt, readAt ?? retryAt)
      }

      const work = Effect.fnUntraced(
        function* (leased: Leased) {
          const row = yield* Effect.flatMap(ask(leased), tell).pipe(
            Effect.ensuring(Effect.sync(() => end(leased)))
          )
          yield* write(row, { release: { dueAt: dueAt(row) } })
        },
        (effect, leased) =>
          effect.pipe(
            Effect.raceFirst(renew(leased)),
            Effect.onInterrupt(() =>
              Effect.ignore(ledger.write(leased, { release: { dueAt: 0 } }))
            ),
            Effect.catchCause((cause) => Effect.logError("A row could not be worked on", cause)),
            Effect.annotateLogs({ method: leased.method, transactionId: leased.transactionId })
          )
      )

      /** Ends when the lease is lost: taken by another, or not renewed in time. */
      const renew = (leased: Leased): Effect.Effect<void> =>
        Clock.currentTimeMillis.pipe(
          Effect.flatMap((now) => ledger.write(leased, { until: now + leaseTime })),
          Effect.retry(patiently),
          Effect.timeout(grace),
          Effect.orElseSucceed(() => undefined),
          Effect.delay(renewal),
          Effect.repeat({ while: (row) => row !== undefined }),
          Effect.asVoid
        )

      /** A row still at work here was leased anew because the clock jumped; that lease runs out unused. */
      const begin = (leased: Leased) => {
        if (atWork.has(keyOf(leased))) return Effect.void
        atWork.add(keyOf(leased))
        return FiberSet.run(workers, work(leased))
      }

      const end = (leased: Leased) => {
        atWork.delete(keyOf(leased))
        free.openUnsafe()
      }

      const untilFree = Effect.suspend(() => {
        if (atWork.size < slots) return Effect.void
        free.closeUnsafe()
        return free.await
      })

      /** Starts what is due, then rests until something new is. */
      const round = Effect.gen(function* () {
        yield* untilFree
        const at = yield* Clock.currentTimeMillis
        const limit = slots - atWork.size
        // What was leased is begun, even as we stop: only who works on a row hands its lease back.
        const { dueAt } = yield* ledger.claim({ at, until: at + leaseTime, limit }).pipe(
          Effect.tap(({ rows }) => Effect.forEach(rows, begin, { discard: true })),
          Effect.uninterruptible
        )
        const rest = Math.max((dueAt ?? Infinity) - at, 0)
        yield* Effect.raceFirst(
          ledger.awaitWork,
          Effect.sleep(Duration.min(ledger.pollInterval, Duration.millis(rest)))
        )
      })

      yield* round.pipe(
        Effect.catchCause((cause) =>
          Effect.andThen(
            Effect.logError("The ledger could not be read", cause),
            Effect.sleep(recovery)
          )
        ),
        Effect.forever,
        Effect.forkScoped
      )
    })
  )
)

const keyOf = ({ scope, transactionId }: Row): string => `${scope}/${transactionId}`

/** The wait after call number `attempt` of a handler that fails. */
const backoff = (attempt: number): number =>
  Math.min(shortestBackoff * 2 ** (attempt - 1), longestBackoff)

/** Why a handler failed. An error with a name of its own says all there is; of any other the stack tells. */
const why = (cause: Cause.Cause<unknown>): unknown => {
  const error = Cause.squash(cause)
  const isNamed = error instanceof Error && "_tag" in error && error.cause === undefined
  return isNamed && Cause.hasFails(cause) ? `${error.name}: ${error.message}` : cause
}

const transition = (row: Leased, to: Status, stands: Evidence.Standing): Transition => {
  const heard = row.newestCallbacks[to]
  const newest = heard !== undefined && Ordered.isForeign(row, heard.signed) ? undefined : heard
  return {
    id: `${row.scope}:${row.transactionId}:${row.sequence + 1}:${to}`,
    method: row.method,
    kind: row.kind,
    transactionId: row.transactionId,
    requestId: row.ordered?.requestId ?? null,
    from: row.told ?? null,
    to,
    confirmed: stands.confirmed,
    conflict: stands.conflict,
    attempt: row.attempt,
    signed: newest?.signed ?? null,
    callback: newest === undefined ? null : unsigned(row.method, newest.body)
  }
}

const answerText = (answer: Answer) =>
  answer._tag === "Said" ? answer.status : answer._tag === "Unknown" ? "404" : "no answer"
