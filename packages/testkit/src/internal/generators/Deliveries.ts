/**
 * fast-check arbitraries of the delivery of a transaction's callbacks.
 *
 * **Details**
 *
 * A delivery starts with every callback of a history, once and in order. Then faults change it: a callback arrives
 * late and out of order, arrives again, is lost, has its amount written as a number, or is copied by a forger. A
 * counterexample shrinks to the undisturbed delivery with the faults that matter.
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
 * One callback as it arrives, `at` milliseconds after the first was due. `amount` is the JSON type of its amount;
 * `forged` is the change that a forger made, if any.
 */
export interface Delivery {
  readonly at: number
  readonly status: OpenStatus
  readonly amount: "text" | "number"
  readonly forged: DeliveryFaults.Forgery | undefined
}

/** A history, the faults in its delivery, and the callbacks as they arrived, in order. */
export interface Delivered {
  readonly history: History
  readonly faults: ReadonlyArray<DeliveryFaults.DeliveryFault>
  readonly deliveries: ReadonlyArray<Delivery>
}

/** Milliseconds between the callbacks of one history. */
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

/**
 * Makes the arbitrary of deliveries of a history: shuffled, repeated, lost, delayed, with amounts written as numbers,
 * and forged in every way the checksum allows.
 */
export const deliveries = (history: fc.Arbitrary<History>): fc.Arbitrary<Delivered> =>
  DeliveryFaults.withFaults(history).map(([history, faults]) => deliver(history, faults))

/** A callback of one of several transactions. */
export interface Arrival extends Delivery {
  readonly transactionId: string
}

/**
 * Makes the arbitrary of the callbacks of many transactions, interleaved. `arrivals` is in order of time;
 * transactionIds start at 100001.
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
