import type { Kind } from "@pawl/core/Kind"
import type { Row } from "./Row.ts"
import type { StoredRow, StoredRows } from "./StoredRow.ts"

/** The place of a document among those that are due in a lane, or parked. */
export interface Place {
  readonly at: number
  readonly key: string
}

/**
 * The planned reads of the first `limit` documents behind `after` with one later than `dueAt` and
 * none since `readSince`. The first is made by `dueAt`, then those of `rate` documents in each
 * second.
 */
export interface PlannedPage {
  readonly lane: "repeat" | "watch"
  readonly after?: Place | undefined
  readonly readSince: number
  readonly dueAt: number
  readonly rate: number
  readonly limit: number
}

/** Brings a planned read of the document at a position forward; one that is earlier keeps its time. */
export const bringForward = (stored: StoredRow, page: PlannedPage, position: number): StoredRow => {
  const { dueAt = -Infinity } = stored
  const at = page.dueAt + Math.floor((position * 1000) / page.rate)
  return isPlanned(stored, page) && at < dueAt
    ? { ...stored, row: { ...stored.row, pollAt: at }, dueAt: at }
    : stored
}

export const isPlanned = (
  { dueAt = -Infinity, lane, lease, row }: StoredRow,
  page: PlannedPage
): boolean =>
  lane === page.lane &&
  lease === undefined &&
  dueAt > page.dueAt &&
  (row.askedAt ?? -Infinity) < page.readSince

export const comparePlaces = (one: Place, two: Place): number =>
  one.at - two.at || compareText(one.key, two.key)

/** Compares texts without NUL by code points, as databases do: `<` has U+1F600 before U+FF5E. */
export const compareText = (one: string, two: string): number => {
  let at = 0
  while (at < one.length && one[at] === two[at]) at++
  return (one.codePointAt(at) ?? 0) - (two.codePointAt(at) ?? 0)
}

/**
 * `limit` rows behind `after` are examined. A row that cannot be read has no known time, so every
 * page has it.
 */
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
    rows: rows.filter(
      ({ createdAt, unreadable }) =>
        unreadable === "document" || (createdAt >= from && createdAt < before)
    ),
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
