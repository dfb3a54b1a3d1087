/**
 * The bodies of requests, as the client sends them. A merchant gives an input, from which the client makes the body.
 */
import * as Schema from "effect/Schema"
import { Amount, Currency } from "../Amount.ts"
import { ApmPayload } from "../ApmPayload.ts"
import type { ApmBillingDetails as ApmBilling, BillingDetails as Billing } from "../Billing.ts"
import { CardToken } from "../Card.ts"
import type { Order as MerchantOrder } from "../Order.ts"
import { Frequency, OpenSubscriptionStatus } from "../Subscription.ts"
import { AccountId, Metadata, RequestId } from "../Transaction.ts"
import * as Formats from "./Formats.ts"
import { IntegerText } from "./JsonNumber.ts"
import { openStruct, openStructOf, optionalText } from "./OpenStruct.ts"
import { apmPerson, CallbackUrl, order, person, Url } from "./SharedFields.ts"

/** The fields of every create. */
const create = { requestId: RequestId, metadata: Schema.optionalKey(Metadata) }

/** The URLs of an operation that requires all of them. */
const pageUrls = { callbackUrl: CallbackUrl, successRedirectUrl: Url, failureRedirectUrl: Url }

const digits = (pattern: RegExp, message: string) =>
  Schema.String.check(Schema.isPattern(pattern, { message }))

/** Schema for a full card number: 12 to 19 digits without spaces or dashes. It does not test the check digit. */
export const CardNumber = Schema.RedactedFromValue(
  digits(/^[0-9]{12,19}$/u, "Expected 12 to 19 digits, without spaces or dashes"),
  { label: "card number" }
)

/** Schema for the card of a payout (`spec.md`, "PayoutCardDetails"). */
export const PayoutCardDetails = openStruct("PayoutCardDetails", {
  expMonth: digits(/^(?:0[1-9]|1[0-2])$/u, 'Expected a month as MM, such as "04"'),
  expYear: digits(/^[0-9]{4}$/u, 'Expected a year as YYYY, such as "2030"'),
  number: CardNumber,
  cvv: Schema.optionalKey(
    Schema.RedactedFromValue(digits(/^[0-9]{3,4}$/u, "Expected 3 or 4 digits"), { label: "cvv" })
  ),
  cardHolderName: optionalText
})

/** The billing details in a request: `country` is two capital letters, `dateOfBirth` YYYY-MM-DD. */
const requestPerson = { ...person, country: Formats.country, dateOfBirth: Formats.date }

/** Schema for the billing details of an APM payment or payout. */
export const ApmBillingDetails = openStructOf<ApmBilling>("ApmBillingDetails", {
  ...requestPerson,
  ...apmPerson
})

/** Schema for the billing details of a subscription. */
export const BillingDetails = openStructOf<Billing>("BillingDetails", {
  ...requestPerson,
  email: Schema.String
})

/** Schema for the billing details of a payment intent. */
export const PaymentIntentBillingDetails = openStructOf<Billing>("PaymentIntentBillingDetails", {
  ...requestPerson,
  email: Schema.String
})

/** Schema for the billing details of a card payout. */
export const PayoutBillingDetails = openStruct("PayoutBillingDetails", {
  firstName: optionalText,
  lastName: optionalText,
  address: optionalText,
  postalCode: optionalText,
  city: optionalText,
  state: optionalText,
  countryCode: optionalText,
  phone: optionalText,
  email: Schema.String
})

/** Schema for the order; its `date` is ISO 8601 (`spec.md`, "Order"). */
export const Order = openStructOf<MerchantOrder>("Order", { ...order, date: Formats.dateOrTime })

/** Schema for the device of the customer (`spec.md`, "Device"). */
export const Device = openStruct("Device", {
  deviceId: optionalText,
  fingerprintData: optionalText,
  ip: optionalText,
  accept: optionalText,
  acceptLanguage: optionalText,
  acceptHeader: optionalText,
  userAgent: optionalText,
  javaEnabled: Schema.optionalKey(Schema.Boolean),
  javaScriptEnabled: Schema.optionalKey(Schema.Boolean),
  deviceLanguage: optionalText,
  colorDepth: optionalText,
  screenHeight: optionalText,
  screenWidth: optionalText,
  deviceTimezone: optionalText
})

/** Schema for the plan of a new subscription. */
export const SubscriptionPlan = openStruct("SubscriptionPlan", {
  amount: Amount,
  currency: Currency,
  frequency: Frequency,
  interval: Schema.Int,
  startDate: Schema.String,
  endDate: optionalText
})

/** Schema for the changes to a plan. Every field is optional; an absent field stays unchanged. */
export const UpdatePlan = openStruct("UpdatePlan", {
  amount: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(Currency),
  frequency: Schema.optionalKey(Frequency),
  interval: Schema.optionalKey(Schema.Int),
  startDate: optionalText,
  endDate: optionalText
})

