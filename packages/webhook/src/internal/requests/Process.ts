/** Sends due requests. At the end it claims no more, and leaves 15 seconds to running ones. */
import { ValidationFailed } from "@pawl/core/PaymentsError"
import type { EncodedRequest, RequestInput, RequestKind } from "@pawl/core/RequestSender"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { LeasedRequest, ParkReason } from "../rule/RequestRow.ts"
import { raiseAlarm } from "../rule/Counters.ts"
import * as RequestRule from "../rule/RequestRule.ts"
import * as Attempt from "./Attempt.ts"
import * as Lease from "./Lease.ts"
import { reasonOf } from "../work/Lease.ts"
import * as Progress from "../work/Progress.ts"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"

export interface Tools extends Attempt.Tools {
  readonly rebuild: Rebuild | undefined
}

/** Encodes a request with a requestId from the same input as before. */
export type Rebuild = (
  requestId: string,
  kind: RequestKind
) => Effect.Effect<EncodedRequest, unknown>

export type InputOf = (
  requestId: string,
  kind: RequestKind
) => Effect.Effect<RequestInput<RequestKind>, unknown>

const rebuildTimeout = Duration.seconds(20)

type Body = Result.Result<
  EncodedRequest,
  { readonly park: ParkReason } | { readonly later: unknown }
>

const bodyOf = Effect.fnUntraced(function* (
  { rebuild, seal }: Tools,
  { body, digest, hasCardData, kind, requestId }: LeasedRequest
): Effect.fn.Return<Body> {
  const park = (reason: ParkReason): Body => Result.fail({ park: reason })
  if (!hasCardData) {
    if (body === undefined) return park("unreadable")
    const opened = yield* Effect.result(seal.open({ requestId, kind, part: "body" }, body))
    if (Result.isFailure(opened)) return park(Attempt.reasonToPark(opened.failure))
    const match = seal.compare(digest, kind, opened.success)
    if (match === "same") return Result.succeed({ kind, requestId, body: opened.success })
    return park(match === "no-key" ? "no-key" : "unreadable")
  }
  if (rebuild === undefined) return park("card-data")
  const rebuilt = yield* Effect.result(
    Progress.limited("rebuild", rebuildTimeout)(rebuild(requestId, kind))
  )
  if (Result.isFailure(rebuilt)) {
    const { failure } = rebuilt
    if (!isFault(failure) || failure.sent) return Result.fail({ later: failure })
    // The client refuses the input each time, until the window of the requestId is over.
    yield* Effect.logError("A request was made again with an invalid input", failure.message)
    return park("rebuilt-differently")
  }
  const match = seal.compare(digest, kind, rebuilt.success.body)
  if (match === "same") return Result.succeed(rebuilt.success)
  return park(match === "no-key" ? "no-key" : "rebuilt-differently")
})

/** How long a new request is left to the processes that have its key, in milliseconds. */
const keyTime = 10 * 60_000
const keyWait = 10_000

/** The message of another error may have the card data of the request. */
const reasonOfRebuild = (error: unknown): ReadonlyArray<string> =>
  isFault(error) ? [error.message] : error instanceof Error ? [error.name] : []

const isFault = Schema.is(ValidationFailed)

/** Sends a due request, and returns whether its end was written. */
export const run = Effect.fnUntraced(function* (tools: Tools, leased: LeasedRequest) {
  const { store, window } = tools
  const at = yield* Lease.timeOf(store)
  if ((yield* Attempt.endLate(tools, leased, at)) !== undefined) return true
  const body = yield* bodyOf(tools, leased)
  if (Result.isFailure(body)) {
    const reason = "park" in body.failure ? body.failure.park : undefined
    const isForOther = reason === "no-key" && at < leased.retryFrom + keyTime
    if (reason !== undefined && !isForOther) {
      yield* Attempt.park(tools, leased, reason)
      return true
    }
    if (!isForOther) {
      const later = "later" in body.failure ? reasonOfRebuild(body.failure.later) : []
      yield* Effect.logWarning("A request could not be made again; it is tried later", ...later)
    }
    const wait = RequestRule.waitAfter(leased.attempts)
    yield* store.release(leased, { at, dueAt: at + (isForOther ? Math.min(wait, keyWait) : wait) })
    return true
  }
  const begun = yield* store.begin(leased, { at: yield* Lease.timeOf(store), window })
  if (begun === undefined) return true
  const { row } = yield* Attempt.run(tools, begun, body.success, false)
  return row !== undefined
})

const maxRunning = 16

export const start = Effect.fnUntraced(function* (
  tools: Tools
): Effect.fn.Return<void, never, Scope.Scope> {
  const { store } = tools
  const fibers = yield* FiberSet.make<void>()
  const freed = yield* Latch.make()
  const progress = yield* Progress.make((reason) => raiseAlarm(reason, {}), Progress.noRequests)
  const working = new Set<string>()

  const work = (leased: LeasedRequest) =>
    run(tools, leased).pipe(
      Effect.tap((isWritten) => Effect.sync(() => isWritten && progress.released("rows"))),
      Effect.tapError((error) => progress.failed("rows", error)),
      Effect.asVoid,
      Effect.provideService(Progress.Current, progress),
      Effect.catchCause((cause) =>
        Effect.logError("A request could not be worked on", reasonOf(cause))
      ),
      Effect.annotateLogs({ requestId: leased.requestId }),
      Effect.ensuring(
        Effect.sync(() => {
          working.delete(leased.requestId)
          freed.openUnsafe()
        })
      )
    )

  /** A request is claimed again while a function of the merchant holds it for longer than a lease. */
  const begin = (leased: LeasedRequest) =>
    Effect.suspend(() => {
      if (working.has(leased.requestId)) return Effect.void
      working.add(leased.requestId)
      return FiberSet.run(fibers, work(leased))
    })

  const round = Effect.gen(function* () {
    freed.closeUnsafe()
    const limit = maxRunning - working.size
    if (limit === 0) return yield* freed.await
    const at = yield* Lease.timeOf(store)
    // Uninterruptible, because only the fiber of a claimed request releases its lease.
    const { dueAt } = yield* store.claim({ at, until: at + Lease.duration, limit }).pipe(
      progress.ofRound,
      Effect.tap(({ rows }) => Effect.forEach(rows, begin, { discard: true })),
      Effect.uninterruptible
    )
    const untilDue = Duration.millis(Math.max((dueAt ?? Infinity) - at, 0))
    yield* Effect.raceFirst(
      store.awaitWork,
      Effect.sleep(Duration.min(store.pollInterval, untilDue))
    )
  })

  const rounds = yield* Effect.forkScoped(
    Progress.forever(round, "The request store could not be read")
  )

  yield* Effect.addFinalizer(() => Progress.drain(rounds, fibers))
})
