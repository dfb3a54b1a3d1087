/**
 * The nine statuses of a transaction, and their order. The module runs in any JavaScript runtime.
 *
 * **Gotchas**
 *
 * Callbacks arrive late, twice and out of order (`spec.md`, "States and transitions"). `advance` is
 * the documented rule for them; only `Evidence` decides between two statuses of one rank.
 *
 * @since 0.1.0
 */

/**
 * The rank of each status (`spec.md`, "Transaction statuses"), and the bits of its evidence. CANCELLED has
 * no rank in the specification; here it is 10 (`docs/decisions/0001-final-statuses.md`).
 *
 * **Gotchas**
 *
 * Stores hold the bits, so no number ever changes. A tenth status takes bits 18 and 19.
 *
 * @category models
 * @since 0.1.0
 */
export const table = {
  NEW: { rank: 1, claimed: 0, confirmed: 9 },
  PENDING: { rank: 2, claimed: 1, confirmed: 10 },
  PROCESSING: { rank: 3, claimed: 2, confirmed: 11 },
  CUSTOMER_VERIFICATION: { rank: 3, claimed: 3, confirmed: 12 },
  SUCCEED: { rank: 10, claimed: 4, confirmed: 13 },
  FAILED: { rank: 10, claimed: 5, confirmed: 14 },
  CANCELLED: { rank: 10, claimed: 6, confirmed: 15 },
  REFUNDED: { rank: 11, claimed: 7, confirmed: 16 },
  CHARGEBACK: { rank: 12, claimed: 8, confirmed: 17 }
} as const

/**
 * A status of a transaction (`spec.md`, "Transaction statuses").
 *
 * @category models
 * @since 0.1.0
 */
export type Status = keyof typeof table

/**
 * Every documented status, in the order of `table`.
 *
 * @category models
 * @since 0.1.0
 */
export const statuses = Object.keys(table) as ReadonlyArray<Status>

/**
 * The result of applying a status to the stored one.
 *
 * - `advanced`: it has a higher rank, and is now the stored one.
 * - `repeated`: it equals the stored one.
 * - `late`: it has a lower rank, and was not applied.
 * - `tied`: it is another one of the same rank, and was not applied.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = "advanced" | "repeated" | "late" | "tied"

/**
 * The lowest rank of a final status: the money has moved, or will not move.
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
  typeof value === "string" && Object.hasOwn(table, value)

/**
 * Returns the rank of a status, from 1 (NEW) to 12 (CHARGEBACK), and 0 for any other text.
 *
 * @category getters
 * @since 0.1.0
 */
export const rank = (status: Status): number => (isStatus(status) ? table[status].rank : 0)

/**
 * Tells whether polling may stop: SUCCEED, FAILED, CANCELLED, REFUNDED or CHARGEBACK.
 *
 * @category guards
 * @since 0.1.0
 */
export const isTerminal = (status: Status): boolean => rank(status) >= finalRank

/**
 * Applies a status to the stored one by the documented rule. Check text from outside with `isStatus`
 * first.
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
