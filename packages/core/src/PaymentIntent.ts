/**
 * Payment intents: hosted pages where the customer pays or receives a payout (`spec.md`, "Payment intents").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Amount, Currency } from "./Amount.ts"
import { PaymentIntentBillingDetails } from "./Billing.ts"
import { Device } from "./Device.ts"
import { type Input, openStruct, nullableText } from "./internal/OpenStruct.ts"
import { Order } from "./Order.ts"
import { Metadata, RequestId, Url } from "./Transaction.ts"

/**
 * Schema for the body of `POST /api/v1/payments/intent`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PaymentIntentRequest = openStruct("PaymentIntentRequest", {
  /** PAYMENT or PAYOUT. */
  type: Schema.Literals(["PAYMENT", "PAYOUT"]),
  /** Three-letter code of ISO 4217 (`spec.md`, "Conventions"). */
  currency: Schema.optionalKey(Currency),
  /** Two-letter language code in lower case. */
  lang: Schema.String.check(
    Schema.isPattern(/^[a-z]{2}$/u, {
      message: 'Expected a two-letter language code, such as "en"'
    })
  ),
  /** Decimal text in major units with at most two decimals (`spec.md`, "Conventions"). */
  amount: Schema.optionalKey(Amount),
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: RequestId,
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
  mid: Schema.String,
  /** Person who is billed (`spec.md`, "Billing details variants"). */
  billingDetails: PaymentIntentBillingDetails,
  /** Absolute http(s) URL that receives the callbacks of this request (`spec.md`, "Events"). */
  callbackUrl: Url,
  /** Absolute http(s) URL that the customer returns to after a success. */
  successRedirectUrl: Url,
  /** Absolute http(s) URL that the customer returns to after a failure. */
  failureRedirectUrl: Url,
  /** Order of the merchant (`spec.md`, "Order"). */
  order: Order,
  /** Device of the customer (`spec.md`, "Device"). */
  device: Device,
  /** Whether the customer passed KYC on the platform of the merchant. */
  kycVerified: Schema.optionalKey(Schema.Boolean),
  /** Number of earlier successful payments by the customer. */
  previousPaymentCount: Schema.optionalKey(Schema.Int),
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Metadata)
})

/**
 * The body of `POST /api/v1/payments/intent`.
 *
 * @category models
 * @since 0.1.0
 */
export type PaymentIntentRequest = typeof PaymentIntentRequest.Type

/**
 * Input of the merchant to create an intent, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type PaymentIntentInput = Input<typeof PaymentIntentRequest.Encoded>

/**
 * Schema for the response to `POST /api/v1/payments/intent`: the addresses of the hosted page.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PaymentIntentResponse = openStruct("PaymentIntentResponse", {
  /** Full page to redirect the customer to. */
  redirectUrl: nullableText,
  /** Page to embed in an iframe. */
  iframeUrl: nullableText,
  /** Reason of a rejection, null on success; its values are not documented (`spec.md`, "Errors"). */
  errorCode: nullableText,
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The response to the creation of an intent.
 *
 * @category models
 * @since 0.1.0
 */
export type PaymentIntentResponse = typeof PaymentIntentResponse.Type
