/**
 * A payment by an alternative method: e-wallet, bank transfer, QR code and the like.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Amount, Currency, UnroundedAmount } from "./Amount.ts"
import { ApmBillingDetails } from "./Billing.ts"
import { Device } from "./Device.ts"
import { Order } from "./Order.ts"
import { AccountId, Metadata, OpenStatus, RequestId, TransactionId } from "./Transaction.ts"

const open = Schema.Record(Schema.String, Schema.Json)
const text = Schema.optionalKey(Schema.NullOr(Schema.String))

/**
 * Schema for the part of a request that depends on the method. The spec names two fields; the rest
 * is sent as given (`spec.md`, "apmPayload and apmResponseData").
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPayload = Schema.StructWithRest(
  Schema.Struct({
    paymentType: Schema.optionalKey(Schema.String),
    paymentMethod: Schema.optionalKey(Schema.String)
  }),
  [open]
)

/**
 * Schema for the part of a response that depends on the method: where to send the customer, what to
 * show. Unknown fields are kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmResponseData = Schema.StructWithRest(
  Schema.Struct({
    providerTransactionId: text,
    iframeUrl: text,
    actionType: text,
    qrData: text,
    qrDeepLink: text,
    redirectUrl: text,
    paymentType: text,
    paymentMethod: text
  }),
  [open]
)

const Url = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^\s]+$/u, { message: "Expected an absolute http(s) URL" })
)

const request = {
  accountId: AccountId,
  apmPayload: ApmPayload,
  successRedirectUrl: Schema.optionalKey(Url),
  failureRedirectUrl: Schema.optionalKey(Url),
  callbackUrl: Schema.optionalKey(Url),
  amount: Amount,
  currency: Currency,
  metadata: Schema.optionalKey(Metadata),
  order: Schema.optionalKey(Order),
  billingDetails: Schema.optionalKey(ApmBillingDetails),
  device: Schema.optionalKey(Device)
}

/**
 * Schema for what a merchant says to start an APM payment.
 *
 * **Details**
 *
 * `requestId` is made (a UUIDv7) when none is given; store it with the order first, and a crash
 * between call and answer is recovered by calling again with it. The checksum is computed.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPaymentInput = Schema.Struct({
  requestId: Schema.optionalKey(RequestId),
  ...request
})

/**
 * What a merchant says to start an APM payment, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPaymentInput = typeof ApmPaymentInput.Encoded

/**
 * Schema for the body of `POST /api/v1/payments/apm`. The service takes more decimals than we send,
 * and rounds them.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPaymentRequest = Schema.Struct({
  requestId: RequestId,
  ...request,
  amount: UnroundedAmount,
  checksum: Schema.String
})

/**
 * The body of `POST /api/v1/payments/apm`.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPaymentRequest = typeof ApmPaymentRequest.Type

/**
 * Schema for the answer to `POST /api/v1/payments/apm`.
 *
 * **Details**
 *
 * `declineCode` is present only when `transactionStatus` is FAILED. The format of `createdTime` is
 * not documented; it is kept as text. Fields the spec does not name are kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPaymentResponse = Schema.StructWithRest(
  Schema.Struct({
    requestId: Schema.optionalKey(Schema.String),
    transactionId: TransactionId,
    transactionStatus: OpenStatus,
    declineCode: Schema.optionalKey(Schema.NullOr(Schema.Int)),
    declineSubReason: text,
    apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
    createdTime: text,
    paymentType: text,
    metadata: Schema.optionalKey(Schema.NullOr(Metadata))
  }),
  [open]
)

/**
 * The service's answer about an APM payment just created.
 *
 * @category models
 * @since 0.1.0
 */
export type ApmPaymentResponse = typeof ApmPaymentResponse.Type
