/**
 * The five statuses of a subscription, and the moves a merchant can make.
 *
 * **Details**
 *
 * They are not the statuses of a transaction, and CANCELED is spelled with one L. The states a PUT
 * may start from are not documented; ours is every one but CANCELED
 * (`docs/decisions/0015-a-subscription-starts-active-and-ends-canceled.md`).
 *
 * @since 0.1.0
 */

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
 * The statuses a merchant can move a subscription to by PUT.
 *
 * @category models
 * @since 0.1.0
 */
export type Settable = "ACTIVE" | "PAUSED" | "CANCELED"

/**
 * Tells whether a value is one of the five.
 *
 * @category guards
 * @since 0.1.0
 */
export const isSubscriptionStatus = (value: unknown): value is SubscriptionStatus =>
  subscriptionStatuses.some((status) => status === value)

/**
 * Moves a subscription by PUT, or returns undefined where it cannot: a canceled one stays canceled.
 *
 * @category reducers
 * @since 0.1.0
 */
export const put = (from: SubscriptionStatus, to: Settable): Settable | undefined =>
  from === "CANCELED" ? undefined : to

/**
 * Moves a subscription by DELETE: canceled at once, from any status.
 *
 * @category reducers
 * @since 0.1.0
 */
export const remove = (_from: SubscriptionStatus): "CANCELED" => "CANCELED"

/**
 * Tells whether a subscription in this status is charged when its next charge is due.
 *
 * @category guards
 * @since 0.1.0
 */
export const isCharged = (status: SubscriptionStatus): boolean =>
  status === "ACTIVE" || status === "TRIALING"
