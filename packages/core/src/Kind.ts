/**
 * The kinds of transactions, the method of each, and the order in which a kind that is not known is
 * looked up.
 *
 * @since 0.1.0
 */

/**
 * How a payment was made. The method decides the layout of its callbacks (`spec.md`, "Events").
 *
 * @category models
 * @since 0.1.0
 */
export type Method = "apm" | "card"

/**
 * The kinds of transactions. Each has a status endpoint of its own.
 *
 * @category models
 * @since 0.1.0
 */
export type KnownKind = "apm-payment" | "apm-payout" | "card-payment" | "card-payout" | "refund"

/**
 * The kind of a transaction: its method while only the method is known.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = KnownKind | Method

/**
 * The kinds of each method, in the order in which an id is looked up: a payment before a payout, a payout
 * before a refund.
 *
 * @category constants
 * @since 0.1.0
 */
export const kindsOf: Readonly<Record<Method, ReadonlyArray<KnownKind>>> = {
  apm: ["apm-payment", "apm-payout"],
  card: ["card-payment", "card-payout", "refund"]
}

/**
 * Returns the method of a kind.
 *
 * @category getters
 * @since 0.1.0
 */
export const methodOf = (kind: Kind): Method => (kind.startsWith("apm") ? "apm" : "card")

/**
 * Tells whether more than the method of a transaction is known.
 *
 * @category guards
 * @since 0.1.0
 */
export const isKnown = (kind: Kind): kind is KnownKind => kind !== "apm" && kind !== "card"
