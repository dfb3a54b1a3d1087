/**
 * The order of a transaction: what its registrations say, and that none of them changes another.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import * as ExpectedAmount from "./internal/ExpectedAmount.ts"
import { type Ordered, orderedOf, type Registration, type Row } from "./Row.ts"

/**
 * Error raised when an operation is registered already, with another account, amount or currency. Nothing was written.
 *
 * @category errors
 * @since 0.1.0
 */
export class RegisteredDifferently extends Data.TaggedError("RegisteredDifferently")<{
  readonly field: "account" | "amount" | "currency"
}> {
  override get message() {
    return `The operation is registered already with another ${this.field}`
  }
}

/**
 * Returns the order of a row after its registration. The order of an earlier registration stays; that of a token, which
 * may have been moved to another callback, is replaced.
 *
 * @category reducers
 * @since 0.1.0
 */
export const orderAfter = (
  { ordered, registered }: Pick<Row, "ordered" | "registered">,
  registration: Registration
): Result.Result<Ordered | undefined, RegisteredDifferently> => {
  if (!registered) return Result.succeed(orderedOf(registration) ?? ordered)
  const field = (["account", "amount", "currency"] as const).find((name) => {
    const [one, two] = [ordered?.[name], registration[name]]
    if (one === undefined || two === undefined || one === two) return false
    return name !== "amount" || !ExpectedAmount.isSameAmount(one, two)
  })
  return field === undefined
    ? Result.succeed(orderedOf({ ...registration, ...ordered }))
    : Result.fail(new RegisteredDifferently({ field }))
}

/**
 * Returns the order of two joined rows. The order of a registration comes before that of a token, and the first row's
 * before the other's.
 *
 * @category reducers
 * @since 0.1.0
 */
export const joinOrders = (
  row: Pick<Row, "ordered" | "registered">,
  other: Pick<Row, "ordered" | "registered">
): Ordered | undefined =>
  other.registered && !row.registered
    ? (other.ordered ?? row.ordered)
    : (row.ordered ?? other.ordered)
