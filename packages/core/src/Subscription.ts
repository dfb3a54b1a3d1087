/**
 * Recurring payments on a tokenized card (`spec.md`, "Recurring subscriptions").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Amount, Currency } from "./Amount.ts"
import { BillingDetails } from "./Billing.ts"
import { CardToken } from "./Card.ts"
import { Device } from "./Device.ts"
import { type Input, openStruct, nullableText } from "./internal/OpenStruct.ts"
import { Order } from "./Order.ts"
import { subscriptionStatuses } from "./SubscriptionStatus.ts"
import { DeclineCode, Metadata, OpenStatus, RequestId, TransactionId, Url } from "./Transaction.ts"

/**
 * Schema for the frequency of the charges (`spec.md`, "Subscription plan"). An unknown value is kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Frequency = Schema.Union([
  Schema.Literals(["DAILY", "WEEKLY", "MONTHLY", "CUSTOM"]),
  Schema.String
])

/**
 * Schema for the status of a subscription in a body (`spec.md`, "Subscription statuses"). An unknown value is kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const OpenSubscriptionStatus = Schema.Union([
  Schema.Literals(subscriptionStatuses),
  Schema.String
])

const plan = {
  /** Decimal text in major units with at most two decimals (`spec.md`, "Conventions"). */
  amount: Amount,
  /** Three-letter code of ISO 4217 (`spec.md`, "Conventions"). */
  currency: Currency,
  /** DAILY, WEEKLY, MONTHLY or CUSTOM; CUSTOM is not documented. */
  frequency: Frequency,
  /** Number of units of `frequency` between two charges; its meaning is not documented. */
  interval: Schema.Int,
  /** Date of the start; the format is not documented. */
  startDate: Schema.String,
  /** Date of the end; the format is not documented. */
  endDate: Schema.optionalKey(Schema.String)
}

/**
 * Schema for the plan of a new subscription: amount, frequency, start and end (`spec.md`, "Subscription plan").
 *
 * **Details**
 *
 * The specification shows neither the meaning of `interval` and CUSTOM nor the format of the dates. The
 * client sends these values unchanged (`docs/decisions/0009-a-subscription-starts-active-and-ends-canceled.md`).
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionPlan = openStruct("SubscriptionPlan", plan)

/**
 * The plan of a subscription.
 *
 * @category models
 * @since 0.1.0
 */
export type SubscriptionPlan = typeof SubscriptionPlan.Type

/**
 * Schema for the changes to a plan. Every field is optional; an absent field stays unchanged.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UpdatePlan = openStruct("UpdatePlan", {
  /** Decimal text in major units with at most two decimals (`spec.md`, "Conventions"). */
  amount: Schema.optionalKey(Amount),
  /** Three-letter code of ISO 4217 (`spec.md`, "Conventions"). */
  currency: Schema.optionalKey(Currency),
  /** DAILY, WEEKLY, MONTHLY or CUSTOM; CUSTOM is not documented. */
  frequency: Schema.optionalKey(Frequency),
  /** Number of units of `frequency` between two charges; its meaning is not documented. */
  interval: Schema.optionalKey(Schema.Int),
  /** Date of the start; the format is not documented. */
  startDate: Schema.optionalKey(Schema.String),
  /** Date of the end; the format is not documented. */
  endDate: Schema.optionalKey(Schema.String)
})

/**
 * Schema for a plan as the service returns it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionPlanDto = openStruct("SubscriptionPlanDto", {
  /** Decimal text in major units with at most two decimals (`spec.md`, "Conventions"). */
  amount: nullableText,
  /** Three-letter code of ISO 4217 (`spec.md`, "Conventions"). */
  currency: nullableText,
  /** DAILY, WEEKLY, MONTHLY or CUSTOM; CUSTOM is not documented. */
  frequency: Schema.optionalKey(Frequency),
  /** Number of units of `frequency` between two charges; its meaning is not documented. */
  interval: Schema.optionalKey(Schema.Int),
  /** Date of the start; the format is not documented. */
  startDate: nullableText,
  /** Date of the end; the format is not documented. */
  endDate: nullableText
})

/**
 * Schema for a subscription, as read and update responses carry it (`spec.md`, "Subscription resource").
 *
 * @category schemas
 * @since 0.1.0
 */
