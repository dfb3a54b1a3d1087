/** The deletion of old transactions and bodies, and the erasure of one transaction. */
import { isTerminal, statuses } from "@pawl/core/Status"
import type { Event } from "./Fact.ts"
import type { StoredRow, StoredRows } from "./StoredRow.ts"

/** Deletes up to `limit` bodies older than a time, except those of dead letters. */
export const deleteBodies = (
  rows: StoredRows,
  { before, limit }: { readonly before: number; readonly limit: number }
): { readonly rows: StoredRows; readonly count: number } => {
  let count = 0
  const next = rows.map((stored) => {
    const { row } = stored
    if (row.deadLetter !== undefined) return stored
    const newestCallbacks = { ...row.newestCallbacks }
    const bodies = { ...stored.bodies }
    for (const status of statuses) {
      if (count === limit) break
      if ((newestCallbacks[status]?.at ?? Infinity) >= before) continue
      delete newestCallbacks[status]
      delete bodies[status]
      count++
    }
    return { ...stored, row: { ...row, newestCallbacks }, bodies }
  })
  return count === 0 ? { rows, count } : { rows: next, count }
}

/** The result of an erasure; the texts of the `open` requests stay. */
export interface Erased {
  readonly rows: number
  readonly bodies: number
  readonly quarantined: number
  readonly notes: number
  readonly requests: number
  readonly open: number
}

/**
 * Tells whether a transaction may be deleted: every row has delivered a terminal status, no new
 * status since `before`, and no lease, dead letter or due work except a read of the watch.
 */
export const isDeletable = (rows: StoredRows, before: number): boolean =>
  rows.length > 0 && rows.every((stored) => stored.row.newStatusAt < before && isDone(stored))

const isDone = ({ dueAt, lane, lease, row }: StoredRow): boolean =>
  row.told !== undefined &&
  isTerminal(row.told) &&
  lease === undefined &&
  row.deadLetter === undefined &&
  (dueAt === undefined || lane === "watch")

/** Erases texts of persons; amounts, statuses, counts and times stay for accounting. */
export const eraseRows = (
  rows: StoredRows
): { readonly rows: StoredRows } & Pick<Erased, "bodies" | "notes"> => {
  const facts = rows.flatMap(({ facts: { kept } }) => kept)
  return {
    bodies: rows.flatMap((stored) => Object.keys(stored.bodies)).length,
    notes: facts.filter(isNote).length,
    rows: rows.map((stored) => ({
      ...stored,
      row: { ...stored.row, isErased: true },
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

/** Tells whether a transaction is kept without rows. */
export const isErased = (rows: StoredRows | undefined): boolean =>
  rows !== undefined && (rows.length === 0 || rows.some(({ row }) => row.isErased))

export const keepErased = (before: StoredRows | undefined, after: StoredRows): StoredRows =>
  isErased(before) ? eraseRows(after).rows : after

const isNote = (fact: Event): boolean =>
  fact.fact === "redriven" && (fact.by !== undefined || fact.why !== undefined)
