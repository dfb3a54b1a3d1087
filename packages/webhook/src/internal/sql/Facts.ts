/**
 * Facts in SQL: written by the statement that makes their change, and read with their rows.
 *
 * **Details**
 *
 * On PostgreSQL a change and its fact are one statement. On SQLite they are two statements of one transaction. A change
 * that changes no row writes no fact.
 */
import type { Method } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment, Statement } from "effect/sql/Statement"
import { type Event, maxFacts } from "../../Fact.ts"
import type { Row } from "../../Row.ts"
import type { Accepted } from "../../StoredRow.ts"
import * as Story from "../../Story.ts"
import { newestOfAll } from "./Claim.ts"
import * as FactCodec from "./FactCodec.ts"
import { type BigInteger, type Columns, type Key, keyOf, rowOf } from "./RowCodec.ts"
import * as Snapshot from "./Snapshot.ts"

/** The number of events of a row that is older than the facts begins so far below 0. */
export const older = 1_000_000

/**
 * Runs a statement that changes rows, counts an event of each in the column `facts` and returns their keys, and adds the event
 * to their facts. `found` is a query before it, on PostgreSQL. On SQLite it runs in a transaction. Translates `Fact.add`.
 */
export const add = <A extends Key>(
  sql: SqlClient,
  change: Statement<A>,
  event: Event | undefined,
  found?: Fragment
): Effect.Effect<ReadonlyArray<A>, SqlError> =>
  event === undefined
    ? change
    : sql.onDialectOrElse({
        pg: () => {
          const told = insert(sql, event, sql.literal("changed"))
          const all = [...(found === undefined ? [] : [found]), sql`changed AS (${change})`]
          return sql<A>`WITH ${sql.csv(all)}, told AS (${told}) SELECT * FROM changed`
        },
        orElse: () =>
          Effect.tap(change, (lines): Effect.Effect<unknown, SqlError> => {
            if (lines.length === 0) return Effect.void
            const keys = lines.map(
              ({ scope, transaction_id }) => sql`(${transaction_id}, ${scope})`
            )
            const changed = sql`(SELECT transaction_id, scope, facts FROM pawl_transactions
              WHERE (transaction_id, scope) IN (VALUES ${sql.csv(keys)}))`
            return insert(sql, event, changed)
          })
      })

/** Adds an event to the facts of rows, which have counted it. */
const insert = (sql: SqlClient, event: Event, lines: Fragment): Statement<object> => {
  const letter = FactCodec.letterIn(sql, "line.scope")
  const code = FactCodec.codeIn(event)
  // A fact of a joined row has its scope behind an @. A fact that is kept already is not one more.
  const others = sql`SELECT count(*) - ${maxFacts} * count(CASE WHEN kept.fact = ${letter} || ${code} THEN 1 END)
    FROM pawl_facts AS kept
    WHERE kept.transaction_id = line.transaction_id AND substr(kept.fact, 1, 1) = ${letter}
      AND kept.fact NOT LIKE '%@%'`
  const isAgain = sql.literal("COALESCE(stored.last_at, stored.at) = excluded.at")
  return sql`INSERT INTO pawl_facts AS stored (at, number, transaction_id, fact, detail)
    SELECT CAST(${event.at} AS BIGINT), line.facts, line.transaction_id,
      ${letter} || CASE WHEN (${others}) >= ${maxFacts} THEN 'm' ELSE ${code} END,
      ${FactCodec.detailOf(event)}
    FROM ${lines} AS line WHERE true
    ON CONFLICT (transaction_id, fact) DO UPDATE SET
      count = CASE WHEN ${isAgain} THEN stored.count ELSE COALESCE(stored.count, 1) + 1 END,
      last_at = CASE WHEN ${isAgain} THEN stored.last_at ELSE excluded.at END,
      number = excluded.number`
}

/** Moves the facts of a row that is joined to another one. Translates `Fact.join`. */
export const join = Effect.fnUntraced(function* (
  sql: SqlClient,
  line: Key,
  target: Key
): Effect.fn.Return<void, SqlError> {
  const from = FactCodec.letterOf(line.scope)
  const isLine = sql`transaction_id = ${line.transaction_id} AND substr(fact, 1, 1) = ${from}`
  yield* sql`INSERT INTO pawl_facts (at, last_at, number, count, transaction_id, fact, detail)
    SELECT at, last_at, number, count, transaction_id,
      ${FactCodec.letterOf(target.scope)} || substr(fact, 2)
        || CASE WHEN fact LIKE '%@%' THEN '' ELSE ${`@${from}`} END,
      detail
    FROM pawl_facts WHERE ${isLine}
    ON CONFLICT (transaction_id, fact) DO NOTHING`
  yield* sql`DELETE FROM pawl_facts WHERE ${isLine}`
})

/** A line of `pawl_callbacks`, as a fact. */
export interface AcceptedColumns extends Key {
  readonly status: Status
  readonly first_at: BigInteger
  readonly count: BigInteger
}

/** Reads the rows of a method and id with their facts, as they are at one moment. */
export const stories = (
  sql: SqlClient,
  method: Method,
  transactionId: string
): Effect.Effect<ReadonlyArray<Story.Story>, SqlError> =>
  Snapshot.within(
    sql,
    Effect.gen(function* () {
      const lines = yield* sql<Columns>`SELECT * FROM pawl_transactions
        WHERE transaction_id = ${transactionId} AND method = ${method}`
      const newest = yield* newestOfAll(sql, lines)
      const facts = yield* sql<FactCodec.FactColumns>`SELECT * FROM pawl_facts
        WHERE transaction_id = ${transactionId} ORDER BY number`
      const accepted =
        yield* sql<AcceptedColumns>`SELECT transaction_id, scope, status, first_at, count
        FROM pawl_callbacks WHERE transaction_id = ${transactionId}`
      return lines.map((line) => storyOf(line, newest(line), { accepted, facts }))
    })
  )

/** Makes the story of a row from the lines of its id. */
export const storyOf = (
  line: Columns,
  newest: Row["newestCallbacks"],
  of: {
    readonly accepted: ReadonlyArray<AcceptedColumns>
    readonly facts: ReadonlyArray<FactCodec.FactColumns>
  }
): Story.Story => {
  const claims = of.accepted
    .filter((each) => keyOf(each) === keyOf(line))
    .map(({ count, first_at, status }): readonly [Status, Accepted] => [
      status,
      { at: Number(first_at), count: Number(count) }
    ])
  const kept = of.facts
    .filter((fact) => FactCodec.letterOfLine(fact) === FactCodec.letterOf(line.scope))
    .map(FactCodec.keptOf)
  const story = {
    row: rowOf(line, newest),
    accepted: Object.fromEntries(claims),
    facts: { number: line.facts, kept }
  }
  return Story.make(story, line.facts < 0)
}
