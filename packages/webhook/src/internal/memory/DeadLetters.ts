/**
 * Dead letters in memory.
 */
import type { Ledger } from "../../Ledger.ts"
import { isParked, type Parked, type ParkedKey, type Row } from "../../Row.ts"
import { compareKeys } from "../../RowPages.ts"
import type { StoredRow } from "../../StoredRow.ts"
import type { OrderedIndex } from "./OrderedIndex.ts"

type Page = Parameters<Ledger["Service"]["deadLetters"]>[0] & {
  readonly before?: number | undefined
}

/** Lists a page of the dead letters, oldest first. */
export const page = (
  parked: OrderedIndex<StoredRow>,
  { after, before = Infinity, limit, reason }: Page
): ReadonlyArray<Parked> => {
  const rows: Array<Parked> = []
  const behind = parked.from(({ row }) => after !== undefined && compare(keyOf(row), after) <= 0)
  for (const { row } of behind) {
    if (rows.length === limit || !isParked(row) || row.deadLetter.at > before) break
    if ((reason ?? row.deadLetter.reason) === row.deadLetter.reason) {
      rows.push({ ...row, newestCallbacks: {} })
    }
  }
  return rows
}

/** Compares the places of two dead letters in the list of all. */
export const compareRows = (one: StoredRow, two: StoredRow): number =>
  compare(keyOf(one.row), keyOf(two.row))

const keyOf = ({ deadLetter, scope, transactionId }: Row): ParkedKey => ({
  at: deadLetter?.at ?? Infinity,
  scope,
  transactionId
})

const compare = (one: ParkedKey, two: ParkedKey): number => one.at - two.at || compareKeys(one, two)
