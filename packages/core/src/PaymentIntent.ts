/**
 * An intent: a hosted page where the customer pays, or is paid (`spec.md`, "Payment intents").
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
 * **Details**
 *
 * `lang` is a two-letter language code. `kycVerified` says that the customer passed KYC on the
 * merchant's platform; `previousPaymentCount` counts the customer's earlier successful payments.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PaymentIntentRequest = openStruct("PaymentIntentRequest", {
  type: Schema.Literals(["PAYMENT", "PAYOUT"]),
  currency: Schema.optionalKey(Currency),
  lang: Schema.String.check(
    Schema.isPattern(/^[a-z]{2}$/u, {
      message: 'Expected a two-letter language code, such as "en"'
    })
  ),
  amount: Schema.optionalKey(Amount),
  requestId: RequestId,
  mid: Schema.String,
  billingDetails: PaymentIntentBillingDetails,
  callbackUrl: Url,
  successRedirectUrl: Url,
  failureRedirectUrl: Url,
  order: Order,
  device: Device,
  kycVerified: Schema.optionalKey(Schema.Boolean),
  previousPaymentCount: Schema.optionalKey(Schema.Int),
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
 * What a merchant says to create an intent, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type PaymentIntentInput = Input<typeof PaymentIntentRequest.Encoded>

/**
 * Schema for the answer to `POST /api/v1/payments/intent`: where the customer pays, full page or
 * embedded. `errorCode` is null on success; its values are not documented.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PaymentIntentResponse = openStruct("PaymentIntentResponse", {
  redirectUrl: nullableText,
  iframeUrl: nullableText,
  errorCode: nullableText,
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The service's answer about an intent just created.
 *
 * @category models
 * @since 0.1.0
 */
export type PaymentIntentResponse = typeof PaymentIntentResponse.Type
