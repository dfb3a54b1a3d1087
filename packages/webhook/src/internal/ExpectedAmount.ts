/**
 * Holds what callbacks say of money against what was ordered.
 *
 * @since 0.1.0
 */
import type { Signed } from "@pawl/core/Callback"
import * as Grammar from "@pawl/core/Grammar"
import type { Kind } from "@pawl/core/Kind"
import type { Row, Ordered } from "../Row.ts"

/** What is paid is what was ordered; a subscription's charges and an intent's amount may change. */
const isFixed = (kind: Kind): boolean =>
  kind === "apm-payment" || kind === "refund" || kind.endsWith("payout")

/**
 * Tells whether a callback is of another account than the one that was ordered from: a replay of some
 * other transaction's, which says nothing about this one.
 */
export const isForeign = ({ ordered }: Row, { account }: Signed): boolean =>
  ordered?.account !== undefined && ordered.account !== account

/**
 * Tells whether a callback of an APM payment, payout or refund has another amount or currency than was
 * ordered, as numbers, after the service's rounding.
 */
export const differ = (row: Row): boolean =>
  isFixed(row.kind) &&
  !row.amountCleared &&
  Object.values(row.newestCallbacks).some(
    ({ signed }) => !isForeign(row, signed) && !isAsOrdered(row.ordered, signed)
  )

const isAsOrdered = (ordered: Ordered | undefined, { amount, currency }: Signed): boolean =>
  (ordered?.currency === undefined || ordered.currency === currency) &&
  (ordered?.amount === undefined || isSame(ordered.amount, amount))

/** What cannot be read as an amount is not the same as any. */
const isSame = (ordered: string, signed: string): boolean =>
  Grammar.amount.test(signed) && hundredths(ordered) === hundredths(signed)

/**
 * Counts the hundredths of a decimal text, half up as the service rounds. Plain: `Amount` would bring Schema
 * along, a third of a receiver's weight.
 */
const hundredths = (text: string): bigint | undefined => {
  const [, whole, fraction = ""] = /^([0-9]{1,40})(?:\.([0-9]{1,40}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const [tenth = "0", hundredth = "0", rest = "0"] = fraction
  return BigInt(whole + tenth + hundredth) + (rest >= "5" ? 1n : 0n)
}
