/**
 * What becomes of the callbacks of a transaction on their way, for fast-check.
 *
 * **Details**
 *
 * A delivery starts from the honest one, every callback once and in order, and troubles happen to it: a callback is
 * late (and so comes out of order), comes again, is lost, has its amount written as a number, or is posted again by
 * a forger who saw it. So it shrinks to the honest one with the trouble that matters.
 *
 * **Example** (Nobody forges what nobody saw)
 *
 * ```ts
 * import * as Generators from "@pawl/testkit/Generators"
 * import * as Deliveries from "@pawl/testkit/Generators/Deliveries"
 * import * as fc from "fast-check"
 *
 * fc.assert(
 *   fc.property(Deliveries.deliveries(Generators.histories()), ({ deliveries, history }) =>
 *     deliveries.every(
 *       ({ forged, status }) => forged === "status" || history.statuses.some((each) => each === status)
 *     )
 *   )
 * )
 * ```
 *
 * @since 0.1.0
 */
import type { OpenStatus } from "@pawl/core/Transaction"
import * as fc from "fast-check"
import type { History } from "../Generators.ts"
import * as Troubles from "../internal/generators/Troubles.ts"

/**
 * One callback as it arrives, `at` milliseconds after the first was due. `amount` says how its amount is
 * written; `forged` what a forger changed about it, if one did.
 *
 * @category models
 * @since 0.1.0
 */
export interface Delivery {
  readonly at: number
  readonly status: OpenStatus
  readonly amount: "text" | "number"
  readonly forged: Troubles.Forgery | undefined
}

/**
 * A history, what happened to its callbacks, and what arrived in the end, in order.
 *
 * @category models
 * @since 0.1.0
 */
export interface Delivered {
  readonly history: History
  readonly troubles: ReadonlyArray<Troubles.Trouble>
  readonly deliveries: ReadonlyArray<Delivery>
}

const pace = 1000

/**
 * Delivers the callbacks of a history, one a second, under the given troubles.
 *
 * @category constructors
 * @since 0.1.0
 */
export const deliver = (history: History, troubles: ReadonlyArray<Troubles.Trouble>): Delivered => {
  const own: Array<Delivery | undefined> = history.statuses.map((status, at) => ({
    at: at * pace,
    status,
    amount: "text",
    forged: undefined
  }))
  const more: Array<Delivery> = []
  for (const trouble of troubles) {
    const which = trouble.which % own.length
    const delivery = own[which]
    if (delivery === undefined) continue
    if (trouble.what === "forged") {
      const status = trouble.how === "status" ? trouble.status : delivery.status
      more.push({ ...delivery, at: delivery.at + trouble.by, status, forged: trouble.how })
    } else if (trouble.what === "lost") own[which] = undefined
    else if (trouble.what === "number") own[which] = { ...delivery, amount: "number" }
    else if (trouble.what === "late") own[which] = { ...delivery, at: delivery.at + trouble.by }
    else more.push({ ...delivery, at: delivery.at + trouble.by })
  }
  const deliveries = [...own, ...more]
    .filter((each) => each !== undefined)
    .toSorted((one, two) => one.at - two.at)
  return { history, troubles, deliveries }
}

/**
 * Makes the arbitrary of deliveries of a history: shuffled, repeated, lost, delayed, written with numbers,
 * forged in every way the checksum allows.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const deliveries = (history: fc.Arbitrary<History>): fc.Arbitrary<Delivered> =>
  Troubles.troubled(history).map(([history, troubles]) => deliver(history, troubles))

/**
 * A callback of one of several transactions.
 *
 * @category models
 * @since 0.1.0
 */
export interface Arrival extends Delivery {
  readonly transactionId: string
}

/**
 * Makes the arbitrary of the traffic of many transactions at once: their deliveries interleaved, `arrivals`
 * in order. Transactions are numbered from 100001.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const traffic = (
  history: fc.Arbitrary<History>,
  options?: { readonly maxTransactions?: number }
): fc.Arbitrary<{
  readonly transactions: ReadonlyArray<Delivered & { readonly transactionId: string }>
  readonly arrivals: ReadonlyArray<Arrival>
}> =>
  fc
    .array(fc.tuple(fc.nat({ max: 4 * pace }), deliveries(history)), {
      maxLength: options?.maxTransactions ?? 8
    })
    .map((each) => {
      const transactions = each.map(([start, delivered], index) => ({
        ...delivered,
        transactionId: String(100_001 + index),
        start
      }))
      const arrivals = transactions
        .flatMap(({ deliveries, start, transactionId }) =>
          deliveries.map((delivery) => ({ ...delivery, at: delivery.at + start, transactionId }))
        )
        .toSorted((one, two) => one.at - two.at)
      return { transactions, arrivals }
    })
