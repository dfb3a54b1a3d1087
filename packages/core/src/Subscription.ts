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
 * Schema for how often a subscription is charged; unknown values are kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Frequency = Schema.Union([
  Schema.Literals(["DAILY", "WEEKLY", "MONTHLY", "CUSTOM"]),
  Schema.String
])

/**
 * Schema for the status of a subscription as it travels; unknown values are kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const OpenSubscriptionStatus = Schema.Union([
  Schema.Literals(subscriptionStatuses),
  Schema.String
])

const plan = {
  amount: Amount,
  currency: Currency,
  frequency: Frequency,
  interval: Schema.Int,
  startDate: Schema.String,
  endDate: Schema.optionalKey(Schema.String)
}

/**
 * Schema for the plan of a create: what is charged, how often, from when, and until when.
 *
 * **Details**
 *
 * The meaning of `interval` and of CUSTOM and the format of the dates are not documented; all are sent
 * as given (`docs/decisions/0014-an-interval-counts-units-of-its-frequency.md`).
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
 * Schema for the changes to a plan; every field is optional, and what is absent stays.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UpdatePlan = openStruct("UpdatePlan", {
  amount: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(Currency),
  frequency: Schema.optionalKey(Frequency),
  interval: Schema.optionalKey(Schema.Int),
  startDate: Schema.optionalKey(Schema.String),
  endDate: Schema.optionalKey(Schema.String)
})

/**
 * Schema for a plan as the service returns it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionPlanDto = openStruct("SubscriptionPlanDto", {
  amount: nullableText,
  currency: nullableText,
  frequency: Schema.optionalKey(Frequency),
  interval: Schema.optionalKey(Schema.Int),
  startDate: nullableText,
  endDate: nullableText
})

/**
 * Schema for a subscription as it is read and updated.
 *
 * **Details**
 *
 * `createdAt` is ISO 8601; the format of the other dates is not documented, and they are kept as text.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Subscription = openStruct("Subscription", {
  subscriptionId: TransactionId,
  status: OpenSubscriptionStatus,
  nextChargeDate: nullableText,
  createdAt: nullableText,
  plan: SubscriptionPlanDto,
  billingDetails: Schema.optionalKey(Schema.NullOr(BillingDetails)),
  metadata: Schema.optionalKey(Schema.NullOr(Metadata)),
  failureCount: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  lastChargeDate: nullableText,
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
 * Schema for the body of `POST /api/v1/payments/card/recurring`. The first charge is made at once unless
 * `skipFirstCharge` is true.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionRequest = openStruct("SubscriptionRequest", {
  requestId: RequestId,
  mid: Schema.String,
  cardToken: CardToken,
  plan: SubscriptionPlan,
  billingDetails: Schema.optionalKey(BillingDetails),
  order: Schema.optionalKey(Order),
  device: Schema.optionalKey(Device),
  callbackUrl: Url,
  successRedirectUrl: Url,
  failureRedirectUrl: Url,
  skipFirstCharge: Schema.optionalKey(Schema.Boolean),
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
 * What a merchant says to create a subscription, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export type SubscriptionInput = Input<typeof SubscriptionRequest.Encoded>

/**
 * Schema for the answer to a create. The challenge URLs come with CUSTOMER_VERIFICATION.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionResponse = openStruct("SubscriptionResponse", {
  subscriptionId: TransactionId,
  transactionId: Schema.optionalKey(Schema.NullOr(TransactionId)),
  transactionStatus: Schema.optionalKey(Schema.NullOr(OpenStatus)),
  declineCode: DeclineCode,
  challengeUrl: nullableText,
  challengeUrlIframe: nullableText,
  nextChargeDate: nullableText,
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The service's answer about a subscription just created.
 *
 * @category models
 * @since 0.1.0
 */
export type SubscriptionResponse = typeof SubscriptionResponse.Type

/**
 * Schema for the body of `PUT /api/v1/payments/card/recurring/{subscriptionId}`: only what should
 * change. It carries no requestId, so it is never sent twice.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionUpdate = openStruct("SubscriptionUpdate", {
  plan: Schema.optionalKey(UpdatePlan),
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
 * What a merchant may change of a subscription besides its status, as plain text fields; what is absent
 * stays.
 *
 * @category models
 * @since 0.1.0
 */
export type SubscriptionUpdateInput = Pick<Input<typeof SubscriptionUpdate.Encoded>, "plan">
