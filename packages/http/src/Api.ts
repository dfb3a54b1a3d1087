/**
 * The contract: all endpoints in groups, and the access token that they require. The routes of the gateway and
 * `openapi.json` derive from it.
 *
 * @since 0.1.0
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Endpoint from "./Endpoint.ts"
import * as SubscriptionEndpoint from "./SubscriptionEndpoint.ts"
import { unauthorized } from "./internal/ErrorBody.ts"
import { asSpecified } from "./internal/OpenApiDocument.ts"

/**
 * The bearer token that every endpoint except `/auth` requires.
 *
 * @category security
 * @since 0.1.0
 */
export class Bearer extends HttpApiMiddleware.Service<Bearer>()("@pawl/http/Api/Bearer", {
  security: { bearer: HttpApiSecurity.bearer },
  error: unauthorized
}) {}

/**
 * The endpoint that requires no access token.
 *
 * @category groups
 * @since 0.1.0
 */
export class Authentication extends HttpApiGroup.make("authentication")
  .add(Endpoint.authenticate)
  .annotate(OpenApi.Description, "The endpoint that requires no access token") {}

/**
 * Payments by alternative payment methods.
 *
 * @category groups
 * @since 0.1.0
 */
export class ApmPayments extends HttpApiGroup.make("apmPayments")
  .add(Endpoint.createApmPayment, Endpoint.readApmPaymentStatus)
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Payments by alternative payment methods") {}

/**
 * Payouts by alternative payment methods.
 *
 * @category groups
 * @since 0.1.0
 */
export class ApmPayouts extends HttpApiGroup.make("apmPayouts")
  .add(Endpoint.createApmPayout, Endpoint.readApmPayout, Endpoint.readApmPayoutStatus)
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Payouts by alternative payment methods") {}

/**
 * Payments by card.
 *
 * @category groups
 * @since 0.1.0
 */
export class CardPayments extends HttpApiGroup.make("cardPayments")
  .add(
    Endpoint.createCardPayment,
    Endpoint.tokenizeCard,
    Endpoint.chargeCard,
    Endpoint.readCardPaymentStatus
  )
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Payments by card") {}

/**
 * Payouts to cards.
 *
 * @category groups
 * @since 0.1.0
 */
export class CardPayouts extends HttpApiGroup.make("cardPayouts")
  .add(Endpoint.createCardPayout, Endpoint.readCardPayout, Endpoint.readCardPayoutStatus)
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Payouts to cards") {}

/**
 * Refunds of card payments.
 *
 * @category groups
 * @since 0.1.0
 */
export class Refunds extends HttpApiGroup.make("refunds")
  .add(Endpoint.createRefund, Endpoint.readRefund, Endpoint.readRefundStatus)
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Refunds of card payments") {}

/**
 * Payment intents: hosted pages.
 *
 * @category groups
 * @since 0.1.0
 */
export class PaymentIntents extends HttpApiGroup.make("paymentIntents")
  .add(Endpoint.createPaymentIntent)
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Payment intents: hosted pages") {}

/**
 * Recurring payments with a card token.
 *
 * @category groups
 * @since 0.1.0
 */
export class Subscriptions extends HttpApiGroup.make("subscriptions")
  .add(
    SubscriptionEndpoint.createSubscription,
    SubscriptionEndpoint.readSubscription,
    SubscriptionEndpoint.updateSubscription,
    SubscriptionEndpoint.cancelSubscription
  )
  .middleware(Bearer)
  .annotate(OpenApi.Description, "Recurring payments with a card token") {}

/**
 * The whole contract.
 *
 * @category apis
 * @since 0.1.0
 */
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
      transform: asSpecified
    })
  ) {}
