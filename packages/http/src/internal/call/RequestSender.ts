/** Encodes creates and sends their bytes: the layer of `@pawl/core/RequestSender`. */
import * as CardData from "@pawl/core/internal/CardData"
import * as RequestId from "@pawl/core/internal/RequestId"
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
import * as Endpoint from "../wire/Endpoint.ts"
import type * as Operation from "../wire/Operation.ts"
import type * as Transport from "../../Transport.ts"
import { Caller, type Decide } from "./Caller.ts"
import { orDeclined, orRejected, placed, traced, withExactId } from "./Methods.ts"

export const layer: Layer.Layer<RequestSender, never, Caller> = Layer.effect(
  RequestSender,
  Effect.map(Caller, (caller) => {
    const creates = make(caller)
    return RequestSender.of({
      account: caller.account,
      encode: placed(<K extends RequestKind>(kind: K, input: { readonly requestId?: string }) =>
        Effect.flatMap(RequestId.ofInput(input), (requestId) => {
          const fields = { ...input, requestId }
          const payload = kind === "refund" ? withExactId(fields) : fields
          return Effect.map(creates[kind].toRequest({ payload }), ({ body = "" }) => ({
            kind,
            requestId,
            body
          }))
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

interface Outcome {
  readonly response: object
  readonly status?: number
  readonly serviceRequestId?: string
}

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
  const create = <Response, A, E>(
    endpoint: Operation.Endpoint<Response>,
    decide: Decide<Response, A, E>
  ) => {
    const { fromResponse, toRequest } = caller.operation(endpoint)
    return {
      toRequest,
      send: (
        { body, requestId }: { readonly requestId: string; readonly body: string },
        options: SendOptions | undefined
      ) => caller.create({ endpoint, decide, payload: { requestId }, body }, options),
      decode: (requestId: string, response: Transport.Response) =>
        Effect.flatMap(fromResponse(response), (value) =>
          Effect.fromResult(decide(requestId, value))
        )
    }
  }
  return {
    "apm-payment": create(Endpoint.createApmPayment, orDeclined),
    "apm-payout": create(Endpoint.createApmPayout, orDeclined),
    "card-payment": create(Endpoint.createCardPayment, orDeclined),
    "card-charge": create(Endpoint.chargeCard, orDeclined),
    "card-payout": create(Endpoint.createCardPayout, orDeclined),
    refund: create(Endpoint.createRefund, orDeclined),
    subscription: create(Endpoint.createSubscription, orDeclined),
    "payment-intent": create(Endpoint.createPaymentIntent, orRejected)
  }
}

/** Returns a decoded response as it was on the wire, without card data. */
const toWire = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return Redacted.value(value)
  if (Array.isArray(value)) return value.map(toWire)
  if (typeof value !== "object" || value === null) return value
  const { unknownFields, ...known } = value as { readonly unknownFields?: unknown }
  return {
    ...Object.fromEntries(Object.entries(known).map(([name, each]) => [name, toWire(each)])),
    // A service may repeat the card of the request, which must never be stored.
    ...(typeof unknownFields === "object"
      ? Object(CardData.withoutCard(unknownFields))
      : { unknownFields })
  }
}
