/**
 * Bringing archived rows back when work on them is due.
 *
 * **Details**
 *
 * A row that is due later is archived with that time. A claim brings it back. So that claims do not look into the archive
 * each time, each process remembers when the next archived row is due, for an hour: other processes archive only rows
 * that are due later than that.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { type Lane, lanes, perLane, type PerLane } from "../../Lane.ts"
import type { PlannedPage } from "../../RowPages.ts"
import * as ArchiveReturn from "./ArchiveReturn.ts"
import * as Lanes from "./Lanes.ts"
import * as Lookup from "./Lookup.ts"
import type { BigInteger, Columns } from "./RowCodec.ts"

/** The longest time that a process remembers when the next archived row is due, in milliseconds. */
const memory = 60 * 60 * 1000

/** The most archived rows that a claim brings back: those of one transaction. With more of them a claim on a distant database would not end within three seconds. */
const maxReturned = ArchiveReturn.maxIds

/** Runs a statement or a transaction, and again after a conflict. */
export type Run = <A>(statement: Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>

/** The due time and the lane of a row that was archived. */
export interface Planned {
  readonly dueAt: number | null
  readonly lane: number
}

/** Makes the part of an archive that brings rows back. */
export const make = (sql: SqlClient, run: Run) => {
  let checkAt = -Infinity
  let nextDueAt = perLane(Infinity)

  /** Remembers when rows are due that this process has archived. */
  const note = (archived: ReadonlyArray<Planned>): void => {
    for (const { dueAt, lane } of archived) {
      const at = dueAt ?? Infinity
      nextDueAt = Record.map(nextDueAt, (next, of) =>
        Lanes.numberOf(of) === lane ? Math.min(next, at) : next
      )
      checkAt = Math.min(checkAt, at)
    }
  }

  const allLanes = sql.literal(lanes.map(Lanes.numberOf).join(", "))

  /** Brings back up to `limit` rows under a condition, and returns their ids. */
  const bringBack = Effect.fnUntraced(function* (where: Fragment, limit = maxReturned) {
    const id = sql.literal(
      sql.onDialectOrElse({
        pg: () => `transaction_id COLLATE "C", scope COLLATE "C"`,
        orElse: () => "transaction_id, scope"
      })
    )
    const keys = yield* run(
      sql<Lookup.MethodId>`SELECT transaction_id, method FROM pawl_archived
        WHERE lane IN (${allLanes}) AND due_at IS NOT NULL AND ${where}
        ORDER BY due_at, ${id} LIMIT ${limit}`
    )
    // Each transaction is a step that a later call need not do again.
    for (const ids of Arr.chunksOf(ArchiveReturn.unique(keys), ArchiveReturn.maxIds)) {
      yield* run(sql.withTransaction(ArchiveReturn.restoreAll(sql, ids)))
      // On SQLite the other file is changed after the rows are in the ledger.
      yield* run(sql.withTransaction(ArchiveReturn.forgetDue(sql, ids)))
    }
    return keys
  })

  /** Brings back the rows that are due at a time, before they are claimed. */
  const returnDue = Effect.fnUntraced(function* (at: number) {
    if (at < checkAt) return
    const { length } = yield* bringBack(sql`due_at <= ${at}`)
    if (length === maxReturned) return
    const columns = lanes.map(
      (lane) => sql`(SELECT min(due_at) FROM pawl_archived
        WHERE lane = ${sql.literal(String(Lanes.numberOf(lane)))} AND due_at IS NOT NULL) AS ${sql(lane)}`
    )
    const [line] = yield* run(
      sql<Readonly<Record<Lane, BigInteger | null>>>`SELECT ${sql.csv(columns)}`
    )
    nextDueAt = Record.map(perLane(Infinity), (none, lane) => Number(line?.[lane] ?? none))
    checkAt = Math.min(...Object.values(nextDueAt), at + memory)
  })

  /** Brings back the rows whose due time the correction of the clock may change. */
  const returnShifted = Effect.fnUntraced(function* (until: number) {
    while ((yield* bringBack(sql`due_at <= ${until}`)).length > 0);
    checkAt = -Infinity
  })

  /** Counts the rows of some ids that are planned in the lane of a page and were not read since. */
  const countUnread = Effect.fnUntraced(function* (
    ids: ReadonlyArray<Lookup.MethodId>,
    { lane, readSince }: PlannedPage
  ) {
    let count = 0
    for (const some of Arr.chunksOf(ids, ArchiveReturn.maxIds)) {
      const texts = some.map(({ transaction_id }) => transaction_id)
      const lines = yield* run(
        sql<Pick<Columns, "asked_at"> & { readonly lane: number }>`
          SELECT lane, asked_at FROM pawl_transactions
          WHERE ${Lookup.isOneOf(sql, texts)}${Lookup.everyScope(sql)}`
      )
      count += lines.filter(
        (line) =>
          line.lane === Lanes.numberOf(lane) &&
          (line.asked_at === null || Number(line.asked_at) < readSince)
      ).length
    }
    return count
  })

  /** Brings back the planned reads of a page that are brought forward: `limit` of those that were not read since. */
  const returnPlanned = Effect.fnUntraced(function* (page: PlannedPage) {
    const { after, lane, limit } = page
    const isInLane = sql.literal(`lane = ${Lanes.numberOf(lane)}`)
    for (let found = 0; found < limit;) {
      const keys = yield* bringBack(sql`${isInLane} AND due_at >= ${after.dueAt}`, limit)
      if (keys.length === 0) return
      found += yield* countUnread(keys, page)
    }
  })

  /** Returns when the next archived row is due in the lanes whose limit is not 0. */
  const nextDueIn = (limit: number | PerLane): number => {
    const limits = perLane(limit)
    return Math.min(...lanes.map((lane) => (limits[lane] > 0 ? nextDueAt[lane] : Infinity)))
  }

  return { note, returnDue, returnShifted, returnPlanned, nextDueIn }
}
