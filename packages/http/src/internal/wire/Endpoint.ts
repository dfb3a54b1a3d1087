/**
 * The endpoints of the service: method, path, request and response of each.
 *
 * **Details**
 *
 * Paths start at the root of the host (`spec.md`, "Endpoints"); a base URL ends in `/api`. The endpoints are
 * plain records, so the client has no part of `HttpApi`. The contract of the sandbox derives from them.
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
import * as Schema from "effect/Schema"

/** An id in a path stays text. As an integer, `007` would become `7`, the id of another transaction. */
const PathId = Schema.toType(TransactionId)

const ById = Schema.Struct({ id: PathId })

const BySubscriptionId = Schema.Struct({ subscriptionId: PathId })

/**
 * Exchanges the credentials for a JWT that is valid for 30 days (`spec.md`, "Authentication"). The specification
 * does not name the response field that contains it.
 */
export const authenticate = {
  identifier: "authenticate",
  method: "POST",
  path: "/api/v1/auth",
  payload: Schema.Struct({
    merchantKey: Schema.String,
    merchantSecret: Schema.RedactedFromValue(Schema.String, { label: "merchantSecret" })
  }),
  success: Schema.Json
} as const

/** Starts a payment by an alternative payment method. */
export const createApmPayment = {
  identifier: "createApmPayment",
  method: "POST",
  path: "/api/v1/payments/apm",
  payload: ApmPaymentRequest,
  success: ApmPaymentResponse,
  checksum: "always"
} as const

/** Reads the status of an APM payment. The response is a bare JSON string, like that of every status. */
export const readApmPaymentStatus = {
  identifier: "readApmPaymentStatus",
  method: "GET",
  path: "/api/v1/payments/apm/status/:id",
  params: ById,
  success: OpenStatus
} as const

/** Sends funds by an alternative payment method. */
export const createApmPayout = {
  identifier: "createApmPayout",
  method: "POST",
  path: "/api/v1/payouts/apm",
  payload: ApmPayoutRequest,
  success: ApmPayoutResponse,
  checksum: "payout"
} as const

/** Reads all fields of an APM payout. */
export const readApmPayout = {
  identifier: "readApmPayout",
  method: "GET",
  path: "/api/v1/payouts/apm/info/:id",
  params: ById,
  success: ApmPayoutInfo
} as const

/** Reads the status of an APM payout. */
export const readApmPayoutStatus = {
  identifier: "readApmPayoutStatus",
  method: "GET",
  path: "/api/v1/payouts/apm/status/:id",
  params: ById,
  success: OpenStatus
} as const

/** Starts a card payment. The specification does not show its fields. */
export const createCardPayment = {
  identifier: "createCardPayment",
  method: "POST",
  path: "/api/v1/payments/card",
  payload: CardPaymentRequest,
  success: CardPaymentResponse
} as const

/** Exchanges a card for a token for charges and subscriptions. */
export const tokenizeCard = {
  identifier: "tokenizeCard",
  method: "POST",
  path: "/api/v1/payments/card/tokenize",
  payload: TokenizeRequest,
  success: TokenizeResponse
} as const

/** Starts a payment with a card token. The specification does not show its fields. */
export const chargeCard = {
  identifier: "chargeCard",
  method: "POST",
  path: "/api/v1/payments/card/charge",
  payload: CardPaymentRequest,
  success: CardPaymentResponse
} as const

/** Reads the status of a card payment. */
export const readCardPaymentStatus = {
  identifier: "readCardPaymentStatus",
  method: "GET",
  path: "/api/v1/payments/card/status/:id",
  params: ById,
  success: OpenStatus
} as const

/** Sends funds to a card. */
export const createCardPayout = {
  identifier: "createCardPayout",
  method: "POST",
  path: "/api/v1/payouts/card",
  payload: CardPayoutRequest,
  success: CardPayoutResponse
} as const

/** Reads all fields of a card payout. */
export const readCardPayout = {
  identifier: "readCardPayout",
  method: "GET",
  path: "/api/v1/payouts/card/info/:id",
  params: ById,
  success: CardPayoutInfo
} as const

/** Reads the status of a card payout. */
export const readCardPayoutStatus = {
  identifier: "readCardPayoutStatus",
  method: "GET",
  path: "/api/v1/payouts/card/status/:id",
  params: ById,
  success: OpenStatus
} as const

/** Refunds a successful card payment, in full or in part. */
export const createRefund = {
  identifier: "createRefund",
  method: "POST",
  path: "/api/v1/refunds/card",
  payload: RefundRequest,
  success: RefundResponse
} as const

/** Reads all fields of a refund. */
export const readRefund = {
  identifier: "readRefund",
  method: "GET",
  path: "/api/v1/refunds/card/info/:id",
  params: ById,
  success: RefundInfo
} as const

/** Reads the status of a refund. */
export const readRefundStatus = {
  identifier: "readRefundStatus",
  method: "GET",
  path: "/api/v1/refunds/card/status/:id",
  params: ById,
  success: OpenStatus
} as const

/** Creates a payment intent: a hosted page where a customer pays or receives a payout. */
export const createPaymentIntent = {
  identifier: "createPaymentIntent",
  method: "POST",
  path: "/api/v1/payments/intent",
  payload: PaymentIntentRequest,
  success: PaymentIntentResponse
} as const

/** Creates a subscription with a card token. */
export const createSubscription = {
  identifier: "createSubscription",
  method: "POST",
  path: "/api/v1/payments/card/recurring",
  payload: SubscriptionRequest,
  success: SubscriptionResponse
} as const

/** Reads a subscription. */
export const readSubscription = {
  identifier: "readSubscription",
  method: "GET",
  path: "/api/v1/payments/card/recurring/:subscriptionId",
  params: BySubscriptionId,
  success: Subscription
} as const

/** Changes the fields of a subscription that are in the body. */
export const updateSubscription = {
  identifier: "updateSubscription",
  method: "PUT",
  path: "/api/v1/payments/card/recurring/:subscriptionId",
  params: BySubscriptionId,
  payload: SubscriptionUpdate,
  success: Subscription
} as const

/** Cancels a subscription at once. The response is 204 without a body. */
export const cancelSubscription = {
  identifier: "cancelSubscription",
  method: "DELETE",
  path: "/api/v1/payments/card/recurring/:subscriptionId",
  params: BySubscriptionId
} as const
