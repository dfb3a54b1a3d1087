/**
 * The five statuses of a subscription, and the changes that a merchant can make to it.
 *
 * **Details**
 *
 * They are not the statuses of a transaction, and CANCELED is spelled with one L. The specification does not
 * say from which statuses a PUT is allowed. Here it is allowed from every status but CANCELED
 * (`docs/decisions/0009-a-subscription-starts-active-and-ends-canceled.md`).
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
 * Tells whether a value is one of the five statuses.
 *
 * @category guards
 * @since 0.1.0
 */
export const isSubscriptionStatus = (value: unknown): value is SubscriptionStatus =>
  subscriptionStatuses.some((status) => status === value)

/**
 * Returns the status after a PUT, or undefined when the PUT is not allowed: a canceled subscription stays
 * canceled.
 *
 * @category reducers
 * @since 0.1.0
 */
export const put = (
  from: SubscriptionStatus,
  to: SubscriptionStatus
): SubscriptionStatus | undefined => (from === "CANCELED" ? undefined : to)

/**
 * Returns the status after a DELETE: CANCELED, from any status.
 *
 * @category reducers
 * @since 0.1.0
 */
export const remove = (_from: SubscriptionStatus): "CANCELED" => "CANCELED"

/**
 * Tells whether a subscription with this status is charged on its next charge date.
 *
 * @category guards
 * @since 0.1.0
 */
export const isCharged = (status: SubscriptionStatus): boolean =>
  status === "ACTIVE" || status === "TRIALING"
