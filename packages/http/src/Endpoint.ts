/**
 * Every endpoint of the service, once: its path, what it takes, what it answers.
 *
 * **Details**
 *
 * Paths are written as they appear from the host root (`spec.md`, "Endpoints"); a base URL ends in
 * `/api`. Every endpoint declares 400, 401, 404 and 500. The shape of an error body is not
 * documented: `Failure` is what our gateway sends, and clients read it tolerantly.
 *
 * @since 0.1.0
 */
import { ApmPaymentRequest, ApmPaymentResponse } from "@pawl/core/ApmPayment"
import { ApmPayoutInfo, ApmPayoutRequest, ApmPayoutResponse } from "@pawl/core/ApmPayout"
import {
  CardPaymentRequest,
  CardPaymentResponse,
  TokenizeRequest,
  TokenizeResponse
} from "@pawl/core/CardPayment"
import { CardPayoutInfo, CardPayoutRequest, CardPayoutResponse } from "@pawl/core/CardPayout"
import { PaymentIntentRequest, PaymentIntentResponse } from "@pawl/core/PaymentIntent"
import { RefundInfo, RefundRequest, RefundResponse } from "@pawl/core/Refund"
import {
  Subscription,
  SubscriptionRequest,
  SubscriptionResponse,
  SubscriptionUpdate
} from "@pawl/core/Subscription"
import { OpenStatus, TransactionId } from "@pawl/core/Transaction"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

/**
 * Schema for the body of an error answer: what is wrong, and with which fields.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Failure = Schema.Struct({
  message: Schema.String,
  errors: Schema.optionalKey(
    Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))
  )
})

const failure = (status: number, description: string) =>
  Failure.annotate({ identifier: `Failure${status}`, description }).pipe(
    HttpApiSchema.status(status)
  )

/**
 * The answer to a missing, expired or invalid token.
 *
 * @category schemas
 * @since 0.1.0
 */
export const unauthorized = failure(401, "Missing, expired or invalid bearer token")
const failures = [
  failure(400, "Missing or invalid parameters"),
  unauthorized,
  failure(404, "The requested resource does not exist"),
  failure(500, "Unexpected error")
]

/**
 * Schema for the credentials that are exchanged for a token.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Credentials = Schema.Struct({
  merchantKey: Schema.String,
  merchantSecret: Schema.RedactedFromValue(Schema.String, { label: "merchantSecret" })
})

/**
 * `POST /api/v1/auth`: exchanges the credentials for a JWT valid for 30 days. The field that carries
 * it is not documented.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const authenticate = HttpApiEndpoint.post("authenticate", "/api/v1/auth", {
  payload: Credentials,
  success: Schema.Json,
  error: failures
}).annotate(OpenApi.Summary, "Exchanges the credentials for a token")

/** In a path an id is text: read as an integer, `007` would become `7`, another transaction. */
const PathId = Schema.toType(TransactionId)

