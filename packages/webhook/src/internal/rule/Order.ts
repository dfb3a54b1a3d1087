import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { orderedOf, type Registration, type Row, type Ordered } from "./Row.ts"
import type { Signed } from "@pawl/core/Callback"
import * as Grammar from "@pawl/core/internal/Grammar"
import type { Kind } from "@pawl/core/Kind"
import type { RequestRow } from "./RequestRow.ts"

/** Error raised when an operation is already registered differently. Nothing was written. */
export class RegisteredDifferently extends Data.TaggedError("RegisteredDifferently")<{
  /** The field that differs. */
  readonly field: "account" | "amount" | "currency" | "requestId"
}> {
  override get message() {
    return `The operation is already registered with another ${this.field}`
  }
}

/** The order of a row; `isOrderRegistered` is false for that of a token. */
export type OrderOfRow = Pick<Row, "ordered" | "isOrderRegistered">

/** A registered order stays. */
export const orderAfter = (
  { isOrderRegistered, ordered }: OrderOfRow,
  registration: Registration
): Result.Result<OrderOfRow, RegisteredDifferently> => {
  if (!isOrderRegistered) {
    const registered = orderedOf(registration)
    return Result.succeed({
      ordered: registered ?? ordered,
      isOrderRegistered: registered !== undefined
    })
  }
  const field = (["account", "amount", "currency", "requestId"] as const).find((name) => {
    const [one, two] = [ordered?.[name], registration[name]]
    if (one === undefined || two === undefined || one === two) return false
    return name !== "amount" || !isSameAmount(one, two)
  })
  return field === undefined
    ? Result.succeed({
        ordered: orderedOf({ ...registration, ...ordered }),
        isOrderRegistered
      })
    : Result.fail(new RegisteredDifferently({ field }))
}

/** A registration comes before a token, then the first row before the other. */
export const joinOrders = (row: OrderOfRow, other: OrderOfRow): OrderOfRow =>
  row.ordered === undefined || (other.isOrderRegistered && !row.isOrderRegistered)
    ? { ordered: other.ordered, isOrderRegistered: other.isOrderRegistered }
    : { ordered: row.ordered, isOrderRegistered: row.isOrderRegistered }

/** Subscriptions and intents may change their amounts. */
const isFixed = (kind: Kind): boolean =>
  kind === "apm-payment" || kind === "refund" || kind.endsWith("payout")

/**
 * Tells whether a callback names another account: a replay, whose fields the handler does not
 * receive.
 */
export const isOfOtherAccount = ({ ordered }: Row, { account }: Signed): boolean =>
  (ordered?.account ?? account) !== account

/** Tells whether the signed amount differs, as a number rounded as the service rounds. */
export const differs = (row: Row): boolean =>
  isFixed(row.kind) &&
  !row.amountCleared &&
  Object.values(row.newestCallbacks).some(
    ({ signed }) =>
      signed !== undefined && !isOfOtherAccount(row, signed) && !isAsOrdered(row.ordered, signed)
  )

/**
 * At least one callback has signed fields, and all of these match the request's account, amount
 * and currency. The account of an intent is a mid, which no APM callback has.
 */
export const isOfRequest = (request: RequestRow, row: Row): boolean => {
  const isIntent = request.kind === "payment-intent"
  const isOfApm = isIntent && row.method === "apm"
  const ordered = isOfApm ? row.ordered : { ...row.ordered, ...request.ordered }
  const canChange = isIntent || request.kind === "subscription"
  const all = Object.values(row.newestCallbacks).flatMap(({ signed }) => signed ?? [])
  const isSame = (signed: Signed) =>
    (ordered?.account ?? signed.account) === signed.account &&
    (canChange || isAsOrdered(ordered, signed))
  return all.length > 0 && all.every(isSame)
}

const isAsOrdered = (ordered: Ordered | undefined, { amount, currency }: Signed): boolean =>
  (ordered?.currency ?? currency) === currency &&
  (ordered?.amount === undefined || isSameAmount(ordered.amount, amount))

const isSameAmount = (ordered: string, signed: string): boolean =>
  Grammar.signedAmount.test(signed) && hundredths(ordered) === hundredths(signed)

/** Rounds half up. Core's `Amount` needs Schema, a third of a receiver's bundle. */
const hundredths = (text: string): bigint | undefined => {
  const [, whole, fraction = ""] = /^([0-9]{1,40})(?:\.([0-9]{1,40}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const [tenth = "0", hundredth = "0", rest = "0"] = fraction
  return BigInt(whole + tenth + hundredth) + (rest >= "5" ? 1n : 0n)
}
