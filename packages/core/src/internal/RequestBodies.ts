import * as Schema from "effect/Schema"
import { Amount, Currency } from "../Amount.ts"
import { ApmPayload } from "../ApmPayload.ts"
import type { ApmBillingDetails as ApmBilling, BillingDetails as Billing } from "../Billing.ts"
import { CardToken } from "../Card.ts"
import type { Order as MerchantOrder } from "../Order.ts"
import { subscriptionStatuses } from "../Subscription.ts"
import { AccountId, Metadata, RequestId } from "../Transaction.ts"
import * as Formats from "./Formats.ts"
import { IntegerText } from "./JsonNumber.ts"
import { openStruct, openStructOf, optionalText } from "./OpenStruct.ts"
import { apmPerson, CallbackUrl, order, person, Url } from "./SharedFields.ts"

/** The account of card operations is signed in callbacks, as a requestId is in requests. */
const mid: Schema.Codec<string> = RequestId

const create = { requestId: RequestId, metadata: Schema.optionalKey(Metadata) }

const pageUrls = { callbackUrl: CallbackUrl, successRedirectUrl: Url, failureRedirectUrl: Url }

const digits = (pattern: RegExp, message: string) =>
  Schema.String.check(Schema.isPattern(pattern, { message }))

/** Schema for a card number of 12 to 19 digits, whose check digit is not tested. */
export const CardNumber = Schema.RedactedFromValue(
  digits(/^[0-9]{12,19}$/u, "Expected 12 to 19 digits, without spaces or dashes"),
  { label: "card number" }
)

/** (`spec.md`, "PayoutCardDetails") */
export const PayoutCardDetails = openStruct("PayoutCardDetails", {
  expMonth: digits(/^(?:0[1-9]|1[0-2])$/u, 'Expected a month as MM, such as "04"'),
  expYear: digits(/^[0-9]{4}$/u, 'Expected a year as YYYY, such as "2030"'),
  number: CardNumber,
  cvv: Schema.optionalKey(
    Schema.RedactedFromValue(digits(/^[0-9]{3,4}$/u, "Expected 3 or 4 digits"), { label: "cvv" })
  ),
  cardHolderName: optionalText
})

const requestPerson = { ...person, country: Formats.country, dateOfBirth: Formats.date }

export const ApmBillingDetails = openStructOf<ApmBilling>("ApmBillingDetails", {
  ...requestPerson,
  ...apmPerson
})

export const BillingDetails = openStructOf<Billing>("BillingDetails", {
  ...requestPerson,
  email: Schema.String
})

export const PaymentIntentBillingDetails = openStructOf<Billing>("PaymentIntentBillingDetails", {
  ...requestPerson,
  email: Schema.String
})

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

/** (`spec.md`, "Order") */
export const Order = openStructOf<MerchantOrder>("Order", { ...order, date: Formats.dateOrTime })

/** (`spec.md`, "Device") */
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

export const SubscriptionPlan = openStruct("SubscriptionPlan", {
  amount: Amount,
  currency: Currency,
  frequency: Formats.frequency,
  interval: Schema.Int,
  startDate: Schema.String,
  endDate: optionalText
})

/** An absent field stays unchanged. */
export const UpdatePlan = openStruct("UpdatePlan", {
  amount: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(Currency),
  frequency: Schema.optionalKey(Formats.frequency),
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

export const ApmPaymentRequest = openStruct("ApmPaymentRequest", {
  ...apm,
  checksum: Schema.String
})
export type ApmPaymentRequest = typeof ApmPaymentRequest.Type

/** `POST /api/v1/payouts/apm`. `Profile.payoutChecksum` decides about the checksum. */
export const ApmPayoutRequest = openStruct("ApmPayoutRequest", { ...apm, checksum: optionalText })
export type ApmPayoutRequest = typeof ApmPayoutRequest.Type

export const CardPaymentRequest = openStruct("CardPaymentRequest", {
  ...create,
  mid: Schema.optionalKey(mid),
  amount: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(Currency),
  cardToken: Schema.optionalKey(CardToken),
  callbackUrl: Schema.optionalKey(CallbackUrl)
})
export type CardPaymentRequest = typeof CardPaymentRequest.Type

export const TokenizeRequest = openStruct("TokenizeRequest", {
  requestId: RequestId,
  mid: Schema.optionalKey(mid)
})

export const CardPayoutRequest = openStruct("CardPayoutRequest", {
  ...create,
  mid,
  amount: Amount,
  card: PayoutCardDetails,
  billingDetails: Schema.optionalKey(PayoutBillingDetails),
  callbackUrl: Schema.optionalKey(CallbackUrl)
})

/** `POST /api/v1/refunds/card` (`docs/decisions/0005-refund-ids-and-kinds.md`). */
export const RefundRequest = openStruct("RefundRequest", {
  ...create,
  mid,
  transactionId: IntegerText,
  amount: Amount,
  reason: Schema.String,
  callbackUrl: Schema.optionalKey(CallbackUrl)
})
export type RefundRequest = typeof RefundRequest.Type

export const PaymentIntentRequest = openStruct("PaymentIntentRequest", {
  type: Schema.Literals(["PAYMENT", "PAYOUT"]),
  currency: Schema.optionalKey(Currency),
  lang: digits(/^[a-z]{2}$/u, 'Expected a two-letter language code, such as "en"'),
  amount: Schema.optionalKey(Amount),
  ...create,
  mid,
  billingDetails: PaymentIntentBillingDetails,
  ...pageUrls,
  order: Order,
  device: Device,
  kycVerified: Schema.optionalKey(Schema.Boolean),
  previousPaymentCount: Schema.optionalKey(Schema.Int)
})
export type PaymentIntentRequest = typeof PaymentIntentRequest.Type

export const SubscriptionRequest = openStruct("SubscriptionRequest", {
  ...create,
  mid,
  cardToken: CardToken,
  plan: SubscriptionPlan,
  billingDetails: Schema.optionalKey(BillingDetails),
  order: Schema.optionalKey(Order),
  device: Schema.optionalKey(Device),
  ...pageUrls,
  skipFirstCharge: Schema.optionalKey(Schema.Boolean)
})
export type SubscriptionRequest = typeof SubscriptionRequest.Type

/** `PUT /api/v1/payments/card/recurring/{subscriptionId}`. */
export const SubscriptionUpdate = openStruct("SubscriptionUpdate", {
  plan: Schema.optionalKey(UpdatePlan),
  status: Schema.optionalKey(Schema.Literals(subscriptionStatuses))
})
