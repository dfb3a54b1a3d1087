/**
 * The endpoints of the service: method, path, request and response of each. Those of subscriptions are in
 * `SubscriptionEndpoint`.
 *
 * **Details**
 *
 * Paths start at the root of the host (`spec.md`, "Endpoints"); a base URL ends in `/api`. The endpoints are
 * plain records, so that a bundle of the client has no part of `HttpApi`. `Api` makes the contract of them and
 * adds the error responses, which are the same for every endpoint.
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
import * as Schema from "effect/Schema"
import { PathId } from "./PathId.ts"

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
export const authenticate = {
  identifier: "authenticate",
  method: "POST",
  path: "/api/v1/auth",
  payload: Credentials,
  success: Schema.Json
} as const

/** Schema for the path of every endpoint that reads a transaction. */
const ById = Schema.Struct({ id: PathId })

/**
 * Starts a payment by an alternative payment method.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createApmPayment = {
  identifier: "createApmPayment",
  method: "POST",
  path: "/api/v1/payments/apm",
  payload: ApmPaymentRequest,
  success: ApmPaymentResponse,
  checksum: "always"
} as const

/**
 * Reads the status of an APM payment. The response is a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readApmPaymentStatus = {
  identifier: "readApmPaymentStatus",
  method: "GET",
  path: "/api/v1/payments/apm/status/:id",
  params: ById,
  success: OpenStatus
} as const

/**
 * Sends funds by an alternative payment method.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createApmPayout = {
  identifier: "createApmPayout",
  method: "POST",
  path: "/api/v1/payouts/apm",
  payload: ApmPayoutRequest,
  success: ApmPayoutResponse,
  checksum: "payout"
} as const

/**
 * Reads all fields of an APM payout.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readApmPayout = {
  identifier: "readApmPayout",
  method: "GET",
  path: "/api/v1/payouts/apm/info/:id",
  params: ById,
  success: ApmPayoutInfo
} as const

/**
 * Reads the status of an APM payout. The response is a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readApmPayoutStatus = {
  identifier: "readApmPayoutStatus",
  method: "GET",
  path: "/api/v1/payouts/apm/status/:id",
  params: ById,
  success: OpenStatus
} as const

/**
 * Starts a card payment. The specification does not show its fields.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createCardPayment = {
  identifier: "createCardPayment",
  method: "POST",
  path: "/api/v1/payments/card",
  payload: CardPaymentRequest,
  success: CardPaymentResponse
} as const

/**
 * Exchanges a card for a token for charges and subscriptions.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const tokenizeCard = {
  identifier: "tokenizeCard",
  method: "POST",
  path: "/api/v1/payments/card/tokenize",
  payload: TokenizeRequest,
  success: TokenizeResponse
} as const

/**
 * Starts a payment with a card token. The specification does not show its fields.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const chargeCard = {
  identifier: "chargeCard",
  method: "POST",
  path: "/api/v1/payments/card/charge",
  payload: CardPaymentRequest,
  success: CardPaymentResponse
} as const

/**
 * Reads the status of a card payment. The response is a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readCardPaymentStatus = {
  identifier: "readCardPaymentStatus",
  method: "GET",
  path: "/api/v1/payments/card/status/:id",
  params: ById,
  success: OpenStatus
} as const

/**
 * Sends funds to a card.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createCardPayout = {
  identifier: "createCardPayout",
  method: "POST",
  path: "/api/v1/payouts/card",
  payload: CardPayoutRequest,
  success: CardPayoutResponse
} as const

/**
 * Reads all fields of a card payout.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readCardPayout = {
  identifier: "readCardPayout",
  method: "GET",
  path: "/api/v1/payouts/card/info/:id",
  params: ById,
  success: CardPayoutInfo
} as const

/**
 * Reads the status of a card payout. The response is a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readCardPayoutStatus = {
  identifier: "readCardPayoutStatus",
  method: "GET",
  path: "/api/v1/payouts/card/status/:id",
  params: ById,
  success: OpenStatus
} as const

/**
 * Refunds a successful card payment, in full or in part.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createRefund = {
  identifier: "createRefund",
  method: "POST",
  path: "/api/v1/refunds/card",
  payload: RefundRequest,
  success: RefundResponse
} as const

/**
 * Reads all fields of a refund.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readRefund = {
  identifier: "readRefund",
  method: "GET",
  path: "/api/v1/refunds/card/info/:id",
  params: ById,
  success: RefundInfo
} as const

/**
 * Reads the status of a refund. The response is a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readRefundStatus = {
  identifier: "readRefundStatus",
  method: "GET",
  path: "/api/v1/refunds/card/status/:id",
  params: ById,
  success: OpenStatus
} as const

/**
 * Creates a payment intent: a hosted page where a customer pays or receives a payout.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createPaymentIntent = {
  identifier: "createPaymentIntent",
  method: "POST",
  path: "/api/v1/payments/intent",
  payload: PaymentIntentRequest,
  success: PaymentIntentResponse
} as const
