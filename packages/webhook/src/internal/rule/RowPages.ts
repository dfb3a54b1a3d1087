import type { Kind } from "@pawl/core/Kind"
import type { Row } from "./Row.ts"
import type { StoredRow, StoredRows } from "./StoredRow.ts"

export interface PlannedKey {
  readonly dueAt: number
  readonly transactionId: string
  readonly scope: Kind
}

/**
 * A page of planned reads: the first `limit` behind `after` that were not made since `readSince`.
 * The first is made at `dueAt` at the latest, then `rate` in each second.
 */
export interface PlannedPage {
  readonly lane: "repeat" | "watch"
  readonly after: PlannedKey
  readonly readSince: number
  readonly dueAt: number
  readonly rate: number
  readonly limit: number
}

export const latestAt = ({ dueAt, rate }: PlannedPage, position: number): number =>
  dueAt + Math.floor((position * 1000) / rate)

/** Brings planned reads forward; one that is due earlier keeps its time. */
export const bringForward = (
  rows: StoredRows,
  page: PlannedPage
): {
  readonly changed: ReadonlyMap<StoredRow, StoredRow>
  readonly last: PlannedKey | undefined
} => {
  const planned = rows
    .filter((stored) => isPlanned(stored, page))
    .flatMap((stored) => (stored.dueAt === undefined ? [] : [{ stored, key: plannedKey(stored) }]))
    .filter(({ key }) => comparePlanned(key, page.after) > 0)
    .toSorted((one, two) => comparePlanned(one.key, two.key))
    .slice(0, page.limit)
  const changed = planned.flatMap(({ key, stored }, position) => {
    const at = latestAt(page, position)
    if (at >= key.dueAt) return []
    return [[stored, { ...stored, row: { ...stored.row, pollAt: at }, dueAt: at }] as const]
  })
  return {
    changed: new Map(changed),
    last: planned.length < page.limit ? undefined : planned.at(-1)?.key
  }
}

export const isPlanned = (
  { dueAt, lane, lease, row }: StoredRow,
  page: Pick<PlannedPage, "lane" | "readSince">
): boolean =>
  lane === page.lane &&
  lease === undefined &&
  dueAt !== undefined &&
  (row.askedAt ?? -Infinity) < page.readSince

const plannedKey = ({ dueAt = Infinity, row }: StoredRow): PlannedKey => ({
  dueAt,
  transactionId: row.transactionId,
  scope: row.scope
})

export const comparePlanned = (one: PlannedKey, two: PlannedKey): number =>
  one.dueAt - two.dueAt || compareKeys(one, two)

const compareText = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0)

/** A page of rows: `limit` rows behind `after` are examined. */
export interface PageOptions {
  readonly after?: RowKey | undefined
  readonly limit: number
  readonly from: number
  readonly before: number
}

export interface RowPage {
  readonly rows: ReadonlyArray<Row>
  readonly last: RowKey | undefined
}

export interface RowKey {
  readonly transactionId: string
  readonly scope: Kind
}

export const page = (all: StoredRows, { after, before, from, limit }: PageOptions): RowPage => {
  const rows = all
    .map(({ row }) => row)
    .filter((row) => after === undefined || compareKeys(row, after) > 0)
    .toSorted(compareKeys)
    .slice(0, limit)
  return {
    rows: rows
      .filter(({ createdAt }) => createdAt >= from && createdAt < before)
      .map((row) => ({ ...row, newestCallbacks: {} })),
    last: rows.length < limit ? undefined : rows.at(-1)
  }
}

/** Joins the pages of several ledgers; rows behind the first `last` come with the next page. */
export const join = (pages: ReadonlyArray<RowPage>): RowPage => {
  const [last] = pages.flatMap(({ last }) => last ?? []).toSorted(compareKeys)
  const rows = pages.flatMap(({ rows }) => rows).toSorted(compareKeys)
  return { last, rows: rows.filter((row) => last === undefined || compareKeys(row, last) <= 0) }
}

export const compareKeys = (one: RowKey, two: RowKey): number =>
  compareText(one.transactionId, two.transactionId) || compareText(one.scope, two.scope)
