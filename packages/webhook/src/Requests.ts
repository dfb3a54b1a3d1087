/**
 * Durable requests: no payment is made twice, even if processes end meanwhile.
 *
 * **Details**
 *
 * `send` commits the sealed bytes of the request to the database of the ledger, sends them,
 * registers the transaction, and commits the outcome. The service processes a requestId once
 * (`spec.md`, "Conventions"), so after a crash any process of the database sends the same bytes
 * again, until the outcome is known.
 *
 * A request in doubt is not settled by a 400 or 404, because a proxy may have answered. Three
 * refusals over ten minutes, or the end of `Profile.requestIdWindow`, park it for a person. A
 * callback or a read of the transaction also settles it, if its callback URL was made here.
 *
 * A body is deleted once the answer is known. With card data it is never stored, only its keyed
 * digest.
 *
 * **Example** (A payment that survives the end of its process)
 *
 * ```ts
 * import * as Requests from "@pawl/webhook/Requests"
 * import * as Effect from "effect/Effect"
 *
 * export const pay = Effect.fn("pay")(function* (orderId: string) {
 *   const { send } = yield* Requests.Requests
 *   return yield* send("apm-payment", {
 *     requestId: orderId,
 *     accountId: "4711",
 *     amount: "10.00",
 *     currency: "EUR",
 *     apmPayload: { paymentMethod: "WALLET" }
 *   })
 * })
 *
 * export const layer = Requests.layer({ callbackUrl: "https://shop.example/callback" })
 * ```
 *
 * @since 0.1.0
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as CardData from "@pawl/core/internal/CardData"
import { ValidationFailed } from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import {
  type EncodedRequest,
  type RequestError,
  type RequestInput,
  type RequestKind,
  type RequestResponse,
  RequestSender,
  type SendLimits
} from "@pawl/core/RequestSender"
import * as RequestId from "@pawl/core/internal/RequestId"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CallbackUrl, type InvalidCallbackUrl } from "./CallbackUrl.ts"
import * as Owner from "./internal/ledger/Owner.ts"
import * as Lease from "./internal/requests/Lease.ts"
import * as Order from "./internal/requests/Order.ts"
import * as Process from "./internal/requests/Process.ts"
import * as Sending from "./internal/requests/Sending.ts"
import * as CanonicalBody from "./internal/seal/CanonicalBody.ts"
import type { NewRequest, ParkedRequest, RequestRow } from "./internal/rule/RequestRow.ts"
import {
  CardDataRefused,
  RequestConflict,
  RequestNotSent,
  RequestParked,
  type ResponseLost
} from "./internal/requests/RequestsError.ts"
import { RequestStore } from "./internal/ledger/RequestStore.ts"
import * as RequestRule from "./internal/rule/RequestRule.ts"
import { orderedOf } from "./internal/rule/Row.ts"
import { Seal } from "./Seal.ts"

export { layerMemory as layerStore } from "./internal/ledger/RequestStore.ts"
export {
  CardDataRefused,
  RequestConflict,
  RequestNotSent,
  RequestParked,
  ResponseLost
} from "./internal/requests/RequestsError.ts"

/**
 * Service that makes durable requests.
 *
 * @category services
 * @since 0.1.0
 */
