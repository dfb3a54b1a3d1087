import * as Evidence from "@pawl/core/Evidence"
import { isTerminal, statuses } from "@pawl/core/Status"
import type { Event } from "./Fact.ts"
import { isParked } from "./Row.ts"
import { claimableAt, type StoredRow, type StoredRows } from "./StoredRow.ts"

/**
 * Deletes up to `limit` bodies older than a time, except those of dead letters, and of a status
 * that due work may tell, because its signed amount is compared.
 */
export const deleteBodies = (
  rows: StoredRows,
  { before, limit }: { readonly before: number; readonly limit: number }
): { readonly rows: StoredRows; readonly count: number } => {
  let count = 0
  const next = rows.map((stored) => {
    const { row } = stored
    if (isParked(row)) return stored
    const isDue = claimableAt(stored) < Infinity
    const newestCallbacks = { ...row.newestCallbacks }
    for (const status of statuses) {
      const { at = before } = newestCallbacks[status] ?? {}
      const isUntold = Evidence.news({ status } as Evidence.Standing, row.told) === status
      if (at >= before || (isUntold && isDue) || count === limit) continue
      delete newestCallbacks[status]
      count++
    }
    return { ...stored, row: { ...row, newestCallbacks } }
  })
  return { rows: count === 0 ? rows : next, count }
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
  rows.length > 0 && rows.every((stored) => newestAt(stored) < before && isDone(stored))

/** A status that only a read brought is new when told, which `more` may hide. */
const newestAt = ({ facts, row }: StoredRow): number =>
  Math.max(
    row.newStatusAt,
    ...facts.kept.map(({ at, fact, lastAt = at }) =>
      fact === "told" || fact === "more" ? lastAt : 0
    )
  )

const isDone = ({ dueAt, lane, lease, row }: StoredRow): boolean =>
  row.told !== undefined &&
  isTerminal(row.told) &&
  lease === undefined &&
  !isParked(row) &&
  (dueAt === undefined || lane === "watch")

/** Erases texts of persons. */
export const eraseRows = (
  rows: StoredRows
): { readonly rows: StoredRows } & Pick<Erased, "notes"> => {
  const facts = rows.flatMap(({ facts: { kept } }) => kept)
  return {
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

export const isErased = (rows: StoredRows | undefined): boolean =>
  rows !== undefined && (rows.length === 0 || rows.some(({ row }) => row.isErased))

export const keepErased = (before: StoredRows | undefined, after: StoredRows): StoredRows =>
  isErased(before) ? eraseRows(after).rows : after

const isNote = (fact: Event): boolean =>
  fact.fact === "redriven" && (fact.by !== undefined || fact.why !== undefined)