const apm = {
  ...create,
  accountId: AccountId,
  apmPayload: ApmPayload,
  successRedirectUrl: Schema.optionalKey(Url),
  failureRedirectUrl: Schema.optionalKey(Url),
  callbackUrl: Schema.optionalKey(CallbackUrl),
  amount: Amount,
  currency: Currency,
  order: Schema.optionalKey(Order),
  billingDetails: Schema.optionalKey(ApmBillingDetails),
  device: Schema.optionalKey(Device)
}

/**
 * Schema for the body of `POST /api/v1/payments/apm`. `checksum` is HMAC-SHA256 in lower-case hex (`spec.md`,
 * "Request checksum").
 */
export const ApmPaymentRequest = openStruct("ApmPaymentRequest", {
  ...apm,
  checksum: Schema.String
})
export type ApmPaymentRequest = typeof ApmPaymentRequest.Type

/**
 * Schema for the body of `POST /api/v1/payouts/apm`. The specification does not say whether a payout needs a checksum;
 * `Profile.payoutChecksum` decides whether the client sends one.
 */
export const ApmPayoutRequest = openStruct("ApmPayoutRequest", { ...apm, checksum: optionalText })
export type ApmPayoutRequest = typeof ApmPayoutRequest.Type

/**
 * Schema for the body of `POST /api/v1/payments/card` and of `POST /api/v1/payments/card/charge`. A charge pays
 * with a card token.
 */
export const CardPaymentRequest = openStruct("CardPaymentRequest", {
  ...create,
  mid: optionalText,
  amount: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(Currency),
  cardToken: Schema.optionalKey(CardToken),
  callbackUrl: Schema.optionalKey(CallbackUrl)
})
export type CardPaymentRequest = typeof CardPaymentRequest.Type

/** Schema for the body of `POST /api/v1/payments/card/tokenize`. */
export const TokenizeRequest = openStruct("TokenizeRequest", {
  requestId: RequestId,
  mid: optionalText
})

/** Schema for the body of `POST /api/v1/payouts/card`. */
export const CardPayoutRequest = openStruct("CardPayoutRequest", {
  ...create,
  mid: Schema.String,
  amount: Amount,
  card: PayoutCardDetails,
  billingDetails: Schema.optionalKey(PayoutBillingDetails),
  callbackUrl: Schema.optionalKey(CallbackUrl)
})

/**
 * Schema for the body of `POST /api/v1/refunds/card`. `transactionId` is the identifier of the original payment. Text that
 * is not an integer is refused before sending (`docs/decisions/0005-refund-ids-and-kinds.md`).
 */
export const RefundRequest = openStruct("RefundRequest", {
  ...create,
  mid: Schema.String,
  transactionId: IntegerText,
  amount: Amount,
  reason: Schema.String,
  callbackUrl: Schema.optionalKey(CallbackUrl)
})
export type RefundRequest = typeof RefundRequest.Type

/** Schema for the body of `POST /api/v1/payments/intent`. */
export const PaymentIntentRequest = openStruct("PaymentIntentRequest", {
  type: Schema.Literals(["PAYMENT", "PAYOUT"]),
  currency: Schema.optionalKey(Currency),
  lang: digits(/^[a-z]{2}$/u, 'Expected a two-letter language code, such as "en"'),
  amount: Schema.optionalKey(Amount),
  ...create,
  mid: Schema.String,
  billingDetails: PaymentIntentBillingDetails,
  ...pageUrls,
  order: Order,
  device: Device,
  kycVerified: Schema.optionalKey(Schema.Boolean),
  previousPaymentCount: Schema.optionalKey(Schema.Int)
})
export type PaymentIntentRequest = typeof PaymentIntentRequest.Type

/**
 * Schema for the body of `POST /api/v1/payments/card/recurring`. The service makes the first charge at once unless
 * `skipFirstCharge` is true.
 */
export const SubscriptionRequest = openStruct("SubscriptionRequest", {
  ...create,
  mid: Schema.String,
  cardToken: CardToken,
  plan: SubscriptionPlan,
  billingDetails: Schema.optionalKey(BillingDetails),
  order: Schema.optionalKey(Order),
  device: Schema.optionalKey(Device),
  ...pageUrls,
  skipFirstCharge: Schema.optionalKey(Schema.Boolean)
})
export type SubscriptionRequest = typeof SubscriptionRequest.Type

/**
 * Schema for the body of `PUT /api/v1/payments/card/recurring/{subscriptionId}`: only the fields to change. The body has
 * no requestId, so the client sends it only once.
 */
export const SubscriptionUpdate = openStruct("SubscriptionUpdate", {
  plan: Schema.optionalKey(UpdatePlan),
  status: Schema.optionalKey(OpenSubscriptionStatus)
})
