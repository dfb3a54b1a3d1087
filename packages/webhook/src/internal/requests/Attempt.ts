import type {
  EncodedRequest,
  RequestError,
  RequestKind,
  RequestRefusal,
  RequestResponse,
  RequestSender,
  SendLimits
} from "@pawl/core/RequestSender"
import type { Switches } from "@pawl/core/Profile"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { methodOf } from "@pawl/core/Kind"
import type { LeasedRequest, Outcome, ParkReason, RequestRow } from "../rule/RequestRow.ts"
import * as RequestRule from "../rule/RequestRule.ts"
import type { RequestStore } from "../ledger/RequestStore.ts"
import type { NotOpened, Seal } from "../../Seal.ts"
import { counters, raiseAlarm } from "../rule/Counters.ts"
import * as Lease from "./Lease.ts"
import * as Progress from "../work/Progress.ts"
import * as Order from "./Order.ts"
import * as RequestFailure from "./RequestFailure.ts"

/** The services of an attempt; `window` is `Profile.requestIdWindow` in milliseconds. */
export interface Tools extends Pick<Switches, "status422"> {
  readonly window: number
  readonly store: RequestStore["Service"]
  readonly sender: RequestSender["Service"]
  readonly seal: Seal["Service"]
}

export type Answer = Result.Result<RequestResponse<RequestKind>, RequestRefusal<RequestKind>>

export interface Attempted {
  readonly answer: Answer | undefined
  readonly error: RequestFailure.Failure | undefined
  readonly row: RequestRow | undefined
}

const settledFor = counters("requests.settled", "outcome", "Requests whose outcome became known")
const parkedFor = counters("requests.parked", "reason", "Requests that were left to a person")

export const report = (row: RequestRow | undefined): Effect.Effect<void> =>
  Effect.contextWith((context: Context.Context<never>) => {
    if (row?.outcome !== undefined) {
      const { expiresAt, outcome, requestId } = row
      settledFor(outcome._tag).updateUnsafe(1, context)
      const isGivenUp =
        outcome._tag === "NotSent" && outcome.reason === "expired" && expiresAt === undefined
      return isGivenUp ? raiseAlarm(givenUp, { requestId }) : Effect.void
    }
    if (row?.parked === undefined) return Effect.void
    parkedFor(row.parked.reason).updateUnsafe(1, context)
    return raiseAlarm(alarms[row.parked.reason], { requestId: row.requestId })
  })

const alarms: Readonly<Record<ParkReason, string>> = {
  refused: "the service keeps refusing a request: it is parked",
  window:
    "a request has been in doubt for longer than the service keeps its requestId: it is parked",
  "card-data": "a request with card data is in doubt and cannot be made again: it is parked",
  "rebuilt-differently": "a request was made again with another body: it is parked",
  "no-key": "no key opens a stored request: it is parked",
  unreadable: RequestRule.wasChanged
}

const givenUp =
  "a request could not be sent for as long as the service keeps its requestId: it is given up"
const answeredTwice =
  "the service answered one requestId with two transactions: the operation may have been made twice"
const registeredDifferently =
  "the response to a request names an operation that is registered with another order"

const settleAnswer = Effect.fnUntraced(function* (
  { seal, sender, store }: Tools,
  { kind, ordered, requestId }: RequestRow,
  answer: Answer
) {
  const text = yield* seal.seal(
    { requestId, kind, part: "outcome" },
    sender.encodeOutcome(kind, answer)
  )
  const response: object = Result.match(answer, {
    onSuccess: (value) => value,
    onFailure: (refusal) => (refusal._tag === "Declined" ? refusal.response : refusal)
  })
  const registration = Order.registrationOf(kind, ordered, response)
  const transaction = registration && {
    method: methodOf(registration.kind),
    transactionId: registration.transactionId
  }
  const settled = yield* store.settle(
    requestId,
    { outcome: { _tag: "Answered", text }, at: yield* Lease.timeOf(store), transaction },
    registration
  )
  if (settled.isSettled) yield* report(settled.row)
  if (settled.isProvedWrong) yield* raiseAlarm(RequestRule.provedWrong, { requestId })
  if (settled.refusal !== undefined) yield* raiseAlarm(registeredDifferently, { requestId })
  const known = settled.before?.transaction?.transactionId
  if (known !== undefined && transaction !== undefined && known !== transaction.transactionId) {
    yield* raiseAlarm(answeredTwice, { requestId })
  }
  return settled.row
})

const settleWithout = Effect.fnUntraced(function* (
  { store }: Pick<Tools, "store">,
  { lease, requestId }: LeasedRequest,
  outcome: Outcome
) {
  const at = yield* Lease.timeOf(store)
  const settled = yield* store.settle(requestId, { outcome, at, lease: lease.id })
  if (settled.isSettled) yield* report(settled.row)
  return settled.row
})

