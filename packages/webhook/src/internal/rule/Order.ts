/**
 * The order of a transaction: what its registrations say, and that none of them changes another.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import * as ExpectedAmount from "./ExpectedAmount.ts"
import { orderedOf, type Registration, type Row } from "./Row.ts"

/**
 * Error raised when an operation is registered already, with another account, amount or currency. Nothing was written.
 */
export class RegisteredDifferently extends Data.TaggedError("RegisteredDifferently")<{
  readonly field: "account" | "amount" | "currency"
}> {
  override get message() {
    return `The operation is registered already with another ${this.field}`
  }
}

/** The order of a row, and whether it is that of registrations; else it is that of a token. */
export type OrderOfRow = Pick<Row, "ordered" | "isOrderRegistered">

/**
 * Returns the order of a row after its registration. The order of an earlier registration stays; that of a token, which
 * may have been moved to another callback, is replaced, also if an earlier registration had no order.
 */
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
  const field = (["account", "amount", "currency"] as const).find((name) => {
    const [one, two] = [ordered?.[name], registration[name]]
    if (one === undefined || two === undefined || one === two) return false
    return name !== "amount" || !ExpectedAmount.isSameAmount(one, two)
  })
  return field === undefined
    ? Result.succeed({
        ordered: orderedOf({ ...registration, ...ordered }),
        isOrderRegistered
      })
    : Result.fail(new RegisteredDifferently({ field }))
}

/**
 * Returns the order of two joined rows. The order of a registration comes before that of a token, and the first row's
 * before the other's.
 */
export const joinOrders = (row: OrderOfRow, other: OrderOfRow): OrderOfRow =>
  row.ordered === undefined || (other.isOrderRegistered && !row.isOrderRegistered)
    ? { ordered: other.ordered, isOrderRegistered: other.isOrderRegistered }
    : { ordered: row.ordered, isOrderRegistered: row.isOrderRegistered }
