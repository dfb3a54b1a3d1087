/**
 * Recurring payments on a tokenized card (`spec.md`, "Recurring subscriptions").
 *
 * **Details**
 *
 * The statuses of a subscription are not those of a transaction, and CANCELED is spelled with one L. The specification shows
 * neither the meaning of `interval` and CUSTOM nor the format of the dates. The client sends these values unchanged
 * (`docs/decisions/0009-a-subscription-starts-active-and-ends-canceled.md`).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { BillingDetails, BillingDetailsInput } from "./Billing.ts"
import {
  nullableText,
  type Open,
  type OpenText,
  openStructOf,
  type UnknownFields
} from "./internal/OpenStruct.ts"
import {
  type Answered,
  BillingDetailsDto,
  type CardAccount,
  challenge,
  type Challenge,
  type CreateInput,
  outcome,
  type PageUrls
} from "./internal/SharedFields.ts"
import type { DeviceInput, OrderInput } from "./Order.ts"
import { Metadata, OpenStatus, TransactionId } from "./Transaction.ts"

/**
 * Every status of a subscription (`spec.md`, "Subscription statuses").
 *
 * @category models
 * @since 0.1.0
 */
export const subscriptionStatuses = ["PENDING", "TRIALING", "ACTIVE", "PAUSED", "CANCELED"] as const

/**
 * A status of a subscription.
 *
 * @category models
 * @since 0.1.0
 */
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/**
 * Tells whether a value is one of the five statuses.
 *
 * @category guards
 * @since 0.1.0
 */
export const isSubscriptionStatus = (value: unknown): value is SubscriptionStatus =>
  subscriptionStatuses.some((status) => status === value)

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

/**
 * The frequency of the charges: one of the four, or an unknown text.
 *
 * @category models
 * @since 0.1.0
 */
export type Frequency = Open<"DAILY" | "WEEKLY" | "MONTHLY" | "CUSTOM">

/**
 * Schema for the frequency of the charges (`spec.md`, "Subscription plan"). An unknown value is kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Frequency: OpenText<Frequency> = Schema.Union([
  Schema.Literals(["DAILY", "WEEKLY", "MONTHLY", "CUSTOM"]),
  Schema.String
])

/**
 * A plan as the service returns it.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionPlan extends UnknownFields {
  /** Amount of each charge as decimal text in major units (`spec.md`, "Subscription plan"). */
  readonly amount?: string | null
  /** Currency: three capital letters of ISO 4217 (`spec.md`, "Conventions"). */
  readonly currency?: string | null
  /** Unit between two charges; CUSTOM is not documented (`spec.md`, "Subscription plan"). */
  readonly frequency?: Frequency
  /**
   * Number of units of `frequency` between two charges, an integer; its meaning is not documented (`spec.md`,
   * "Subscription plan").
   */
  readonly interval?: number
  /** Date of the start as text; its format is not documented (`spec.md`, "Conventions"). */
  readonly startDate?: string | null
  /** Date of the end as text; its format is not documented (`spec.md`, "Conventions"). */
  readonly endDate?: string | null
}

const SubscriptionPlanDto = openStructOf<SubscriptionPlan>("SubscriptionPlanDto", {
  amount: nullableText,
  currency: nullableText,
  frequency: Schema.optionalKey(Frequency),
  interval: Schema.optionalKey(Schema.Int),
  startDate: nullableText,
  endDate: nullableText
})

interface SubscriptionFields {
  /**
   * Identifier of the subscription, assigned by the service: 1 to 128 characters (`spec.md`,
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
  readonly plan?: SubscriptionPlan | null
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
 * The plan of a new subscription, as plain text fields.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionPlanInput {
  /**
   * Amount of each charge as decimal text in major units, with at most two decimals: `"10.50"` (`spec.md`,
   * "Conventions").
   */
  readonly amount: string
  /** Currency: three capital letters of ISO 4217, such as `"EUR"` (`spec.md`, "Conventions"). */
  readonly currency: string
  /** Unit between two charges; CUSTOM is not documented (`spec.md`, "Subscription plan"). */
  readonly frequency: Frequency
  /**
   * Number of units of `frequency` between two charges, an integer; its meaning is not documented (`spec.md`,
   * "Subscription plan").
   */
  readonly interval: number
  /** Date of the start as text; its format is not documented (`spec.md`, "Conventions"). */
  readonly startDate: string
  /** Date of the end as text; its format is not documented (`spec.md`, "Conventions"). */
  readonly endDate?: string
}

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
