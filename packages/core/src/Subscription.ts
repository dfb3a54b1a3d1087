/**
 * Recurring payments on a tokenized card (`spec.md`, "Recurring subscriptions").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { BillingDetails, BillingDetailsDto, type BillingDetailsInput } from "./Billing.ts"
import { CardToken } from "./Card.ts"
import { Device, type DeviceInput } from "./Device.ts"
import {
  nullableText,
  type Open,
  type OpenText,
  openStruct,
  openStructOf,
  type UnknownFields
} from "./internal/OpenStruct.ts"
import {
  type Answered,
  type CardAccount,
  challenge,
  type Challenge,
  type CreateInput,
  createInput,
  outcome,
  type PageUrls,
  pageUrls
} from "./internal/SharedFields.ts"
import { Order, type OrderInput } from "./Order.ts"
import {
  SubscriptionPlan,
  SubscriptionPlanDto,
  type SubscriptionPlanInput,
  UpdatePlan
} from "./SubscriptionPlan.ts"
import { type SubscriptionStatus, subscriptionStatuses } from "./SubscriptionStatus.ts"
import { Metadata, OpenStatus, TransactionId } from "./Transaction.ts"

/**
 * The status of a subscription in a body: one of the five, or an unknown text.
 *
 * @category models
 * @since 0.1.0
 */
export type OpenSubscriptionStatus = Open<SubscriptionStatus>

/**
 * Schema for the status of a subscription in a body (`spec.md`, "Subscription statuses"). An unknown value is kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const OpenSubscriptionStatus: OpenText<OpenSubscriptionStatus> = Schema.Union([
  Schema.Literals(subscriptionStatuses),
  Schema.String
])

interface SubscriptionFields {
  /**
   * Identifier of the subscription, assigned by the service: 1 to 64 letters, digits, `_` or `-` (`spec.md`,
   * "Subscription resource").
   */
  readonly subscriptionId: TransactionId
  /** Date of the next charge as text; its format is not documented (`spec.md`, "Conventions"). */
  readonly nextChargeDate?: string | null
}

/**
 * A subscription, as reads and changes return it. Fields that the specification does not name are in
 * `unknownFields`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subscription extends SubscriptionFields, UnknownFields {
  /**
   * Status of the subscription: one of the five, or an undocumented one, which is kept (`spec.md`, "Subscription
   * statuses").
   */
  readonly status: OpenSubscriptionStatus
  /** Time of creation, ISO 8601 (`spec.md`, "Conventions"). */
  readonly createdAt?: string | null
  /** Amount, currency and dates of the charges (`spec.md`, "Subscription plan"). */
  readonly plan?: SubscriptionPlanDto | null
  /** Customer who is billed (`spec.md`, "Billing details variants"). */
  readonly billingDetails?: BillingDetails | null
  /** Key-value pairs of the create, returned unchanged (`spec.md`, "Conventions"). */
  readonly metadata?: Metadata | null
  /** Number of failed charges, an integer (`spec.md`, "Subscription resource"). */
  readonly failureCount?: number | null
  /** Date of the last charge as text; its format is not documented (`spec.md`, "Conventions"). */
  readonly lastChargeDate?: string | null
  /** Status of the last charge; its values are not documented (`spec.md`, "Subscription resource"). */
  readonly lastChargeStatus?: string | null
}

/**
 * Schema for a subscription (`spec.md`, "Subscription resource").
 *
 * @category schemas
 * @since 0.1.0
 */
export const Subscription = openStructOf<Subscription>("Subscription", {
  subscriptionId: TransactionId,
  status: OpenSubscriptionStatus,
  nextChargeDate: nullableText,
  createdAt: nullableText,
  plan: Schema.optionalKey(Schema.NullOr(SubscriptionPlanDto)),
  billingDetails: Schema.optionalKey(Schema.NullOr(BillingDetailsDto)),
  metadata: Schema.optionalKey(Schema.NullOr(Metadata)),
  failureCount: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  lastChargeDate: nullableText,
  lastChargeStatus: nullableText
})

/**
 * Input of the merchant to create a subscription, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionInput extends CreateInput, CardAccount, PageUrls {
  /**
   * Token that stands for a card, from `CardPayments.tokenize`; never printed (`spec.md`, "Recurring
   * subscriptions").
   */
  readonly cardToken: string
  /** Amount, currency, frequency and dates of the charges (`spec.md`, "Subscription plan"). */
  readonly plan: SubscriptionPlanInput
  /** Customer who is billed; `email` is required in it (`spec.md`, "Billing details variants"). */
  readonly billingDetails?: BillingDetailsInput
  /** Order of the merchant, for reconciliation (`spec.md`, "Order"). */
  readonly order?: OrderInput
  /** Device of the customer, needed for 3-D Secure (`spec.md`, "Device"). */
  readonly device?: DeviceInput
  /**
   * Whether to skip the first charge, which is otherwise made at once (`spec.md`, "Recurring subscriptions").
   */
  readonly skipFirstCharge?: boolean
}

/**
 * Schema for the body of `POST /api/v1/payments/card/recurring`. The service makes the first charge
 * at once unless `skipFirstCharge` is true.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionRequest = openStruct("SubscriptionRequest", {
  ...createInput,
  mid: Schema.String,
  cardToken: CardToken,
  plan: SubscriptionPlan,
  billingDetails: Schema.optionalKey(BillingDetails),
  order: Schema.optionalKey(Order),
  device: Schema.optionalKey(Device),
  ...pageUrls,
  skipFirstCharge: Schema.optionalKey(Schema.Boolean)
})

/**
 * The body of `POST /api/v1/payments/card/recurring`.
 *
 * @category models
 * @since 0.1.0
 */
export type SubscriptionRequest = typeof SubscriptionRequest.Type

/**
 * The response to the creation of a subscription. Fields that the specification does not name are in
 * `unknownFields`.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionResponse extends SubscriptionFields, Challenge, Answered {
  /**
   * Identifier of the first charge, assigned by the service (`spec.md`, "Recurring subscriptions").
   */
  readonly transactionId?: TransactionId | null
  /**
   * Status of the first charge: one of the nine, or an undocumented one, which is kept (`spec.md`, "Transaction
   * statuses").
   */
  readonly transactionStatus?: OpenStatus | null
}

/**
 * Schema for the response to `POST /api/v1/payments/card/recurring`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionResponse = openStructOf<SubscriptionResponse>("SubscriptionResponse", {
  subscriptionId: TransactionId,
  transactionId: Schema.optionalKey(Schema.NullOr(TransactionId)),
  ...outcome,
  transactionStatus: Schema.optionalKey(Schema.NullOr(OpenStatus)),
  ...challenge,
  nextChargeDate: nullableText
})

/**
 * The changes that a merchant can make to a subscription, as plain text fields. An absent field stays unchanged.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionUpdateInput {
  /** The fields of the plan to change; the others stay unchanged (`spec.md`, "Subscription plan"). */
  readonly plan?: Partial<SubscriptionPlanInput>
  /**
   * The new status: PENDING, TRIALING, ACTIVE, PAUSED or CANCELED. The specification shows the effect of the last
   * three alone (`spec.md`, "Subscription statuses").
   */
  readonly status?: SubscriptionStatus
}

/**
 * Schema for the body of `PUT /api/v1/payments/card/recurring/{subscriptionId}`: only the fields
 * to change. The body has no requestId, so the client sends it only once.
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
