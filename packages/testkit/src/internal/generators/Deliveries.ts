/**
 * fast-check arbitraries of the delivery of a transaction's callbacks.
 *
 * **Details**
 *
 * Faults (`DeliveryFaults`) change a delivery of every callback of a history, once and in order. A
 * counterexample shrinks to the faults that matter.
 *
 * **Example** (A forger repeats a status, or claims another)
 *
 * ```ts
 * import * as Generators from "@pawl/testkit/Generators"
 * import * as fc from "fast-check"
 *
 * fc.assert(
 *   fc.property(Generators.deliveries(Generators.histories()), ({ deliveries, history }) =>
 *     deliveries.every(
 *       ({ forged, status }) => forged === "status" || history.statuses.some((each) => each === status)
 *     )
 *   )
 * )
 * ```
 */
import type { OpenStatus } from "@pawl/core/Transaction"
import * as fc from "fast-check"
import type { History } from "../../Generators.ts"
import * as DeliveryFaults from "./DeliveryFaults.ts"

/**
 * A callback that arrives `at` milliseconds after the first was due. `amount` is the JSON type of
 * its amount; `forged` is the change that a forger made.
 */
export interface Delivery {
  readonly at: number
  readonly status: OpenStatus
  readonly amount: "text" | "number"
  readonly forged: DeliveryFaults.Forgery | undefined
}

/** A history, the faults in its delivery, and the callbacks in order of arrival. */
export interface Delivered {
  readonly history: History
  readonly faults: ReadonlyArray<DeliveryFaults.DeliveryFault>
  readonly deliveries: ReadonlyArray<Delivery>
}

const pace = 1000

/** Delivers the callbacks of a history, one a second, with the given faults. */
export const deliver = (
  history: History,
  faults: ReadonlyArray<DeliveryFaults.DeliveryFault>
): Delivered => {
  const originals: Array<Delivery | undefined> = history.statuses.map((status, index) => ({
    at: index * pace,
    status,
    amount: "text",
    forged: undefined
  }))
  const copies: Array<Delivery> = []
  for (const fault of faults) {
    const index = fault.index % originals.length
    const delivery = originals[index]
    if (delivery === undefined) continue
    if (fault.type === "forged") {
      const status = fault.forgery === "status" ? fault.status : delivery.status
      copies.push({ ...delivery, at: delivery.at + fault.delay, status, forged: fault.forgery })
    } else if (fault.type === "lost") originals[index] = undefined
    else if (fault.type === "number") originals[index] = { ...delivery, amount: "number" }
    else if (fault.type === "late")
      originals[index] = { ...delivery, at: delivery.at + fault.delay }
    else copies.push({ ...delivery, at: delivery.at + fault.delay })
  }
  const deliveries = [...originals, ...copies]
    .filter((each) => each !== undefined)
    .toSorted((one, two) => one.at - two.at)
  return { history, faults, deliveries }
}

export const deliveries = (history: fc.Arbitrary<History>): fc.Arbitrary<Delivered> =>
  DeliveryFaults.withFaults(history).map(([history, faults]) => deliver(history, faults))

/** One of several transactions of two merchants. */
export interface TrafficTransaction extends Delivered {
  readonly merchant: "one" | "two"
  /** Each kind of each merchant starts at 100001, so one id names several transactions. */
  readonly transactionId: string
  /** At most 100.00; of a refund a part of its payment, or all that is left of it. */
  readonly amount: string
  /** `undefined` if a refund's payment is none of these. */
  readonly paymentId: string | undefined
}

/**
 * Callback of one of many transactions; each merchant's secret changes once, and `secret` tells
 * which one signs it.
 */
export interface Arrival extends Delivery {
  readonly transaction: TrafficTransaction
  readonly secret: "current" | "previous"
}

/** Makes the arbitrary of the callbacks of many transactions, interleaved, in order of time. */
export const traffic = (
  history: fc.Arbitrary<History>,
  options?: { readonly maxTransactions?: number }
): fc.Arbitrary<{
  readonly transactions: ReadonlyArray<TrafficTransaction>
  readonly arrivals: ReadonlyArray<Arrival>
}> => {
  const drawn = fc.record({
    start: fc.nat({ max: 4 * pace }),
    delivered: deliveries(history),
    merchant: fc.constantFrom("one" as const, "two" as const),
    percent: fc.integer({ min: 1, max: 100 })
  })
  return fc
    .tuple(
      fc.array(drawn, { maxLength: options?.maxTransactions ?? 8 }),
      fc.record({ one: fc.nat({ max: 8 * pace }), two: fc.nat({ max: 8 * pace }) })
    )
    .map(([each, changedAt]) => {
      const transactions: Array<TrafficTransaction> = []
      const arrivals: Array<Arrival> = []
      for (const { delivered, merchant, percent, start } of each) {
        const { kind } = delivered.history
        const own = transactions.filter((other) => other.merchant === merchant)
        const leftOf = (payment: TrafficTransaction) =>
          own
            .filter(({ paymentId }) => paymentId === payment.transactionId)
            .reduce((left, refund) => left - cents(refund.amount), cents(payment.amount))
        const payment = own.find(
          (other) => kind === "refund" && other.history.kind === "card-payment" && leftOf(other) > 0
        )
        const most = payment === undefined ? 10_000 : leftOf(payment)
        const transaction = {
          ...delivered,
          merchant,
          transactionId: String(
            100_001 + own.filter(({ history }) => history.kind === kind).length
          ),
          amount: (Math.ceil((most * percent) / 100) / 100).toFixed(2),
          paymentId: payment?.transactionId
        }
        transactions.push(transaction)
        for (const delivery of delivered.deliveries) {
          const at = delivery.at + start
          const secret = at < changedAt[merchant] ? "previous" : "current"
          arrivals.push({ ...delivery, at, transaction, secret })
        }
      }
      return { transactions, arrivals: arrivals.toSorted((one, two) => one.at - two.at) }
    })
}

const cents = (amount: string): number => Math.round(Number(amount) * 100)