/**
 * Starts a payment by an alternative method.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createApmPayment = HttpApiEndpoint.post("createApmPayment", "/api/v1/payments/apm", {
  payload: ApmPaymentRequest,
  success: ApmPaymentResponse,
  error: failures
}).annotate(OpenApi.Summary, "Starts a payment by an alternative method")

/**
 * Reads the status of an APM payment: a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readApmPaymentStatus = HttpApiEndpoint.get(
  "readApmPaymentStatus",
  "/api/v1/payments/apm/status/:id",
  { params: { id: PathId }, success: OpenStatus, error: failures }
).annotate(OpenApi.Summary, "Reads the status of an APM payment")

/**
 * Sends funds by an alternative method.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createApmPayout = HttpApiEndpoint.post("createApmPayout", "/api/v1/payouts/apm", {
  payload: ApmPayoutRequest,
  success: ApmPayoutResponse,
  error: failures
}).annotate(OpenApi.Summary, "Sends funds by an alternative method")

/**
 * Reads all there is to know of an APM payout.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readApmPayout = HttpApiEndpoint.get("readApmPayout", "/api/v1/payouts/apm/info/:id", {
  params: { id: PathId },
  success: ApmPayoutInfo,
  error: failures
}).annotate(OpenApi.Summary, "Reads all there is to know of an APM payout")

/**
 * Reads the status of an APM payout: a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readApmPayoutStatus = HttpApiEndpoint.get(
  "readApmPayoutStatus",
  "/api/v1/payouts/apm/status/:id",
  { params: { id: PathId }, success: OpenStatus, error: failures }
).annotate(OpenApi.Summary, "Reads the status of an APM payout")

/**
 * Starts a card payment; its shape is not documented.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createCardPayment = HttpApiEndpoint.post(
  "createCardPayment",
  "/api/v1/payments/card",
  { payload: CardPaymentRequest, success: CardPaymentResponse, error: failures }
).annotate(OpenApi.Summary, "Starts a card payment")

/**
 * Exchanges a card for a token that subscriptions and charges use.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const tokenizeCard = HttpApiEndpoint.post("tokenizeCard", "/api/v1/payments/card/tokenize", {
  payload: TokenizeRequest,
  success: TokenizeResponse,
  error: failures
}).annotate(OpenApi.Summary, "Exchanges a card for a token that subscriptions and charges use")

/**
 * Pays with a card token; its shape is not documented.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const chargeCard = HttpApiEndpoint.post("chargeCard", "/api/v1/payments/card/charge", {
  payload: CardPaymentRequest,
  success: CardPaymentResponse,
  error: failures
}).annotate(OpenApi.Summary, "Pays with a card token")

/**
 * Reads the status of a card payment: a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readCardPaymentStatus = HttpApiEndpoint.get(
  "readCardPaymentStatus",
  "/api/v1/payments/card/status/:id",
  { params: { id: PathId }, success: OpenStatus, error: failures }
).annotate(OpenApi.Summary, "Reads the status of a card payment")

/**
 * Sends funds to a card.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createCardPayout = HttpApiEndpoint.post("createCardPayout", "/api/v1/payouts/card", {
  payload: CardPayoutRequest,
  success: CardPayoutResponse,
  error: failures
}).annotate(OpenApi.Summary, "Sends funds to a card")

/**
 * Reads all there is to know of a card payout.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readCardPayout = HttpApiEndpoint.get(
  "readCardPayout",
  "/api/v1/payouts/card/info/:id",
  { params: { id: PathId }, success: CardPayoutInfo, error: failures }
).annotate(OpenApi.Summary, "Reads all there is to know of a card payout")

/**
 * Reads the status of a card payout: a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readCardPayoutStatus = HttpApiEndpoint.get(
  "readCardPayoutStatus",
  "/api/v1/payouts/card/status/:id",
  { params: { id: PathId }, success: OpenStatus, error: failures }
).annotate(OpenApi.Summary, "Reads the status of a card payout")

/**
 * Refunds a successful card payment, in full or in part.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createRefund = HttpApiEndpoint.post("createRefund", "/api/v1/refunds/card", {
  payload: RefundRequest,
  success: RefundResponse,
  error: failures
}).annotate(OpenApi.Summary, "Refunds a successful card payment, in full or in part")

/**
 * Reads all there is to know of a refund.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readRefund = HttpApiEndpoint.get("readRefund", "/api/v1/refunds/card/info/:id", {
  params: { id: PathId },
  success: RefundInfo,
  error: failures
}).annotate(OpenApi.Summary, "Reads all there is to know of a refund")

/**
 * Reads the status of a refund: a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readRefundStatus = HttpApiEndpoint.get(
  "readRefundStatus",
  "/api/v1/refunds/card/status/:id",
  { params: { id: PathId }, success: OpenStatus, error: failures }
).annotate(OpenApi.Summary, "Reads the status of a refund")

/**
 * Creates an intent: a hosted page where the customer pays, or is paid.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createPaymentIntent = HttpApiEndpoint.post(
  "createPaymentIntent",
  "/api/v1/payments/intent",
  { payload: PaymentIntentRequest, success: PaymentIntentResponse, error: failures }
).annotate(OpenApi.Summary, "Creates an intent")

/**
 * Creates a subscription on a tokenized card.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createSubscription = HttpApiEndpoint.post(
  "createSubscription",
  "/api/v1/payments/card/recurring",
  { payload: SubscriptionRequest, success: SubscriptionResponse, error: failures }
).annotate(OpenApi.Summary, "Creates a subscription on a tokenized card")

/**
 * Reads a subscription.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readSubscription = HttpApiEndpoint.get(
  "readSubscription",
  "/api/v1/payments/card/recurring/:subscriptionId",
  { params: { subscriptionId: PathId }, success: Subscription, error: failures }
).annotate(OpenApi.Summary, "Reads a subscription")

/**
 * Changes a subscription: only what the body names.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const updateSubscription = HttpApiEndpoint.put(
  "updateSubscription",
  "/api/v1/payments/card/recurring/:subscriptionId",
  {
    params: { subscriptionId: PathId },
    payload: SubscriptionUpdate,
    success: Subscription,
    error: failures
  }
).annotate(OpenApi.Summary, "Changes a subscription")

/**
 * Cancels a subscription at once; 204, without a body.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const cancelSubscription = HttpApiEndpoint.delete(
  "cancelSubscription",
  "/api/v1/payments/card/recurring/:subscriptionId",
  { params: { subscriptionId: PathId }, success: HttpApiSchema.NoContent, error: failures }
).annotate(OpenApi.Summary, "Cancels a subscription at once")
