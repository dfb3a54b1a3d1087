import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Method } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import {
  lanes,
  type DeadLetter,
  isParked,
  type Key,
  type Parked,
  type ParkedKey
} from "../rule/Row.ts"
import * as RowPages from "../rule/RowPages.ts"
import * as StoredRow from "../rule/StoredRow.ts"
import { keyOf, keyOfRow, type TransactionKey } from "../documents/Fields.ts"
import type { Records } from "../records/Engine.ts"
import type { Found } from "../records/Known.ts"
import { each, type Engines, sum } from "../records/Engines.ts"
import { bodyNames } from "./Accepting.ts"

type Stored<A> = Effect.Effect<A, StoreUnavailable>

export interface DeadLettersPage {
  readonly limit: number
  readonly after?: ParkedKey | undefined
  readonly reason?: DeadLetter["reason"] | undefined
}

export const make = (engines: Engines) => {
  const rowsOf = (key: TransactionKey) =>
    engines
      .of(key)
      .get("transactions", keyOf(key))
      .pipe(
        Effect.catchTag("Unreadable", ({ at }) => Effect.succeed(StoredRow.unreadable(key, at))),
        Effect.map((rows = []) => rows)
      )

  return {
    /**
     * Finds a row by method and id: the payment, else the payout, else the refund, else the row of
     * unknown kind.
     */
    get: (method: Method, transactionId: string) =>
      Effect.map(rowsOf({ method, transactionId }), (rows) => StoredRow.get(rows, method)),
    story: (method: Method, transactionId: string): Stored<ReadonlyArray<StoredRow.Story>> =>
      Effect.map(rowsOf({ method, transactionId }), (rows) =>
        rows.map((stored) => StoredRow.storyOf(stored))
      ),
    /**
     * Returns the body of the newest callback of a row that claims a status, as received; undefined
     * if it was deleted.
     */
    body: Effect.fnUntraced(function* (
      { method, scope, transactionId }: Required<Key>,
      status: Status
    ) {
      const key = { method, transactionId }
      const rows = yield* rowsOf(key)
      const row = rows.find((stored) => stored.row.scope === scope)?.row
      if (row?.newestCallbacks[status] === undefined) return undefined
      for (const name of bodyNames(rows, row.scope, status)) {
        const body = yield* engines.of(key).text("transactions", keyOf(key), name)
        if (body !== undefined) return body
      }
      return undefined
    }),
    /**
     * Examines up to `limit` rows behind `after`, in the order of their keys, and returns those
     * created from `from` until `before`. `last` is the last examined key; undefined on the last
     * page.
     */
    page: (options: RowPages.PageOptions) =>
      Effect.map(
        each(engines, (records) => pageOf(records, options)),
        RowPages.join
      ),
    /** Lists dead letters behind `after`, oldest first, of one `reason` if it is given. */
    deadLetters: (page: DeadLettersPage): Stored<ReadonlyArray<Parked>> =>
      Effect.map(
        each(engines, (records) => parkedIn(records, page)),
        (pages) => pages.flat().toSorted(byPlace).slice(0, page.limit)
      ),
    /**
     * Counts the rows that may be claimed at a time, and the dead letters. `oldestDueAt` is the
     * time since which the oldest row may be claimed.
     */
    backlog: (at: number) =>
      Effect.map(
        each(engines, (records) => backlogOf(records, at)),
        (all) => ({
          due: sum(all.map(({ due }) => due)),
          oldestDueAt: earliest(all.map(({ oldestDueAt }) => oldestDueAt)),
          deadLetters: sum(all.map(({ deadLetters }) => deadLetters))
        })
      )
  }
}

const rowsIn = (found: ReadonlyArray<Found<StoredRow.StoredRows>>): StoredRow.StoredRows =>
  found.flatMap(({ value }) => value)

const pageOf = Effect.fnUntraced(function* (records: Records, options: RowPages.PageOptions) {
  const rows: Array<StoredRow.StoredRow> = []
  // No key of an id comes before the id with a tab. Its document may have a row behind `after`.
  let after = options.after ? `${options.after.transactionId}\t` : ""
  for (;;) {
    const { found, last } = yield* records.page("transactions", { after, limit: options.limit + 2 })
    rows.push(...rowsIn(found))
    const page = RowPages.page(rows, options)
    // An erased transaction that was deleted has a document without a row.
    if (page.last || !last) return page
    after = last
  }
})

/** A document may have no dead letter of the reason. */
const parkedIn = Effect.fnUntraced(function* (
  records: Records,
  { after, limit, reason }: DeadLettersPage
) {
  const parked = new Map<string, Parked>()
  let from: RowPages.Place = after
    ? { at: after.at, key: keyOfRow(after) }
    : { at: Number.MIN_SAFE_INTEGER, key: "" }
  for (;;) {
    const found = yield* records.list("transactions", { from, limit: limit + 2 })
    for (const { row } of rowsIn(found)) {
      if (!isParked(row) || (reason && row.deadLetter.reason !== reason)) continue
      if (after && compare(placeOf(row), after) <= 0) continue
      parked.set(`${row.scope}/${row.transactionId}`, { ...row, newestCallbacks: {} })
    }
    const last = found.filter((each) => !isBefore(each, from))[limit + 1]
    const rows = [...parked.values()].toSorted(byPlace)
    const end = rows[limit - 1]
    // A row may be parked later than the rows of the next documents.
    if (!last || (end && !isBefore(last, { at: end.deadLetter.at, key: keyOfRow(end) }))) {
      return rows.slice(0, limit)
    }
    // The character comes before any character of a key.
    from = { at: last.at, key: `${last.key}\u0001` }
  }
})

const backlogOf = Effect.fnUntraced(function* (records: Records, at: number) {
  const { due, listed, several } = yield* records.count("transactions", at)
  const rows = rowsIn(several)
  const first = yield* records.due(
    "transactions",
    lanes.map((_, lane) => ({ lane, from: Number.MIN_SAFE_INTEGER, to: at, limit: 1 }))
  )
  return {
    due: due + rows.filter((stored) => StoredRow.claimableAt(stored) <= at).length,
    oldestDueAt: earliest(first.map((found) => found.at)),
    deadLetters: listed + rows.filter(({ row }) => isParked(row)).length
  }
})

const isBefore = (one: RowPages.Place, two: RowPages.Place): boolean =>
  RowPages.comparePlaces(one, two) < 0

export const placeOf = ({ deadLetter, scope, transactionId }: Parked): ParkedKey => ({
  at: deadLetter.at,
  scope,
  transactionId
})

const compare = (one: ParkedKey, two: ParkedKey): number =>
  one.at - two.at || RowPages.compareKeys(one, two)

const byPlace = (one: Parked, two: Parked): number => compare(placeOf(one), placeOf(two))

export const earliest = (times: ReadonlyArray<number | undefined>): number | undefined =>
  times.reduce<number | undefined>(
    (soonest, at) => (at === undefined ? soonest : Math.min(soonest ?? at, at)),
    undefined
  )
