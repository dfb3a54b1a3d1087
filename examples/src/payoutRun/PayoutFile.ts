/**
 * A file of payouts: CSV without quotes, whose first line is `id,amount,currency,iban`.
 */
import * as Amount from "@pawl/core/Amount"
import type { RequestInput } from "@pawl/core/RequestSender"
import * as Data from "effect/Data"
import * as Result from "effect/Result"

export type Payout = RequestInput<"apm-payout"> & { readonly requestId: string }

/** Error raised when a file is not a list of payouts. The message names the line and the column, never a value. */
export class InvalidFile extends Data.TaggedError("InvalidFile")<{ readonly message: string }> {}

const columns = ["id", "amount", "currency", "iban"] as const

/** Reads all lines. The id of a line is the requestId of its payout, so it must not be there twice. */
export const parse = (text: string): Result.Result<ReadonlyArray<Payout>, InvalidFile> => {
  const [head, ...lines] = text.trimEnd().split(/\r?\n/u)
  if (head !== columns.join(",")) {
    return Result.fail(new InvalidFile({ message: `The first line is not ${columns.join(",")}` }))
  }
  const payouts = new Map<string, Payout>()
  for (const [at, line] of lines.entries()) {
    const cells = line.split(",")
    const [id = "", amount = "", currency = "", iban = ""] = cells
    const problem =
      cells.length !== columns.length || line.includes('"')
        ? `it does not have ${columns.length} cells without quotes`
        : id === "" || payouts.has(id)
          ? "its id is empty, or is that of an earlier line"
          : Result.isFailure(Amount.parse(amount))
            ? "its amount is not a decimal number"
            : undefined
    if (problem !== undefined) {
      return Result.fail(new InvalidFile({ message: `Line ${at + 2} cannot be used: ${problem}` }))
    }
    payouts.set(id, {
      requestId: id,
      accountId: "4711",
      amount,
      currency,
      apmPayload: { paymentMethod: "BANK_TRANSFER", account: iban }
    })
  }
  return Result.succeed([...payouts.values()])
}
