/**
 * Recurring payments on a tokenized card (`spec.md`, "Recurring subscriptions").
 *
 * **Gotchas**
 *
 * CANCELED has one L here. The specification defines neither `interval` and CUSTOM nor the format of
 * dates; the client sends them unchanged
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

export type OpenSubscriptionStatus = Open<SubscriptionStatus>

/**
 * Schema for the status of a subscription in a body: one of the five, or unknown text, which is kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const OpenSubscriptionStatus: OpenText<OpenSubscriptionStatus> = Schema.Union([
  Schema.Literals(subscriptionStatuses),
  Schema.String
])

export type Frequency = Open<"DAILY" | "WEEKLY" | "MONTHLY" | "CUSTOM">

/**
 * Schema for the frequency of the charges in a response (`spec.md`, "Subscription plan"). Unknown text is
 * kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Frequency: OpenText<Frequency> = Schema.Union([
  Schema.Literals(["DAILY", "WEEKLY", "MONTHLY", "CUSTOM"]),
  Schema.String
])

/**
 * A plan, as the service returns it.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionPlan extends UnknownFields {
  /** Amount of each charge, decimal text in major units (`spec.md`, "Subscription plan"). */
  readonly amount?: string | null
  /** Three capital letters of ISO 4217 (`spec.md`, "Conventions"). */
  readonly currency?: string | null
  /** Unit between two charges; CUSTOM is not documented (`spec.md`, "Subscription plan"). */
  readonly frequency?: Frequency
  /**
   * Units of `frequency` between two charges; its meaning is not documented (`spec.md`, "Subscription
   * plan").
   */
  readonly interval?: number
  /** Date of the start; its format is not documented (`spec.md`, "Conventions"). */
  readonly startDate?: string | null
  /** Date of the end; its format is not documented (`spec.md`, "Conventions"). */
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
  /** Identifier that the service assigned (`spec.md`, "Subscription resource"). */
  readonly subscriptionId: TransactionId
  /** Date of the next charge; its format is not documented (`spec.md`, "Conventions"). */
  readonly nextChargeDate?: string | null
}

/**
 * A subscription, as reads and changes return it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subscription extends SubscriptionFields, UnknownFields {
  /** One of the five statuses, or unknown text (`spec.md`, "Subscription statuses"). */
  readonly status: OpenSubscriptionStatus
  /** Time of creation, ISO 8601 (`spec.md`, "Conventions"). */
  readonly createdAt?: string | null
  /** Amount, currency and dates of the charges (`spec.md`, "Subscription plan"). */
  readonly plan?: SubscriptionPlan | null
  /** Customer who is billed (`spec.md`, "Billing details variants"). */
  readonly billingDetails?: BillingDetails | null
  /** Key-value pairs of the create, unchanged (`spec.md`, "Conventions"). */
  readonly metadata?: Metadata | null
  /** Number of failed charges (`spec.md`, "Subscription resource"). */
  readonly failureCount?: number | null
  /** Date of the last charge; its format is not documented (`spec.md`, "Conventions"). */
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
 * The plan of a new subscription.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionPlanInput {
  /** Amount of each charge, decimal text with at most two decimals: `"10.50"` (`spec.md`, "Conventions"). */
  readonly amount: string
  /** Three capital letters of ISO 4217, such as `"EUR"` (`spec.md`, "Conventions"). */
  readonly currency: string
  /** Unit between two charges; CUSTOM is not documented (`spec.md`, "Subscription plan"). */
  readonly frequency: "DAILY" | "WEEKLY" | "MONTHLY" | "CUSTOM"
  /**
   * Units of `frequency` between two charges; its meaning is not documented (`spec.md`, "Subscription
   * plan").
   */
  readonly interval: number
  /** Date of the start; its format is not documented (`spec.md`, "Conventions"). */
  readonly startDate: string
  /** Date of the end; its format is not documented (`spec.md`, "Conventions"). */
  readonly endDate?: string
}

/**
 * Input of a subscription.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionInput extends CreateInput, CardAccount, PageUrls {
  /** Card token from `CardPayments.tokenize`; never printed (`spec.md`, "Recurring subscriptions"). */
  readonly cardToken: string
  /** Amount, currency, frequency and dates of the charges (`spec.md`, "Subscription plan"). */
  readonly plan: SubscriptionPlanInput
  /** Customer who is billed (`spec.md`, "Billing details variants"). */
  readonly billingDetails?: BillingDetailsInput
  /** Order at the merchant, for reconciliation (`spec.md`, "Order"). */
  readonly order?: OrderInput
  /** Device of the customer, which 3-D Secure needs (`spec.md`, "Device"). */
  readonly device?: DeviceInput
  /**
   * Whether to skip the first charge, which is otherwise made at once; false (`spec.md`, "Recurring
   * subscriptions").
   */
  readonly skipFirstCharge?: boolean
}

/**
 * The response to the creation of a subscription.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionResponse extends SubscriptionFields, Challenge, Answered {
  /** Identifier of the first charge (`spec.md`, "Recurring subscriptions"). */
  readonly transactionId?: TransactionId | null
  /** Status of the first charge: one of the nine, or unknown text (`spec.md`, "Transaction statuses"). */
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
 * The changes to a subscription. An absent field stays unchanged.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionUpdateInput {
  /** Fields of the plan to change (`spec.md`, "Subscription plan"). */
  readonly plan?: Partial<SubscriptionPlanInput>
  /**
   * New status. The specification shows the effect of ACTIVE, PAUSED and CANCELED alone (`spec.md`,
   * "Subscription statuses").
   */
  readonly status?: SubscriptionStatus
}
