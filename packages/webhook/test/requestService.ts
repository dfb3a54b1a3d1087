/** Processes each requestId once. */
import type { ApmPaymentResponse } from "@pawl/core/ApmPayment"
import { Declined, NotFound, OutcomeUnknown, Unreachable } from "@pawl/core/PaymentsError"
import { type EncodedRequest, type RequestError, RequestSender } from "@pawl/core/RequestSender"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as CallbackUrl from "../src/CallbackUrl.ts"
import * as Requests from "../src/Requests.ts"
import * as Seal from "../src/Seal.ts"
import { secret } from "@pawl/test-support/Service"

/**
 * The fate of one request.
 *
 * - `answer`: it takes effect and is answered. `decline`: the same, with FAILED.
 * - `lost`: it takes effect, and no response comes. `hang`: the same, and the connection stays open.
 * - `unsent`: it does not leave. `404`: something that does not know the path answers.
 */
export type Fate = "answer" | "decline" | "lost" | "hang" | "unsent" | "404"

export interface Seen {
  readonly requestId: string
  readonly body: string
  readonly inDoubt: boolean
}

/** Makes a service. `fates` are those of the next requests; later ones are answered. */
export const make = (fates: ReadonlyArray<Fate> = []) => {
  const seen: Array<Seen> = []
  const effects = new Map<string, { readonly body: string; readonly response: object }>()
  const next = [...fates]
  let before: Effect.Effect<void> = Effect.void

  const process = ({ body, requestId }: EncodedRequest, isDeclined: boolean): object => {
    const known = effects.get(requestId)
    if (known !== undefined) return known.response
    const response = {
      transactionId: String(100_001 + effects.size),
      transactionStatus: isDeclined ? "FAILED" : "PENDING"
    }
    effects.set(requestId, { body, response })
    return response
  }

  const answer = (response: object): Effect.Effect<object, RequestError> =>
    "transactionStatus" in response && response.transactionStatus === "FAILED"
      ? Effect.fail(declined(response))
      : Effect.succeed(response)

  const send = (request: EncodedRequest, inDoubt: boolean): Effect.Effect<object, RequestError> => {
    const { requestId } = request
    seen.push({ requestId, body: request.body, inDoubt })
    const fate = next.shift() ?? "answer"
    const lost = new Unreachable({ reason: "reset", sent: true, attempts: 1 })
    const inDoubtOr = (error: Unreachable | NotFound) =>
      Effect.fail(inDoubt ? new OutcomeUnknown({ requestId, cause: error }) : error)
    switch (fate) {
      case "answer":
      case "decline":
        return answer(process(request, fate === "decline"))
      case "lost":
        process(request, false)
        return Effect.fail(new OutcomeUnknown({ requestId, cause: lost }))
      case "hang":
        process(request, false)
        return Effect.never
      case "unsent":
        return inDoubtOr(new Unreachable({ reason: "refused", sent: false, attempts: 1 }))
      case "404":
        return inDoubtOr(new NotFound({ status: 404 }))
    }
  }

  const sender = RequestSender.of({
    encode: (kind, input) =>
      Effect.succeed({ kind, requestId: input.requestId ?? "", body: JSON.stringify(input) }),
    send: (request, options) =>
      Effect.suspend(() =>
        Effect.andThen(before, send(request, options?.inDoubt ?? false))
      ) as never,
    encodeOutcome: (_, outcome) => JSON.stringify(Result.getOrElse(outcome, responseOf)),
    decodeOutcome: (_, text) => answer(JSON.parse(text) as object) as never
  })

  return {
    seen,
    effects,
    beforeAnswer: (effect: Effect.Effect<unknown, unknown>) => {
      before = Effect.orDie(Effect.asVoid(effect))
    },
    plan: (...more: ReadonlyArray<Fate>) => next.push(...more),
    sender
  }
}

export const declined = (response: object): RequestError =>
  Object.assign(new Declined({ response, declineCode: 51 }), {
    response: response as ApmPaymentResponse
  })

const responseOf = (refusal: object): object =>
  "response" in refusal && typeof refusal.response === "object" && refusal.response !== null
    ? refusal.response
    : refusal

export const callbackUrl = CallbackUrl.layer(Redacted.make(secret)).pipe(
  Layer.provide(NodeHmac.layer)
)

export const layer = (
  sender: RequestSender["Service"],
  key: string = secret,
  options?: Requests.Options
) =>
  Requests.layer(options).pipe(
    Layer.provide([
      Layer.succeed(RequestSender, sender),
      callbackUrl,
      Layer.provide(Seal.layer({ current: Redacted.make(key) }), NodeHmac.layer)
    ])
  )

export const payment = (requestId: string, amount = "10.00") => ({
  requestId,
  accountId: "4711",
  amount,
  currency: "EUR",
  apmPayload: { paymentMethod: "EWALLET" as const },
  metadata: { note: "keep-this-private" },
  callbackUrl: "https://shop.example/callback"
})