export const Subscription = openStruct("Subscription", {
  /** Identifier of the subscription, assigned by the service. */
  subscriptionId: TransactionId,
  /** Status of the subscription; an unknown one is kept (`spec.md`, "Subscription statuses"). */
  status: OpenSubscriptionStatus,
  /** Date of the next charge; the format is not documented. */
  nextChargeDate: nullableText,
  /** Time of creation, ISO 8601 (`spec.md`, "Conventions"). */
  createdAt: nullableText,
  /** Amount, currency and dates of the charges (`spec.md`, "Subscription plan"). */
  plan: Schema.optionalKey(Schema.NullOr(SubscriptionPlanDto)),
  /** Person who is billed (`spec.md`, "Billing details variants"). */
  billingDetails: Schema.optionalKey(Schema.NullOr(BillingDetails)),
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata)),
  /** Number of failed charges. */
  failureCount: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  /** Date of the last charge; the format is not documented. */
  lastChargeDate: nullableText,
  /** Status of the last charge; its values are not documented. */
  lastChargeStatus: nullableText
})

/**
 * A subscription.
 *
 * @category models
 * @since 0.1.0
 */
export type Subscription = typeof Subscription.Type

/**
 * Schema for the body of `POST /api/v1/payments/card/recurring`. The service makes the first charge
 * at once unless `skipFirstCharge` is true.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionRequest = openStruct("SubscriptionRequest", {
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: RequestId,
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
  mid: Schema.String,
  /** Token that stands for a card; redacted. */
  cardToken: CardToken,
  /** Amount, currency and dates of the charges (`spec.md`, "Subscription plan"). */
  plan: SubscriptionPlan,
  /** Person who is billed (`spec.md`, "Billing details variants"). */
  billingDetails: Schema.optionalKey(BillingDetails),
  /** Order of the merchant (`spec.md`, "Order"). */
  order: Schema.optionalKey(Order),
  /** Device of the customer (`spec.md`, "Device"). */
  device: Schema.optionalKey(Device),
  /** Absolute http(s) URL that receives the callbacks of this request (`spec.md`, "Events"). */
  callbackUrl: Url,
  /** Absolute http(s) URL that the customer returns to after a success. */
  successRedirectUrl: Url,
  /** Absolute http(s) URL that the customer returns to after a failure. */
  failureRedirectUrl: Url,
  /** Whether to skip the first charge, which is otherwise made at once. */
  skipFirstCharge: Schema.optionalKey(Schema.Boolean),
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Metadata)
})

/**
 * The body of `POST /api/v1/payments/card/recurring`.
 *
 * @category models
 * @since 0.1.0
 */
export type SubscriptionRequest = typeof SubscriptionRequest.Type

/**
 * Input of the merchant to create a subscription, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type SubscriptionInput = Input<typeof SubscriptionRequest.Encoded>

/**
 * Schema for the response to `POST /api/v1/payments/card/recurring`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionResponse = openStruct("SubscriptionResponse", {
  /** Identifier of the subscription, assigned by the service. */
  subscriptionId: TransactionId,
  /** Identifier of the first charge, assigned by the service. */
  transactionId: Schema.optionalKey(Schema.NullOr(TransactionId)),
  /** Status of the transaction; an unknown one is kept (`spec.md`, "Transaction statuses"). */
  transactionStatus: Schema.optionalKey(Schema.NullOr(OpenStatus)),
  /** Numeric reason of a decline, only with FAILED (`spec.md`, "Conventions"). */
  declineCode: DeclineCode,
  /** Page of the 3-D Secure challenge; only with CUSTOMER_VERIFICATION. */
  challengeUrl: nullableText,
  /** The same challenge for an iframe; only with CUSTOMER_VERIFICATION. */
  challengeUrlIframe: nullableText,
  /** Date of the next charge; the format is not documented. */
  nextChargeDate: nullableText,
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The response to the creation of a subscription.
 *
 * @category models
 * @since 0.1.0
 */
export type SubscriptionResponse = typeof SubscriptionResponse.Type

/**
 * Schema for the body of `PUT /api/v1/payments/card/recurring/{subscriptionId}`: only the fields
 * to change. The body has no requestId, so the client sends it only once.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionUpdate = openStruct("SubscriptionUpdate", {
  /** Amount, currency and dates of the charges (`spec.md`, "Subscription plan"). */
  plan: Schema.optionalKey(UpdatePlan),
  /** Status of the subscription; an unknown one is kept (`spec.md`, "Subscription statuses"). */
  status: Schema.optionalKey(OpenSubscriptionStatus)
})

/**
 * Changes to a subscription.
 *
 * @category models
 * @since 0.1.0
 */
export type SubscriptionUpdate = typeof SubscriptionUpdate.Type

/**
 * The changes that a merchant can make to the plan of a subscription, as plain text fields. An absent field
 * stays unchanged.
 *
 * @category models
 * @since 0.1.0
 */
export type SubscriptionUpdateInput = Pick<Input<typeof SubscriptionUpdate.Encoded>, "plan">
