/**
 * Intents: hosted pages where the customer pays, or is paid.
 *
 * @since 0.1.0
 */
import type { PaymentIntentInput, PaymentIntentResponse } from "@pawl/core/PaymentIntent"
import {
  IntentRejected,
  OutcomeUnknown,
  type ReadError,
  UnexpectedResponse
} from "@pawl/core/PaymentsError"
import * as Context from "effect/Context"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Endpoint from "./Endpoint.ts"
import type { Caller } from "./Caller.ts"
import * as Methods from "./internal/Methods.ts"

/**
 * A hosted page: `redirectUrl` is the full page, `iframeUrl` the one to embed.
 *
 * @category models
 * @since 0.1.0
 */
export type HostedPage = PaymentIntentResponse & { readonly redirectUrl: string }

/**
 * Service that creates intents (`spec.md`, "Payment intents").
 *
 * **Details**
 *
 * `create` makes a requestId when none is given, and succeeds with where to send the customer. An answer
 * with an errorCode is `IntentRejected`. What the customer does on the page is told by callback alone:
 * only there a transactionId appears.
 *
 * @category services
 * @since 0.1.0
 */
export class PaymentIntents extends Context.Service<
  PaymentIntents,
  {
    readonly create: (
      input: PaymentIntentInput
    ) => Effect.Effect<HostedPage, ReadError | IntentRejected | OutcomeUnknown>
  }
>()("@pawl/http/PaymentIntents") {}

/**
 * Layer that provides intents over the calls of the contract.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<PaymentIntents, never, Caller | SecureRandom.SecureRandom> =
  Layer.effect(
    PaymentIntents,
    Effect.map(Methods.make, ({ create }) =>
      PaymentIntents.of({
        create: create("PaymentIntents.create", Endpoint.createPaymentIntent, failRejected)
      })
    )
  )

/** Hands over the page; an answer that is neither a page nor a rejection leaves in doubt what it is. */
const failRejected = (
  requestId: string,
  response: PaymentIntentResponse
): Effect.Effect<HostedPage, IntentRejected | OutcomeUnknown> => {
  const { errorCode, redirectUrl } = response
  if (errorCode) return Effect.fail(new IntentRejected({ requestId, errorCode }))
  if (redirectUrl) return Effect.succeed({ ...response, redirectUrl })
  const cause = new UnexpectedResponse({
    status: 200,
    reason: "it has neither a redirectUrl nor an errorCode"
  })
  return Effect.fail(new OutcomeUnknown({ requestId, cause }))
}
