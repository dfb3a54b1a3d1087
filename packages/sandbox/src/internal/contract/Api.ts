/** The contract as an `HttpApi`. `openapi.json` and the API documentation derive from it. */
import { ApmCallback, CardCallback } from "@pawl/core/internal/CallbackBody"
import { openStruct } from "@pawl/core/internal/OpenStruct"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Endpoint from "@pawl/http/internal/wire/Endpoint"
import { unauthorized } from "./ErrorBody.ts"
import { make as endpoint } from "./HttpEndpoint.ts"
import { asPublished } from "./OpenApiDocument.ts"

export class Bearer extends HttpApiMiddleware.Service<Bearer>()(
  "@pawl/sandbox/internal/contract/Api/Bearer",
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: unauthorized
  }
) {}

/** The specification names no field; the client finds others too. */
export const AuthResponse = openStruct("AuthResponse", { accessToken: Schema.String })

export class Authentication extends HttpApiGroup.make("authentication")
  .add(
    endpoint(
      { ...Endpoint.authenticate, success: AuthResponse },
      "Exchanges the credentials for an access token"
    )
  )
  .annotate(OpenApi.Description, "The endpoint that requires no access token") {}

export class ApmPayments extends HttpApiGroup.make("apmPayments")
  .add(
    endpoint(Endpoint.createApmPayment, "Starts a payment by an alternative payment method"),
    endpoint(Endpoint.readApmPaymentStatus, "Reads the status of an APM payment")
  )
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Payments by alternative payment methods") {}

export class ApmPayouts extends HttpApiGroup.make("apmPayouts")
  .add(
    endpoint(Endpoint.createApmPayout, "Sends funds by an alternative payment method"),
    endpoint(Endpoint.readApmPayout, "Reads all fields of an APM payout"),
    endpoint(Endpoint.readApmPayoutStatus, "Reads the status of an APM payout")
  )
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Payouts by alternative payment methods") {}

export class CardPayments extends HttpApiGroup.make("cardPayments")
  .add(
    endpoint(Endpoint.createCardPayment, "Starts a card payment"),
    endpoint(Endpoint.tokenizeCard, "Exchanges a card for a token for charges and subscriptions"),
    endpoint(Endpoint.chargeCard, "Starts a payment with a card token"),
    endpoint(Endpoint.readCardPaymentStatus, "Reads the status of a card payment")
  )
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Payments by card") {}

export class CardPayouts extends HttpApiGroup.make("cardPayouts")
  .add(
    endpoint(Endpoint.createCardPayout, "Sends funds to a card"),
    endpoint(Endpoint.readCardPayout, "Reads all fields of a card payout"),
    endpoint(Endpoint.readCardPayoutStatus, "Reads the status of a card payout")
  )
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Payouts to cards") {}

export class Refunds extends HttpApiGroup.make("refunds")
  .add(
    endpoint(Endpoint.createRefund, "Refunds a successful card payment, in full or in part"),
    endpoint(Endpoint.readRefund, "Reads all fields of a refund"),
    endpoint(Endpoint.readRefundStatus, "Reads the status of a refund")
  )
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Refunds of card payments") {}

export class PaymentIntents extends HttpApiGroup.make("paymentIntents")
  .add(endpoint(Endpoint.createPaymentIntent, "Creates a payment intent, a hosted page"))
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Payment intents: hosted pages") {}

export class Subscriptions extends HttpApiGroup.make("subscriptions")
  .add(
    endpoint(Endpoint.createSubscription, "Creates a subscription with a card token"),
    endpoint(Endpoint.readSubscription, "Reads a subscription"),
    endpoint(
      Endpoint.updateSubscription,
      "Changes the fields of a subscription that are in the body"
    ),
    endpoint(Endpoint.cancelSubscription, "Cancels a subscription at once")
  )
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Recurring payments with a card token") {}

export class Api extends HttpApi.make("payments")
  .add(
    Authentication,
    ApmPayments,
    ApmPayouts,
    CardPayments,
    CardPayouts,
    Refunds,
    PaymentIntents,
    Subscriptions
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Payments Service",
      version: "1",
      description:
        "Card and APM payments, payouts, refunds, subscriptions and hosted pages. Paths are written from the host root; a base URL ends in /api.",
      license: { name: "MIT", identifier: "MIT" },
      servers: [{ url: "/", description: "The host of the base URL" }],
      transform: asPublished
    })
  )
  .annotate(HttpApi.AdditionalSchemas, [CardCallback, ApmCallback]) {}