export const reasonToPark = ({ reason }: NotOpened): ParkReason =>
  reason === "no-key" ? "no-key" : "unreadable"

export const park = Effect.fnUntraced(function* (
  { store }: Pick<Tools, "store">,
  leased: LeasedRequest,
  reason: ParkReason
) {
  const row = yield* store.park(leased, reason, yield* Lease.timeOf(store))
  yield* report(row)
  return row
})

/** Ends a request that may no longer be sent; undefined if it may. */
export const endLate = (tools: Tools, leased: LeasedRequest, at: number) =>
  RequestRule.isExpired(leased, at, tools.window)
    ? settleWithout(tools, leased, { _tag: "NotSent", reason: "expired" })
    : RequestRule.isPastWindow(leased, at, tools.window)
      ? park(tools, leased, "window")
      : Effect.undefined

const release = Effect.fnUntraced(function* (
  tools: Tools,
  leased: LeasedRequest,
  error: RequestFailure.Failure
) {
  const { store } = tools
  const at = yield* Lease.timeOf(store)
  const wait = Math.max(RequestRule.waitAfter(leased.attempts), RequestFailure.retryAfter(error))
  const row = yield* store.release(leased, {
    at,
    dueAt: at + Math.min(wait, RequestRule.maxWait),
    refusal: RequestFailure.reasonOf(error),
    hadNoEffect: RequestFailure.hadNoEffect(error, tools)
  })
  yield* report(row)
  return row
})

/** Nobody waits for an enqueued request, so it is retried. */
const writeFailure = Effect.fnUntraced(function* (
  tools: Tools,
  leased: LeasedRequest,
  error: RequestFailure.Failure,
  isAwaited: boolean
) {
  const isDefinite = !leased.lease.inDoubt && RequestFailure.hadNoEffect(error, tools)
  if (!isDefinite || !isAwaited) return yield* release(tools, leased, error)
  if (error._tag === "ValidationFailed" && error.sent) {
    const text = yield* tools.seal.seal(
      { requestId: leased.requestId, kind: leased.kind, part: "outcome" },
      RequestFailure.encode(error)
    )
    return yield* settleWithout(tools, leased, { _tag: "Refused", text })
  }
  return yield* settleWithout(tools, leased, { _tag: "NotSent", reason: "no-effect" })
})

/** Leaves a request whose outcome cannot be written to the next owner of the lease. */
const orLeft = (
  write: Effect.Effect<RequestRow | undefined, { readonly message: string }>,
  requestId: string
) =>
  Effect.flatMap(Progress.Current, (progress) =>
    write.pipe(
      Effect.catch((error) =>
        Effect.flatMap(progress.failed("rows", error), ({ cause }) =>
          Effect.annotateLogs(
            Effect.logWarning("The outcome of a request was not written", error.message, cause),
            { requestId }
          ).pipe(Effect.as(undefined))
        )
      )
    )
  )

/** Sends a begun request. With `isAwaited` the caller goes on waiting if the lease is lost. */
export const run = Effect.fnUntraced(function* (
  tools: Tools,
  leased: LeasedRequest,
  request: EncodedRequest,
  isAwaited: boolean,
  limits?: SendLimits
): Effect.fn.Return<Attempted> {
  const { sender, store, window } = tools
  const { inDoubt } = leased.lease
  // A person may have stated it of a request that is written anew or redriven.
  const hadNoEffect = !inDoubt && leased.retryFrom > leased.createdAt
  const now = yield* Lease.timeOf(store)
  const left = RequestRule.sentUntil(leased, now, window) - now
  const sendWithin = Number.isFinite(left) ? Math.max(left, 1) : undefined
  const renewal = Lease.renew(store, leased)
  const interruptedAt = Effect.flatMap(Lease.timeOf(store), (at) =>
    Effect.ignore(store.release(leased, { at, dueAt: at }))
  )
  const options = { ...limits, inDoubt, sendWithin, ...(hadNoEffect && { hadNoEffect }) }
  return yield* Effect.result(sender.send(request, options)).pipe(
    Effect.raceFirst(Effect.andThen(renewal, isAwaited ? Effect.never : Effect.interrupt)),
    Effect.onInterrupt(() => interruptedAt),
    Effect.flatMap(
      Effect.fnUntraced(function* (result: Result.Result<object, RequestError>) {
        const error = Result.isFailure(result) ? result.failure : undefined
        if (error !== undefined && !RequestFailure.isAnswer(error)) {
          const row = yield* orLeft(writeFailure(tools, leased, error, isAwaited), leased.requestId)
          return { answer: undefined, error, row }
        }
        const answer = result as Answer
        const row = yield* orLeft(settleAnswer(tools, leased, answer), leased.requestId)
        return { answer, error: undefined, row }
      }, Effect.uninterruptible)
    )
  )
})
