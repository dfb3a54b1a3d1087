/**
 * Dead letters in memory.
 */
import type { Ledger } from "../../Ledger.ts"
import { isParked, type Parked, type ParkedKey } from "../../Row.ts"
import type { StoredRows } from "../../StoredRow.ts"

type Page = Parameters<Ledger["Service"]["deadLetters"]>[0] & {
  readonly before?: number | undefined
}

/** Counts the dead letters. */
export const count = (rows: StoredRows): number => rows.filter(({ row }) => isParked(row)).length

/** Lists a page of the dead letters, oldest first. */
export const page = (
  rows: StoredRows,
  { after, before = Infinity, limit, reason }: Page
): ReadonlyArray<Parked> =>
  rows
    .map(({ row }) => row)
    .filter(isParked)
    .filter(
      (row) =>
        row.deadLetter.at <= before &&
        (reason ?? row.deadLetter.reason) === row.deadLetter.reason &&
        (after === undefined || compare(keyOf(row), after) > 0)
    )
    .toSorted((one, two) => compare(keyOf(one), keyOf(two)))
    .slice(0, limit)
    .map((row) => ({ ...row, newestCallbacks: {} }))

const keyOf = ({ deadLetter: { at }, scope, transactionId }: Parked): ParkedKey => ({
  at,
  scope,
  transactionId
})

const compare = (one: ParkedKey, two: ParkedKey): number =>
  one.at - two.at ||
  compareText(one.transactionId, two.transactionId) ||
  compareText(one.scope, two.scope)

const compareText = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0)
