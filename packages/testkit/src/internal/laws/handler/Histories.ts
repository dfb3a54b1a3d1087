/**
 * The calls of a handler: each status of a transaction in order, as the worker of `@pawl/webhook`
 * makes them.
 */
import { isTerminal, type Status } from "@pawl/core/Status"
import * as fc from "fast-check"
import * as Generators from "../../../Generators.ts"
import { amount, type Call, parts, requestId } from "./Model.ts"

export const paid: ReadonlyArray<Status> = ["NEW", "PENDING", "PROCESSING", "SUCCEED"]

export type Fields = Partial<Pick<Call, "kind" | "requestId" | "transactionId" | "amount">>

export const calls = (statuses: ReadonlyArray<string>, options: Fields = {}): ReadonlyArray<Call> =>
  statuses.map((to, at) => {
    const ends = [...new Set(statuses.slice(0, at + 1))].filter(isEnd)
    return Object.freeze({
      requestId,
      transactionId: "100001",
      amount,
      ...options,
      from: (statuses[at - 1] ?? null) as Status | null,
      to,
      sequence: at + 1,
      attempt: 1,
      byCallback: true,
      conflict: ends.length > 1 && isEnd(to) ? ends : null
    })
  })

const isEnd = (status: string): status is Status =>
  ["SUCCEED", "FAILED", "CANCELLED"].includes(status)

/** One history in four has two ends. */
const payments: fc.Arbitrary<ReadonlyArray<Call>> = fc
  .oneof(
    { withCrossShrink: true },
    { arbitrary: Generators.histories("card-payment"), weight: 3 },
    Generators.dishonestHistories("card-payment")
  )
  .map(({ statuses }) => calls(told(statuses)))

/**
 * Leaves out what is not told: PROCESSING after CUSTOMER_VERIFICATION, and SUCCEED after
 * CHARGEBACK.
 */
const told = (statuses: ReadonlyArray<Status>): ReadonlyArray<Status> =>
  statuses.filter((to, at) => {
    const before = statuses[at - 1]
    return to === "PROCESSING" ? before !== "CUSTOMER_VERIFICATION" : before !== "CHARGEBACK"
  })

const honest: fc.Arbitrary<ReadonlyArray<Status>> = Generators.histories("card-payment").map(
  ({ statuses }) => told(statuses)
)

export const beginnings: fc.Arbitrary<ReadonlyArray<Status>> = honest.map((statuses) =>
  statuses.filter((status) => !isTerminal(status))
)

const refundStatuses = (isWanted: (last: Status | undefined) => boolean) =>
  Generators.histories("refund")
    .map(({ statuses }) => statuses)
    .filter((statuses) => isWanted(statuses.at(-1)))

const refundCalls = (statuses: ReadonlyArray<Status>, at: number, amount: string, range: string) =>
  calls(statuses, {
    kind: "refund",
    requestId: `return-${at + 1}`,
    transactionId: `${range}0000${at + 1}`,
    amount
  })

/** Of the second range, the first refund has the number of the payment. */
const ranges = fc.constantFrom("2", "1")

/** A payment in SUCCEED; then refunds of these amounts, and its REFUNDED, in any order. */
export const refunded = (amounts: ReadonlyArray<string>): fc.Arbitrary<ReadonlyArray<Call>> => {
  const refunds = fc
    .tuple(fc.tuple(...amounts.map(() => refundStatuses((last) => last === "SUCCEED"))), ranges)
    .map(([each, range]) =>
      each.flatMap((statuses, at) => refundCalls(statuses, at, amounts[at] ?? "", range))
    )
  return beginnings.chain((open) => {
    const payment = calls([...open, "SUCCEED", "REFUNDED"])
    return merged(refunds, fc.constant(payment.slice(-1))).map((later) => [
      ...payment.slice(0, -1),
      ...later
    ])
  })
}

export const unfinishedRefund: fc.Arbitrary<ReadonlyArray<Call>> = fc
  .tuple(
    refundStatuses((last) => last !== "SUCCEED"),
    ranges
  )
  .map(([statuses, range]) => refundCalls(statuses, 0, parts[0] ?? "", range))

export const merged = (
  ones: fc.Arbitrary<ReadonlyArray<Call>>,
  twos: fc.Arbitrary<ReadonlyArray<Call>>
): fc.Arbitrary<ReadonlyArray<Call>> =>
  fc.tuple(ones, twos, fc.array(fc.nat(16), { maxLength: 8 })).map(([one, two, places]) =>
    two
      .map((call, at) => ({ call, after: Math.min(places[at] ?? 16, one.length) }))
      .toSorted((a, b) => a.after - b.after)
      .reduceRight<ReadonlyArray<Call>>(
        (all, { after }, at) => all.toSpliced(after, 0, two[at] as Call),
        one
      )
  )

/** A payment, in half of the cases with refunds of parts, of which the last calls may be missing. */
const sales: fc.Arbitrary<ReadonlyArray<Call>> = fc.oneof(
  { withCrossShrink: true },
  payments,
  fc.tuple(refunded(parts), fc.nat(16)).map(([calls, more]) => calls.slice(0, 1 + more))
)

/** The calls before and after an older backup was restored: the later ones have numbers from 1. */
const restored = (
  histories: fc.Arbitrary<ReadonlyArray<Status>>,
  fields: Fields
): fc.Arbitrary<ReadonlyArray<Call>> =>
  fc
    .tuple(histories, fc.nat(8), fc.nat(8))
    .map(([statuses, end, again]) => [
      ...calls(statuses.slice(0, end), fields),
      ...calls(statuses.slice(Math.min(end, again)), fields)
    ])

/** `one` are of one transaction, and `all` of an order with its refunds. */
export const ofPayments = {
  one: payments,
  all: sales,
  restored: restored(honest, {}),
  fields: {} as Fields
}

export const payout = { kind: "apm-payout" } as const

/**
 * A third of the payouts that were made and not refunded are charged back
 * (`docs/decisions/0083-reconcile-and-replay.md`).
 */
const payoutStatuses: fc.Arbitrary<ReadonlyArray<Status>> = fc
  .tuple(Generators.histories("apm-payout"), fc.nat(2))
  .map(([{ statuses }, more]) =>
    more === 0 && statuses.at(-1) === "SUCCEED" ? [...statuses, "CHARGEBACK"] : statuses
  )

export const honestPayouts = payoutStatuses.map((statuses) => calls(statuses, payout))

const payouts = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: honestPayouts, weight: 3 },
  Generators.dishonestHistories("apm-payout").map(({ statuses }) => calls(statuses, payout))
)

export const ofPayouts: typeof ofPayments = {
  one: payouts,
  all: payouts,
  restored: restored(payoutStatuses, payout),
  fields: payout
}
