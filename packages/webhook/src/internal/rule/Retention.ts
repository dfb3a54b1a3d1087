/**
 * The rules of what a ledger deletes: the transactions that are old enough, and the texts of a person.
 *
 * **Details**
 *
 * A transaction is kept for ever by default, so that a replay after a year still counts as a repeat. `Cleaner.KeptMonths` deletes
 * older ones. A ledger that deleted a transaction does not know it afterwards: a callback of it counts as that of a new
 * transaction.
 *
 * Every function is pure.
 */
import { isTerminal } from "@pawl/core/Status"
import type { Event } from "./Fact.ts"
import type { StoredRow, StoredRows } from "./StoredRow.ts"

/**
 * The result of an erase: the number of rows of the transaction, which stay, and the numbers of the bodies of callbacks, callbacks in
 * quarantine, notes of persons and requests whose texts were deleted. `open` is the number of its requests that are not settled
 * yet: their texts stay, because they may have to be sent again.
 */
export interface Erased {
  readonly rows: number
  readonly bodies: number
  readonly quarantined: number
  readonly notes: number
  readonly requests: number
  readonly open: number
}

/**
 * Tells whether a transaction may be deleted, by all of its rows: each had its last new status before `before` and is done.
 *
 * **Details**
 *
 * A row is done if the handler was told a terminal status, it has no lease, it is no dead letter, and no work on it is due but a
 * read of the watch. A row without a new status for so long has no claim left that a read could still confirm.
 */
export const isDeletable = (rows: StoredRows, before: number): boolean =>
  rows.length > 0 && rows.every((stored) => stored.row.newStatusAt < before && isDone(stored))

const isDone = ({ dueAt, lane, lease, row }: StoredRow): boolean =>
  row.told !== undefined &&
  isTerminal(row.told) &&
  lease === undefined &&
  row.deadLetter === undefined &&
  (dueAt === undefined || lane === "watch")

/**
 * Erases the texts of rows: the bodies of their callbacks, and the notes of their redrives. The fields for accounting stay: ids,
 * orders, signed amounts, statuses, counts and times.
 */
export const eraseRows = (
  rows: StoredRows
): { readonly rows: StoredRows } & Pick<Erased, "bodies" | "notes"> => {
  const facts = rows.flatMap(({ facts: { kept } }) => kept)
  return {
    bodies: rows.flatMap((stored) => Object.keys(stored.bodies)).length,
    notes: facts.filter(isNote).length,
    rows: rows.map((stored) => ({
      ...stored,
      bodies: {},
      facts: {
        ...stored.facts,
        kept: stored.facts.kept.map((fact) =>
          isNote(fact) ? { ...fact, by: undefined, why: undefined } : fact
        )
      }
    }))
  }
}

const isNote = (fact: Event): boolean =>
  fact.fact === "redriven" && (fact.by !== undefined || fact.why !== undefined)
