/**
 * The endpoints of the service (`spec.md`, "Endpoints"): plain records, so that the client has no part of
 * `HttpApi`. The contract of the sandbox derives from them.
 */
import { ApmPaymentResponse } from "@pawl/core/ApmPayment"
import { ApmPayoutInfo, ApmPayoutResponse } from "@pawl/core/ApmPayout"
import { CardPaymentResponse, TokenizeResponse } from "@pawl/core/CardPayment"
import { CardPayoutInfo, CardPayoutResponse } from "@pawl/core/CardPayout"
import {
  ApmPaymentRequest,
  ApmPayoutRequest,
  CardPaymentRequest,
  CardPayoutRequest,
  PaymentIntentRequest,
  RefundRequest,
  SubscriptionRequest,
  SubscriptionUpdate,
  TokenizeRequest
} from "@pawl/core/internal/RequestBodies"
import { PaymentIntentResponse } from "@pawl/core/PaymentIntent"
import { RefundInfo, RefundResponse } from "@pawl/core/Refund"
import { Subscription, SubscriptionResponse } from "@pawl/core/Subscription"
import { OpenStatus, TransactionId } from "@pawl/core/Transaction"
import * as Schema from "effect/Schema"

/**
 * As an integer `007` would become `7`, another transaction. `.` and `..` would name another path, also
 * percent-encoded.
 */
const PathId = Schema.toType(TransactionId).check(
  Schema.makeFilter((id) => !/^\.{1,2}$/u.test(id) || "Expected another text than . and ..")
)

const ById = Schema.Struct({ id: PathId })

const BySubscriptionId = Schema.Struct({ subscriptionId: PathId })

const read = <const Name extends string, const Path extends string, Success extends Schema.Top>(
  identifier: Name,
  path: Path,
  success: Success
) => ({ identifier, method: "GET", path, params: ById, success }) as const

/** The response is a bare JSON string. */
const status = <const Name extends string, const Path extends string>(name: Name, path: Path) =>
  read(name, `${path}/status/:id` as const, OpenStatus)

const create = <
  const Name extends string,
  const Path extends string,
  Payload extends Schema.Top,
  Success extends Schema.Top
>(
  identifier: Name,
  path: Path,
  payload: Payload,
  success: Success
) => ({ identifier, method: "POST", path, payload, success }) as const

/** Exchanges the credentials for a JWT of 30 days (`spec.md`, "Authentication"). */
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

export const createApmPayment = {
  ...create("createApmPayment", "/api/v1/payments/apm", ApmPaymentRequest, ApmPaymentResponse),
  checksum: "always"
} as const

export const readApmPaymentStatus = status("readApmPaymentStatus", "/api/v1/payments/apm")

export const createApmPayout = {
  ...create("createApmPayout", "/api/v1/payouts/apm", ApmPayoutRequest, ApmPayoutResponse),
  checksum: "payout"
} as const

export const readApmPayout = read("readApmPayout", "/api/v1/payouts/apm/info/:id", ApmPayoutInfo)

export const readApmPayoutStatus = status("readApmPayoutStatus", "/api/v1/payouts/apm")

export const createCardPayment = create(
  "createCardPayment",
  "/api/v1/payments/card",
  CardPaymentRequest,
  CardPaymentResponse
)

export const tokenizeCard = create(
  "tokenizeCard",
  "/api/v1/payments/card/tokenize",
  TokenizeRequest,
  TokenizeResponse
)

export const chargeCard = create(
  "chargeCard",
  "/api/v1/payments/card/charge",
  CardPaymentRequest,
  CardPaymentResponse
)

export const readCardPaymentStatus = status("readCardPaymentStatus", "/api/v1/payments/card")

export const createCardPayout = create(
  "createCardPayout",
  "/api/v1/payouts/card",
  CardPayoutRequest,
  CardPayoutResponse
)

export const readCardPayout = read(
  "readCardPayout",
  "/api/v1/payouts/card/info/:id",
  CardPayoutInfo
)

export const readCardPayoutStatus = status("readCardPayoutStatus", "/api/v1/payouts/card")

export const createRefund = create(
  "createRefund",
  "/api/v1/refunds/card",
  RefundRequest,
  RefundResponse
)

export const readRefund = read("readRefund", "/api/v1/refunds/card/info/:id", RefundInfo)

export const readRefundStatus = status("readRefundStatus", "/api/v1/refunds/card")

export const createPaymentIntent = create(
  "createPaymentIntent",
  "/api/v1/payments/intent",
  PaymentIntentRequest,
  PaymentIntentResponse
)

export const createSubscription = create(
  "createSubscription",
  "/api/v1/payments/card/recurring",
  SubscriptionRequest,
  SubscriptionResponse
)

export const readSubscription = {
  identifier: "readSubscription",
  method: "GET",
  path: "/api/v1/payments/card/recurring/:subscriptionId",
  params: BySubscriptionId,
  success: Subscription
} as const

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
