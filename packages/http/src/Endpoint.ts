/**
 * The endpoints of the service: path, request, response and errors of each. Those of subscriptions are in
 * `SubscriptionEndpoint`.
 *
 * **Details**
 *
 * Paths start at the root of the host (`spec.md`, "Endpoints"); a base URL ends in `/api`. Every endpoint
 * declares 400, 401, 404 and 500. The specification does not show the shape of an error body (`spec.md`,
 * "Errors"): the gateway of the testkit sends the declared one, and the client reads other shapes too.
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
import { OpenStatus } from "@pawl/core/Transaction"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./internal/ErrorBody.ts"
import { PathId } from "./internal/PathId.ts"

/**
 * Schema for the credentials that are exchanged for an access token.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Credentials = Schema.Struct({
  merchantKey: Schema.String,
  merchantSecret: Schema.RedactedFromValue(Schema.String, { label: "merchantSecret" })
})

/**
 * `POST /api/v1/auth`: exchanges the credentials for a JWT that is valid for 30 days (`spec.md`,
 * "Authentication"). The specification does not name the response field that contains it.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const authenticate = HttpApiEndpoint.post("authenticate", "/api/v1/auth", {
  payload: Credentials,
  success: Schema.Json,
  error: errors
}).annotate(OpenApi.Summary, "Exchanges the credentials for an access token")

/** The schemas of every status endpoint. */
const readStatus = { params: { id: PathId }, success: OpenStatus, error: errors }

/**
 * Starts a payment by an alternative payment method.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createApmPayment = HttpApiEndpoint.post("createApmPayment", "/api/v1/payments/apm", {
  payload: ApmPaymentRequest,
  success: ApmPaymentResponse,
  error: errors
}).annotate(OpenApi.Summary, "Starts a payment by an alternative payment method")

/**
 * Reads the status of an APM payment. The response is a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readApmPaymentStatus = HttpApiEndpoint.get(
  "readApmPaymentStatus",
  "/api/v1/payments/apm/status/:id",
  readStatus
).annotate(OpenApi.Summary, "Reads the status of an APM payment")

/**
 * Sends funds by an alternative payment method.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createApmPayout = HttpApiEndpoint.post("createApmPayout", "/api/v1/payouts/apm", {
  payload: ApmPayoutRequest,
  success: ApmPayoutResponse,
  error: errors
}).annotate(OpenApi.Summary, "Sends funds by an alternative payment method")

/**
 * Reads all fields of an APM payout.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readApmPayout = HttpApiEndpoint.get("readApmPayout", "/api/v1/payouts/apm/info/:id", {
  params: { id: PathId },
  success: ApmPayoutInfo,
  error: errors
}).annotate(OpenApi.Summary, "Reads all fields of an APM payout")

/**
 * Reads the status of an APM payout. The response is a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readApmPayoutStatus = HttpApiEndpoint.get(
  "readApmPayoutStatus",
  "/api/v1/payouts/apm/status/:id",
  readStatus
).annotate(OpenApi.Summary, "Reads the status of an APM payout")

/**
 * Starts a card payment. The specification does not show its fields.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createCardPayment = HttpApiEndpoint.post(
  "createCardPayment",
  "/api/v1/payments/card",
  { payload: CardPaymentRequest, success: CardPaymentResponse, error: errors }
).annotate(OpenApi.Summary, "Starts a card payment")

/**
 * Exchanges a card for a token for charges and subscriptions.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const tokenizeCard = HttpApiEndpoint.post("tokenizeCard", "/api/v1/payments/card/tokenize", {
  payload: TokenizeRequest,
  success: TokenizeResponse,
  error: errors
}).annotate(OpenApi.Summary, "Exchanges a card for a token for charges and subscriptions")

/**
 * Starts a payment with a card token. The specification does not show its fields.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const chargeCard = HttpApiEndpoint.post("chargeCard", "/api/v1/payments/card/charge", {
  payload: CardPaymentRequest,
  success: CardPaymentResponse,
  error: errors
}).annotate(OpenApi.Summary, "Starts a payment with a card token")

/**
 * Reads the status of a card payment. The response is a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readCardPaymentStatus = HttpApiEndpoint.get(
  "readCardPaymentStatus",
  "/api/v1/payments/card/status/:id",
  readStatus
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
  error: errors
}).annotate(OpenApi.Summary, "Sends funds to a card")

/**
 * Reads all fields of a card payout.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readCardPayout = HttpApiEndpoint.get(
  "readCardPayout",
  "/api/v1/payouts/card/info/:id",
  { params: { id: PathId }, success: CardPayoutInfo, error: errors }
).annotate(OpenApi.Summary, "Reads all fields of a card payout")

/**
 * Reads the status of a card payout. The response is a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readCardPayoutStatus = HttpApiEndpoint.get(
  "readCardPayoutStatus",
  "/api/v1/payouts/card/status/:id",
  readStatus
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
  error: errors
}).annotate(OpenApi.Summary, "Refunds a successful card payment, in full or in part")

/**
 * Reads all fields of a refund.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readRefund = HttpApiEndpoint.get("readRefund", "/api/v1/refunds/card/info/:id", {
  params: { id: PathId },
  success: RefundInfo,
  error: errors
}).annotate(OpenApi.Summary, "Reads all fields of a refund")

/**
 * Reads the status of a refund. The response is a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readRefundStatus = HttpApiEndpoint.get(
  "readRefundStatus",
  "/api/v1/refunds/card/status/:id",
  readStatus
).annotate(OpenApi.Summary, "Reads the status of a refund")

/**
 * Creates a payment intent: a hosted page where a customer pays or receives a payout.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createPaymentIntent = HttpApiEndpoint.post(
  "createPaymentIntent",
  "/api/v1/payments/intent",
  { payload: PaymentIntentRequest, success: PaymentIntentResponse, error: errors }
).annotate(OpenApi.Summary, "Creates a payment intent, a hosted page")
