import type {
  EncodedRequest,
  RequestKind,
  RequestRefusal,
  SendLimits,
  RequestResponse
} from "@pawl/core/RequestSender"
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { ValidationFailed } from "@pawl/core/PaymentsError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { isLeased, type NewRequest, type RequestRow } from "../rule/RequestRow.ts"
import * as RequestRule from "../rule/RequestRule.ts"
import { RequestConflict, RequestNotSent, RequestParked, ResponseLost } from "./RequestsError.ts"
import type { RequestStore } from "../ledger/RequestStore.ts"
import type { Seal } from "../../Seal.ts"
import * as Attempt from "./Attempt.ts"
import * as Lease from "./Lease.ts"
import type * as Process from "./Process.ts"
import * as RequestFailure from "./RequestFailure.ts"

/** The longest wait for an outcome from elsewhere, in nanoseconds of the monotonic clock. */
const waitTime = Duration.toNanosUnsafe(Duration.seconds(60))
const waitInterval = Duration.millis(250)

type Response = RequestResponse<RequestKind>

export type SendError =
  | RequestFailure.Failure
  | RequestRefusal<RequestKind>
  | RequestConflict
  | RequestNotSent
  | RequestParked
  | ResponseLost

export const refusalOf = (
  seal: Seal["Service"],
  { kind, requestId }: Pick<RequestRow, "kind" | "requestId">,
  text: string | undefined
): Effect.Effect<never, ValidationFailed | RequestParked> =>
  text === undefined
    ? Effect.fail(RequestFailure.fromText(""))
    : Effect.flatMap(openOutcome(seal, { kind, requestId }, text), (opened) =>
        Effect.fail(RequestFailure.fromText(opened))
      )

const openOutcome = (
  seal: Seal["Service"],
  { kind, requestId }: Pick<RequestRow, "kind" | "requestId">,
  text: string
) =>
  Effect.mapError(
    seal.open({ requestId, kind, part: "outcome" }, text),
    (error) => new RequestParked({ requestId, reason: Attempt.reasonToPark(error) })
  )

/** Writes a request, unless its stored document cannot be read. */
export const write = Effect.fnUntraced(function* (
  store: RequestStore["Service"],
  request: NewRequest,
  begin: { readonly at: number; readonly until?: number }
) {
  const written = yield* store.write(request, begin)
  if (!RequestRule.isUnreadable(written.row)) return written
  return yield* new RequestParked({ requestId: request.requestId, reason: "unreadable" })
})

export const run = Effect.fnUntraced(function* (
  tools: Process.Tools,
  request: EncodedRequest,
  written: NewRequest,
  limits?: SendLimits
): Effect.fn.Return<Response, SendError> {
  const { seal, sender, store, window } = tools
  const { kind, requestId } = request

  const inStore = <A, E>(call: Effect.Effect<A, E | StoreUnavailable>) =>
    Effect.catchTag(call, "StoreUnavailable", () =>
      Effect.fail(RequestFailure.unknown(requestId, "the request store is not available"))
    )

  const sent = (leased: Parameters<typeof Attempt.run>[1]): Effect.Effect<Response, SendError> =>
    Effect.flatMap(Attempt.run(tools, leased, request, true, limits), ({ answer, error, row }) => {
      if (answer !== undefined) return Effect.fromResult(answer)
      // Without the lease another process sends the request.
      if (row === undefined) return Effect.flatMap(inStore(store.get(requestId)), orUnknown)
      // The store keeps neither the body of a refusal nor the service's id of the request.
      const isOwn = row.outcome?._tag === "Refused" && error?._tag === "ValidationFailed"
      const known = isOwn ? undefined : outcomeOf(row)
      if (known !== undefined) return known
      if (error === undefined) return Effect.fail(RequestFailure.unknown(requestId, "no answer"))
      // It is sent again, so the error of one attempt is not its end.
      return Effect.fail(
        row.outcome === undefined ? RequestFailure.inDoubt(requestId, error) : error
      )
    })

  const orUnknown = (row: RequestRow | undefined): Effect.Effect<Response, SendError> =>
    row === undefined ? Effect.fail(RequestFailure.unknown(requestId, "no answer")) : waitFor(row)

  const responseLost = (transaction: RequestRow["transaction"]) =>
    new ResponseLost({ requestId, transactionId: transaction?.transactionId ?? "" })

  const outcomeOf = (row: RequestRow): Effect.Effect<Response, SendError> | undefined => {
    const { outcome, transaction } = row
    switch (outcome?._tag) {
      case "Answered":
        if (outcome.text === undefined) return Effect.fail(responseLost(transaction))
        return Effect.flatMap(openOutcome(seal, row, outcome.text), (text) =>
          sender.decodeOutcome({ kind, requestId }, text)
        )
      case "Refused":
        return refusalOf(seal, row, outcome.text)
      case "Found":
        return Effect.fail(responseLost(transaction))
      case "NotSent":
        return outcome.reason === "no-effect"
          ? undefined
          : Effect.fail(new RequestNotSent({ requestId, reason: outcome.reason }))
      case undefined:
        return undefined
    }
  }

  /** Takes a request over if nobody works on it. */
  const takeOver = Effect.fnUntraced(function* (row: RequestRow) {
    const at = yield* Lease.timeOf(store)
    const until = at + Lease.duration
    if (row.outcome !== undefined || (RequestRule.isUnsent(row) && !isReadable(row))) {
      const again = yield* inStore(store.restart(written, { at, until }))
      if (again === undefined || isLeased(again)) return again
      return yield* new RequestNotSent({ requestId, reason: "expired" })
    }
    if (row.parked !== undefined) {
      const { reason } = row.parked
      const isForCaller = reason === "card-data" && !RequestRule.isPastWindow(row, at, window)
      if (!isForCaller) return yield* new RequestParked({ requestId, reason })
    }
    const { rows } = yield* inStore(store.claim({ at, until, limit: 1, requestId }))
    const [leased] = rows
    if (leased === undefined) return
    yield* inStore(Attempt.endLate(tools, leased, at))
    return yield* inStore(store.begin(leased, { at, window }))
  })

  const matchOf = (row: RequestRow) =>
    row.kind === kind ? seal.compare(row.digest, kind, request.body) : "different"
  const isReadable = (row: RequestRow) =>
    matchOf(row) !== "no-key" && row.parked?.reason !== "unreadable"

  const waitFor = Effect.fnUntraced(function* (
    first: RequestRow
  ): Effect.fn.Return<Response, SendError> {
    const clock = yield* Clock.Clock
    const deadline = clock.monotonicTimeNanosUnsafe() + waitTime
    let row: RequestRow | undefined = first
    while (row !== undefined && clock.monotonicTimeNanosUnsafe() <= deadline) {
      // Meanwhile another call may have written the request anew with its body.
      const match = matchOf(row)
      if (match === "different") return yield* new RequestConflict({ requestId })
      if (match === "no-key" && !RequestRule.isUnsent(row)) {
        return yield* new RequestParked({ requestId, reason: "no-key" })
      }
      const known = outcomeOf(row)
      if (known !== undefined) return yield* known
      const leased = yield* takeOver(row)
      if (leased !== undefined) return yield* sent(leased)
      yield* Effect.sleep(waitInterval)
      row = yield* inStore(store.get(requestId))
    }
    return yield* RequestFailure.unknown(requestId, "another call with the requestId is in flight")
  })

  const at = yield* Lease.timeOf(store)
  const { isNew, row } = yield* inStore(write(store, written, { at, until: at + Lease.duration }))
  return yield* isNew && isLeased(row) ? sent(row) : waitFor(row)
})