export class Requests extends Context.Service<
  Requests,
  {
    /**
     * Sends a request and returns the response, or fails as the method of the service does. A
     * missing `requestId` is generated, and a retry of the effect keeps it. A repeat of the requestId gets
     * the stored outcome, or waits for it, at most 60 seconds. `limits` end this call only; the request
     * is still sent.
     *
     * **Gotchas**
     *
     * Inside a transaction of the database this is a defect: use `enqueue`.
     */
    readonly send: <K extends RequestKind>(
      kind: K,
      input: RequestInput<K>,
      limits?: SendLimits
    ) => Effect.Effect<RequestResponse<K>, SendError<K>>
    /**
     * Writes a request that a worker sends later; inside `LedgerSql.Transactions` as part of that
     * transaction. A repeat fails as `send` does if the request ended without an effect. A request
     * whose `send` cannot have had an effect becomes due again. After `expiresAt`, in milliseconds since
     * the epoch, a request is not sent unless it may have been sent before. One that is written after
     * it fails with `RequestNotSent`.
     */
    readonly enqueue: <K extends RequestKind>(
      kind: K,
      input: RequestInput<K>,
      options?: { readonly expiresAt?: number | undefined }
    ) => Effect.Effect<{ readonly requestId: string }, EnqueueError>
    /**
     * Settles a request as not sent if its first byte cannot have left, and returns whether it did.
     */
    readonly cancel: (requestId: string) => Effect.Effect<boolean, StoreUnavailable>
    /** Returns the row of a request. Its texts are sealed. */
    readonly get: (requestId: string) => Effect.Effect<RequestRow | undefined, StoreUnavailable>
    /** Lists parked requests behind `after`, oldest first. */
    readonly parked: (
      page: Parameters<RequestStore["Service"]["parked"]>[0]
    ) => Effect.Effect<ReadonlyArray<ParkedRequest>, StoreUnavailable>
    /**
     * Makes a parked request due again, and returns whether it did. With `hadNoEffect` a person
     * states that the request had no effect: required after `Profile.requestIdWindow`, and for a
     * request whose transaction was found to belong to another request. With `parkedAt`, the `parked.at` that
     * the person saw, nothing is done if the request was sent or found since.
     */
    readonly redrive: (
      requestId: string,
      options?: {
        readonly hadNoEffect?: boolean | undefined
        readonly parkedAt?: number | undefined
      }
    ) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("@pawl/webhook/Requests") {}

/**
 * The errors of `send`. If the store is unavailable the request may be written, so `send` fails
 * with `OutcomeUnknown`: call again with its requestId.
 *
 * @category errors
 * @since 0.1.0
 */
export type SendError<K extends RequestKind = RequestKind> =
  | RequestError<K>
  | InvalidCallbackUrl
  | RequestConflict
  | RequestNotSent
  | RequestParked
  | ResponseLost

/**
 * The errors of `enqueue`.
 *
 * @category errors
 * @since 0.1.0
 */
export type EnqueueError =
  | CardDataRefused
  | InvalidCallbackUrl
  | RequestConflict
  | RequestNotSent
  | RequestParked
  | StoreUnavailable
  | ValidationFailed

/**
 * The options of the service.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The callback URL of requests without their own. Both get a signed token. */
  readonly callbackUrl?: string | undefined
  /**
   * Returns the input of a request with card data, to send it again after a crash, within 20
   * seconds. A failure is retried. Without `rebuild` such a request is parked.
   */
  readonly rebuild?: Process.InputOf | undefined
}

/**
 * Layer that makes requests and sends due ones until its scope ends; running ones then have 15
 * seconds. It fails if the store belongs to another merchant key or base URL than that of
 * `RequestSender`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options?: Options
): Layer.Layer<Requests, Owner.StoreUnusable, CallbackUrl | RequestSender | RequestStore | Seal> =>
  Layer.effect(Requests, make(options))

/** The requestId of a call. */
class CallId extends Context.Service<CallId, ReturnType<typeof RequestId.ofInput>>()(
  "@pawl/webhook/Requests/CallId"
) {}

/** Runs once a call; the function of `Effect.fn` runs once a run of the effect. */
const withCallId = <A, E>(
  call: Effect.Effect<A, E, CallId>,
  _: RequestKind,
  input: RequestInput<RequestKind>
): Effect.Effect<A, E> => Effect.provideService(call, CallId, RequestId.ofInput(input))

