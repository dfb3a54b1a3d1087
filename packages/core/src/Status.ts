/**
 * The nine statuses of a transaction, and the order they come in.
 *
 * **Details**
 *
 * The service moves a transaction forward (`spec.md`, "States and transitions") and tells of every
 * move by callback, but callbacks arrive late, twice and out of order. `advance` is the documented
 * rule for that, word for word: apply a status only when it ranks later than the stored one.
 *
 * The rule alone cannot tell two statuses of one rank apart; `Evidence` can. This module imports
 * nothing and runs anywhere.
 *
 * @since 0.1.0
 */

/**
 * Every status the service documents, in rank order.
 *
 * @category models
 * @since 0.1.0
 */
export const statuses = [
  "NEW",
  "PENDING",
  "PROCESSING",
  "CUSTOMER_VERIFICATION",
  "SUCCEED",
  "FAILED",
  "CANCELLED",
  "REFUNDED",
  "CHARGEBACK"
] as const

/**
 * A status of a transaction: one of the nine of `spec.md`, "Transaction statuses".
 *
 * @category models
 * @since 0.1.0
 */
export type Status = (typeof statuses)[number]

/**
 * What became of a status that arrived while another was stored.
 *
 * - `advanced`: it ranks later, and now holds.
 * - `repeated`: it is the stored one again.
 * - `late`: it ranks earlier, and was not applied.
 * - `tied`: another status of the same rank; not applied, and not to be trusted to arrival order.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = "advanced" | "repeated" | "late" | "tied"

/** The rank of each, in the order of `statuses`. */
const ranks = [1, 2, 3, 3, 10, 10, 10, 11, 12]

/**
 * The rank from which a status is final: money has moved, or will not.
 *
 * @category models
 * @since 0.1.0
 */
export const finalRank = 10

/**
 * Tells whether a value is one of the nine statuses.
 *
 * @category guards
 * @since 0.1.0
 */
export const isStatus = (value: unknown): value is Status =>
  (statuses as ReadonlyArray<unknown>).includes(value)

/**
 * Returns the place of a status in `statuses`, from 0 (NEW) to 8 (CHARGEBACK).
 *
 * **Details**
 *
 * Every callback is looked up, so it is a switch: that takes a third of the time of a search through the list, and
 * two thirds of that of a Map.
 *
 * @category getters
 * @since 0.1.0
 */
export const place = (status: Status): number => {
  switch (status) {
    case "NEW":
      return 0
    case "PENDING":
      return 1
    case "PROCESSING":
      return 2
    case "CUSTOMER_VERIFICATION":
      return 3
    case "SUCCEED":
      return 4
    case "FAILED":
      return 5
    case "CANCELLED":
      return 6
    case "REFUNDED":
      return 7
    case "CHARGEBACK":
      return 8
  }
}

/**
 * Returns the rank of a status, from 1 (NEW) to 12 (CHARGEBACK).
 *
 * **Details**
 *
 * The ranks are the example ranking of `spec.md`. CANCELLED has none there; ours is 10
 * (`docs/decisions/0002-cancelled-ranks-with-succeed-and-failed.md`).
 *
 * @category getters
 * @since 0.1.0
 */
export const rank = (status: Status): number => ranks[place(status)] ?? 0

/**
 * Tells whether polling may stop: SUCCEED, FAILED, CANCELLED, REFUNDED or CHARGEBACK.
 *
 * @category guards
 * @since 0.1.0
 */
export const isTerminal = (status: Status): boolean => rank(status) >= finalRank

/**
 * Applies a status to the stored one by the documented rule, and says what became of it.
 *
 * **Gotchas**
 *
 * Both are one of the nine: what comes as text is checked with `isStatus` first.
 *
 * **Example** (A late callback changes nothing)
 *
 * ```ts
 * import { advance } from "@pawl/core/Status"
 *
 * advance(undefined, "PENDING") // => { status: "PENDING", outcome: "advanced" }
 * advance("SUCCEED", "PROCESSING") // => { status: "SUCCEED", outcome: "late" }
 * advance("SUCCEED", "FAILED") // => { status: "SUCCEED", outcome: "tied" }
 * ```
 *
 * @category reducers
 * @since 0.1.0
 */
export const advance = (
  stored: Status | undefined,
  incoming: Status
): { readonly status: Status; readonly outcome: Outcome } => {
  if (stored === undefined || rank(incoming) > rank(stored)) {
    return { status: incoming, outcome: "advanced" }
  }
  if (incoming === stored) return { status: stored, outcome: "repeated" }
  return { status: stored, outcome: rank(incoming) < rank(stored) ? "late" : "tied" }
}
