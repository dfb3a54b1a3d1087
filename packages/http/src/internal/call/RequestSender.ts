/**
 * Encodes creates and sends their bytes, apart from each other.
 *
 * **Details**
 *
 * The port `RequestSender` is in `@pawl/core/RequestSender`. A request is encoded as the methods of the services
 * encode it, and sent with the access token, the retries and the doubts of every other create of the client.
 *
 * **Example** (The bytes are stored before they are sent)
 *
 * ```ts
 * import { type EncodedRequest, RequestSender } from "@pawl/core/RequestSender"
 * import * as Pawl from "@pawl/http/Pawl"
 * import * as Sender from "@pawl/http/internal/call/RequestSender"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * export const pay = Effect.fn("pay")(function* (
 *   store: (request: EncodedRequest) => Effect.Effect<void>
 * ) {
 *   const sender = yield* RequestSender
 *   const request = yield* sender.encode("apm-payment", {
 *     accountId: "1001",
 *     apmPayload: { paymentMethod: "EWALLET" },
 *     amount: "10.50",
 *     currency: "EUR"
 *   })
 *   yield* store(request)
 *   return yield* sender.send(request)
 * })
 *
 * export const layer = Layer.provideMerge(Sender.layer, Pawl.layerConfig)
 * ```
 *
 * @since 0.1.0
 */
import * as RequestId from "@pawl/core/RequestId"
import {
  type RequestError,
  type RequestKind,
  type RequestResponse,
  RequestSender,
  type SendOptions
} from "@pawl/core/RequestSender"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Caller } from "./Caller.ts"
import * as Endpoint from "../wire/Endpoint.ts"
import { failDeclined } from "./Decline.ts"
import { withExactId } from "./ExactId.ts"
import type * as Operation from "../wire/Operation.ts"
import { failRejected } from "./Rejection.ts"
import { traced } from "./Methods.ts"
import { createSubscription } from "../wire/SubscriptionEndpoint.ts"
import type * as Transport from "../../Transport.ts"

/**
 * Layer that encodes as the services of a client do, and sends by its `Caller`. `Pawl.layer` provides one.
 *
 * **Gotchas**
 *
 * The checksum of a stored request stays as it is. After a change of the merchant secret the service may refuse a
 * request that was encoded before.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<RequestSender, never, Caller> = Layer.effect(
  RequestSender,
  Effect.map(Caller, (caller) => {
    const creates = make(caller)
    return RequestSender.of({
      encode: traced("RequestSender.encode")(
        Effect.fnUntraced(function* <K extends RequestKind>(
          kind: K,
          input: { readonly requestId?: string }
        ) {
          const requestId = yield* RequestId.ofInput(input)
          const fields = { ...input, requestId }
          const payload = kind === "refund" ? withExactId(fields) : fields
          const { body = "" } = yield* creates[kind].toRequest({ payload })
          return { kind, requestId, body }
        })
      ),
      send: traced("RequestSender.send")((request, options) =>
        creates[request.kind].send(request, options)
      ),
      encodeOutcome: (_, outcome) => {
        const {
          response,
          serviceRequestId = "",
          status = 200
        } = Result.match(outcome, {
          onSuccess: (response): Outcome => ({ response }),
          onFailure: (refusal): Outcome =>
            refusal._tag === "Declined"
              ? refusal
              : { ...refusal, response: { errorCode: refusal.errorCode } }
        })
        return `${status} ${serviceRequestId}\n${JSON.stringify(toWire(response))}`
      },
      decodeOutcome: ({ kind, requestId }, text) => {
        const [, status = "", serviceRequestId = "", body = ""] =
          /^([0-9]{3}) ([^\n]*)\n(.*)$/su.exec(text) ?? []
        return creates[kind].decode(requestId, {
          status: Number(status),
          headers: serviceRequestId === "" ? {} : { "x-request-id": serviceRequestId },
          body: new TextEncoder().encode(body)
        })
      }
    })
  })
)

/** The parts of an outcome that are stored. */
interface Outcome {
  readonly response: object
  readonly status?: number
  readonly serviceRequestId?: string
}

/** The steps of one kind of create. */
interface Create<K extends RequestKind> {
  readonly toRequest: Operation.Operation<unknown>["toRequest"]
  readonly send: (
    request: { readonly requestId: string; readonly body: string },
    options: SendOptions | undefined
  ) => Effect.Effect<RequestResponse<K>, RequestError<K>>
  readonly decode: (
    requestId: string,
    response: Transport.Response
  ) => Effect.Effect<RequestResponse<K>, RequestError<K>>
}

const make = (caller: Caller["Service"]): { readonly [K in RequestKind]: Create<K> } => {
  /** `toResult` converts a response to the result, or to the error that it means. */
  const create = <Response, A, E>(
    endpoint: Operation.Endpoint<Response>,
    toResult: (requestId: string, response: Response) => Effect.Effect<A, E>
  ) => {
    const { fromResponse, toRequest } = caller.operation(endpoint)
    return {
      toRequest,
      send: (
        { body, requestId }: { readonly requestId: string; readonly body: string },
        options: SendOptions | undefined
      ) =>
        Effect.flatMap(caller.create(endpoint, { requestId }, options, body), (response) =>
          toResult(requestId, response)
        ),
      decode: (requestId: string, response: Transport.Response) =>
        Effect.flatMap(fromResponse(response), (value) => toResult(requestId, value))
    }
  }
  return {
    "apm-payment": create(Endpoint.createApmPayment, failDeclined),
    "apm-payout": create(Endpoint.createApmPayout, failDeclined),
    "card-payment": create(Endpoint.createCardPayment, failDeclined),
    "card-charge": create(Endpoint.chargeCard, failDeclined),
    "card-payout": create(Endpoint.createCardPayout, failDeclined),
    refund: create(Endpoint.createRefund, failDeclined),
    subscription: create(createSubscription, failDeclined),
    "payment-intent": create(Endpoint.createPaymentIntent, failRejected)
  }
}

/** Returns a decoded response as it was on the wire. A response that was read leniently need not fit its schema. */
const toWire = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return Redacted.value(value)
  if (Array.isArray(value)) return value.map(toWire)
  if (typeof value !== "object" || value === null) return value
  const { unknownFields, ...known } = value as { readonly unknownFields?: unknown }
  return {
    ...Object.fromEntries(Object.entries(known).map(([name, each]) => [name, toWire(each)])),
    ...(typeof unknownFields === "object" ? unknownFields : { unknownFields })
  }
}