const make = Effect.fnUntraced(function* (options: Options = {}) {
  const sealFor = yield* Seal
  const store = yield* RequestStore
  const sender = yield* RequestSender
  const callbackUrl = yield* CallbackUrl
  const { account } = sender
  yield* Owner.take(store, account)
  const seal: Seal["Service"] = {
    ...sealFor,
    seal: (part, text) => sealFor.seal({ ...part, account }, text),
    open: (part, sealed) => sealFor.open({ ...part, account }, sealed)
  }
  const { requestIdWindow, status422 } = yield* Profile
  const window = Duration.toMillis(requestIdWindow)

  const encode = Effect.fnUntraced(function* <K extends RequestKind>(
    kind: K,
    input: RequestInput<K>,
    callId: CallId["Service"] = RequestId.ofInput(input)
  ) {
    const requestId = yield* callId
    const url = ("callbackUrl" in input ? input.callbackUrl : undefined) ?? options.callbackUrl
    const encodeWith = (callbackUrl: string | undefined) =>
      sender.encode(kind, {
        ...input,
        requestId,
        ...(callbackUrl !== undefined && { callbackUrl })
      })
    // `encode` names a field of another type.
    const signedUrl =
      typeof url !== "string"
        ? undefined
        : yield* callbackUrl
            .make(url, Order.operationOf(kind, input), { ...Order.fieldsOf(input), requestId })
            .pipe(
              // A field that is too long for the token is named, if it is too long for the request.
              Effect.tapErrorTag("InvalidCallbackUrl", () => encodeWith("https://shop.example"))
            )
    return yield* encodeWith(signedUrl)
  })

  const newRequest = Effect.fnUntraced(function* (
    { body, kind, requestId }: EncodedRequest,
    expiresAt?: number
  ): Effect.fn.Return<NewRequest> {
    const json = CanonicalBody.read(body)
    const hasCardData = CardData.isIn(kind, json)
    const digest = seal.digest(kind, body)
    const sealed = hasCardData
      ? undefined
      : yield* seal.seal({ requestId, kind, part: "body" }, body)
    const ordered = orderedOf(Order.fieldsOf(json))
    return { requestId, kind, digest, hasCardData, ordered, body: sealed, expiresAt }
  })

  const { rebuild } = options
  const tools: Process.Tools = {
    store,
    sender,
    seal,
    window,
    status422,
    rebuild:
      rebuild &&
      ((requestId, kind) =>
        Effect.flatMap(rebuild(requestId, kind), (input) => encode(kind, { ...input, requestId })))
  }

  const send = Effect.fn("Requests.send")(function* <K extends RequestKind>(
    kind: K,
    input: RequestInput<K>,
    limits?: SendLimits
  ): Effect.fn.Return<RequestResponse<K>, SendError<K>, CallId> {
    if (yield* store.isInTransaction) {
      return yield* Effect.die(
        new Error("A request cannot be sent inside a transaction of the database: enqueue it")
      )
    }
    const request = yield* encode(kind, input, yield* CallId)
    const sent = Sending.run(tools, request, yield* newRequest(request), limits)
    return yield* sent as Effect.Effect<RequestResponse<K>, SendError<K>>
  }, withCallId)

  const enqueue = Effect.fn("Requests.enqueue")(function* <K extends RequestKind>(
    kind: K,
    input: RequestInput<K>,
    { expiresAt }: { readonly expiresAt?: number | undefined } = {}
  ): Effect.fn.Return<{ readonly requestId: string }, EnqueueError, CallId> {
    if (expiresAt !== undefined && !Number.isSafeInteger(expiresAt)) {
      const fault = { path: "expiresAt", message: "give whole milliseconds since the epoch" }
      return yield* new ValidationFailed({ sent: false, fields: [fault] })
    }
    const request = yield* encode(kind, input, yield* CallId)
    const { requestId } = request
    const written = yield* newRequest(request, expiresAt)
    if (written.hasCardData) return yield* new CardDataRefused({ requestId })
    const at = yield* Lease.timeOf(store)
    const { row } = yield* Sending.write(store, written, { at })
    const match = row.kind === kind ? seal.compare(row.digest, kind, request.body) : "different"
    if (match === "different") return yield* new RequestConflict({ requestId })
    const isReadable = match === "same" && row.parked?.reason !== "unreadable"
    const isAgain = row.outcome !== undefined || !isReadable
    const again = isAgain ? yield* store.restart(written, { at }) : undefined
    if (match === "no-key" && again === undefined) {
      return yield* new RequestParked({ requestId, reason: "no-key" })
    }
    const current = again ?? row
    const { outcome, parked } = current
    if (parked !== undefined) return yield* new RequestParked({ requestId, reason: parked.reason })
    if (outcome?._tag === "Refused") return yield* Sending.refusalOf(seal, row, outcome.text)
    if (outcome?._tag === "NotSent" && outcome.reason !== "no-effect") {
      return yield* new RequestNotSent({ requestId, reason: outcome.reason })
    }
    // One that expired later may be leased, and begin with an earlier time.
    if (outcome === undefined && RequestRule.isExpired(current, current.retryFrom, window)) {
      return yield* new RequestNotSent({ requestId, reason: "expired" })
    }
    return { requestId }
  }, withCallId)

  yield* Process.start(tools)
  return Requests.of({
    send,
    enqueue,
    cancel: (requestId) => Effect.flatMap(Lease.timeOf(store), (at) => store.cancel(requestId, at)),
    get: store.get,
    parked: store.parked,
    redrive: Effect.fn("Requests.redrive")(function* (requestId, { hadNoEffect, parkedAt } = {}) {
      const row = yield* store.get(requestId)
      const canSend = row?.hasCardData !== true || rebuild !== undefined
      const at = yield* Lease.timeOf(store)
      return yield* store.redrive(requestId, {
        at,
        parkedAt,
        window,
        // A text such as "false" would send a payment again.
        hadNoEffect: hadNoEffect === true,
        canSend
      })
    })
  })
})
