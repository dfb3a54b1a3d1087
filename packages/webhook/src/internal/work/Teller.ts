/**
 * Calls the handler with each transition of a transaction.
 *
 * One call of the teller makes at most one call of the handler:
 *
 * 1. *start*: the attempt is written to the row, with the read before it, so that a call that a
 *    crash interrupts counts as failed.
 * 2. *call*: the handler is called, with a timeout of 5 minutes.
 * 3. *mark*: the write that releases the row marks the transition as told.
 *
 * A failed call is retried by `retrySchedule`, after a time-out not within 30 seconds, because the
 * application may still be at work. After the last retry the row is a dead letter, until there is
 * another status to tell. A row with a callback of a wrong amount, or with an unreadable field, is
 * parked without a call.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { Handler, type Transition as HandlerTransition } from "@pawl/core/Handler"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Confirmer } from "./Confirmer.ts"
import * as Fact from "../rule/Fact.ts"
import * as Fault from "../sql/Fault.ts"
import * as Lease from "./Lease.ts"
import * as Progress from "./Progress.ts"
import * as NextWork from "./NextWork.ts"
import * as Reconciler from "./Reconciler.ts"
import { Journal } from "../../Journal.ts"
import type { Ledger } from "../../Ledger.ts"
import type { Change, DeadLetter, Leased } from "../rule/Row.ts"
import type { WorkLimits } from "../rule/WorkLimits.ts"

const handlerTimeout = Duration.minutes(5)
const leaseLost = Symbol("the lease was lost")

/** Returns the function that tells a status, and returns the change to write with the release. */
export const make = Effect.fnUntraced(function* (
  ledger: Ledger["Service"],
  limits: Pick<WorkLimits, "lease" | "retrySchedule">
) {
  const { policy } = yield* Confirmer
  const journal = yield* Journal
  const handler = yield* Handler

  const park = (pending: NextWork.Pending, deadLetter: DeadLetter) => {
    const { row } = pending
    // Without its reason, an unknown id would be read and parked again.
    const isUnknown = deadLetter.reason === "handler-failed" && Reconciler.isParkedAsUnknown(row)
    return NextWork.add(
      pending,
      {
        deadLetter: isUnknown ? { ...row.deadLetter, to: deadLetter.to } : deadLetter,
        failingSince: undefined,
        facts: [Fact.parked(deadLetter)]
      },
      journal.record(row, { _tag: "DeadLettered", reason: deadLetter.reason })
    )
  }

  /** Commits the merchant's rows with the mark and the release of the row. */
  const commit = Effect.fnUntraced(function* (
    call: NonNullable<Handler["Service"]["commit"]>,
    transition: HandlerTransition,
    { change, row }: NextWork.Pending,
    started: Leased
  ) {
    // The response of a commit may be lost. `ifSequence` prevents a second write by the retry.
    const writeOnce = Effect.flatMap(
      ledger.write(row, { ...change, ifSequence: started.sequence }),
      (told) => (told === undefined ? Effect.fail(leaseLost) : Effect.succeed(told))
    )
    const progress = yield* Progress.Current
    const exit = yield* call(transition, writeOnce).pipe(
      Effect.tap(() => Effect.sync(() => progress.released("calls", row))),
      Effect.tapError((error) =>
        error instanceof StoreUnavailable ? progress.failed("calls", error) : Effect.void
      ),
      Effect.retry({
        schedule: Progress.retrySchedule,
        while: (error) => error instanceof StoreUnavailable && !Fault.isLasting(Fault.of(error))
      }),
      Progress.limited("handler", handlerTimeout),
      Effect.exit
    )
    const isLost = Exit.isFailure(exit) && Cause.squash(exit.cause) === leaseLost
    return isLost ? yield* Effect.interrupt : exit
  })

  return Effect.fnUntraced(function* (
    pending: NextWork.Pending,
    release: (row: Leased) => Effect.Effect<Required<Change>["release"]>
  ): Effect.fn.Return<NextWork.Pending | undefined> {
    const { row } = pending
    const standing = NextWork.standingOf(row, policy)
    const step = NextWork.nextStep(
      row,
      standing,
      yield* Clock.currentTimeMillis,
      limits.retrySchedule
    )
    if (step._tag === "Nothing") return pending
    if (step._tag === "Park") return park(pending, step.deadLetter)
    const { attempt, change, to } = step
    const started = yield* NextWork.write(ledger, NextWork.add(pending, change))
    const body = yield* Lease.body(ledger, started, to)
    const transition = NextWork.make(started, to, standing, body)
    if (transition === undefined) {
      const at = yield* Clock.currentTimeMillis
      return park(NextWork.none(started), { reason: "unreadable", at, to })
    }
    const handled = yield* Effect.suspend(() => handler.handle(transition)).pipe(
      Progress.limited("handler", handlerTimeout),
      Effect.exit
    )
    const sequence = started.sequence + 1
    const at = yield* Clock.currentTimeMillis
    const { confirmed, conflict } = standing
    const recorded = journal.record(row, { _tag: "Told", to, confirmed, conflict, attempt })
    const told = NextWork.add(
      NextWork.none(started),
      {
        told: to,
        sequence,
        pendingStatus: undefined,
        attempt: 0,
        failingSince: undefined,
        deadLetter: undefined,
        facts: [{ fact: "told", at, sequence, to }]
      },
      recorded
    )
    let result: Exit.Exit<unknown, unknown> = handled
    if (Exit.isSuccess(handled)) {
      if (handler.commit === undefined) return told
      const marked = NextWork.add(told, { release: yield* release(told.row) })
      result = yield* commit(handler.commit, transition, marked, started)
      if (Exit.isSuccess(result)) {
        yield* recorded
        return undefined
      }
    }
    const cause = Exit.isFailure(result) ? result.cause : Cause.empty
    yield* journal.record(row, { _tag: "HandlerFailed", to, attempt })
    const failedAt = yield* Clock.currentTimeMillis
    const backoff = NextWork.waitAfter(
      limits.retrySchedule,
      attempt,
      started.failingSince ?? failedAt,
      failedAt
    )
    const isTimeout = Cause.isTimeoutError(Cause.squash(cause))
    const wait = isTimeout ? Math.max(backoff, limits.lease) : backoff
    yield* Effect.logWarning(
      `The handler failed; it is called again in ${wait / 1000} s`,
      reasonOf(cause)
    )
    return NextWork.add(NextWork.none(started), {
      retryAt: failedAt + wait,
      facts: [{ fact: "failed", at: failedAt, sequence, to }]
    })
  })
})

const reasonOf = (cause: Cause.Cause<unknown>): unknown => {
  const error = Cause.squash(cause)
  const isTagged = error instanceof Error && "_tag" in error && error.cause === undefined
  return isTagged && Cause.hasFails(cause) ? `${error.name}: ${error.message}` : cause
}
