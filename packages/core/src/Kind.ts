/**
 * The kinds of transactions and the method of each.
 *
 * @since 0.1.0
 */

/**
 * The method of a transaction. It decides the layout of its callbacks (`spec.md`, "Events").
 *
 * @category models
 * @since 0.1.0
 */
export type Method = "apm" | "card"

/**
 * A kind of transaction. Each kind has its own status endpoint.
 *
 * @category models
 * @since 0.1.0
 */
export type KnownKind = "apm-payment" | "apm-payout" | "card-payment" | "card-payout" | "refund"

/**
 * The kind of a transaction, or its method while the kind is unknown.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = KnownKind | Method

/**
 * The kinds of each method, in the order in which a read tries their status endpoints. A payment is first.
 *
 * @category constants
 * @since 0.1.0
 */
export const kindsOf: Readonly<Record<Method, readonly [KnownKind, ...ReadonlyArray<KnownKind>]>> =
  {
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
 * Tells whether more than the method is known.
 *
 * @category guards
 * @since 0.1.0
 */
export const isKnown = (kind: Kind): kind is KnownKind => kind !== "apm" && kind !== "card"
