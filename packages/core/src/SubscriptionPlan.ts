/**
 * The plan of a subscription: amount, frequency, start and end (`spec.md`, "Subscription plan").
 *
 * **Details**
 *
 * The specification shows neither the meaning of `interval` and CUSTOM nor the format of the dates. The
 * client sends these values unchanged (`docs/decisions/0009-a-subscription-starts-active-and-ends-canceled.md`).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Amount, Currency } from "./Amount.ts"
import {
  nullableText,
  type Open,
  type OpenText,
  openStruct,
  openStructOf,
  type UnknownFields
} from "./internal/OpenStruct.ts"

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

const plan = {
  amount: Amount,
  currency: Currency,
  frequency: Frequency,
  interval: Schema.Int,
  startDate: Schema.String,
  endDate: Schema.optionalKey(Schema.String)
}

/**
 * Schema for the plan of a new subscription.
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
  amount: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(Currency),
  frequency: Schema.optionalKey(Frequency),
  interval: Schema.optionalKey(Schema.Int),
  startDate: Schema.optionalKey(Schema.String),
  endDate: Schema.optionalKey(Schema.String)
})

/**
 * A plan as the service returns it.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionPlanDto extends UnknownFields {
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

/**
 * Schema for a plan as the service returns it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionPlanDto = openStructOf<SubscriptionPlanDto>("SubscriptionPlanDto", {
  amount: nullableText,
  currency: nullableText,
  frequency: Schema.optionalKey(Frequency),
  interval: Schema.optionalKey(Schema.Int),
  startDate: nullableText,
  endDate: nullableText
})
