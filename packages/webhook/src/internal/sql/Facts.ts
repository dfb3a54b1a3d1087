/**
 * Facts in SQL: written by the statement that makes their change, and read with their rows.
 *
 * **Details**
 *
 * On PostgreSQL a change and its fact are one statement. On SQLite they are two statements of one transaction. A change
 * that changes no row writes no fact.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Kind, Method } from "@pawl/core/Kind"
import { isStatus, type Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment, Statement } from "effect/sql/Statement"
import { type Event, type Kept, maxFacts, nameOf } from "../../Fact.ts"
import type { DeadLetter } from "../../Row.ts"
import type { Accepted } from "../../StoredRow.ts"
import * as Story from "../../Story.ts"
import { newestOfAll } from "./Claim.ts"
import { type BigInteger, type Columns, type Key, keyOf, rowOf } from "./RowCodec.ts"

/** The number of events of a row that is older than the facts begins so far below 0. */
export const older = 1_000_000

/** A line of `pawl_facts`. */
interface FactColumns extends Key {
  readonly fact: string
  readonly detail: string | null
  readonly number: number
  readonly at: BigInteger
  readonly last_at: BigInteger
  readonly count: BigInteger
}

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
  const name = nameOf(event)
  const kept = sql`SELECT 1 FROM pawl_facts AS kept
    WHERE kept.transaction_id = line.transaction_id AND kept.scope = line.scope`
  // A fact of a joined row has its scope behind an @.
  const isFull = sql`(SELECT count(*) FROM (${kept} AND kept.fact NOT LIKE '%@%') AS own) >= ${maxFacts}`
  return sql`INSERT INTO pawl_facts AS stored
      (transaction_id, scope, fact, detail, number, at, last_at, count)
    SELECT line.transaction_id, line.scope,
      CASE WHEN ${isFull} AND NOT EXISTS (${kept} AND kept.fact = ${name}) THEN 'more' ELSE ${name} END,
      ${detailOf(event)}, line.facts, CAST(${event.at} AS BIGINT), CAST(${event.at} AS BIGINT), 1
    FROM ${lines} AS line WHERE true
    ON CONFLICT (transaction_id, scope, fact) DO UPDATE SET
      count = stored.count + CASE WHEN stored.last_at = excluded.last_at THEN 0 ELSE 1 END,
      last_at = excluded.last_at,
      number = excluded.number`
}

/** Moves the facts of a row that is joined to another one. Translates `Fact.join`. */
export const join = Effect.fnUntraced(function* (
  sql: SqlClient,
  line: Key,
  target: Key
): Effect.fn.Return<void, SqlError> {
  const isLine = sql`transaction_id = ${line.transaction_id} AND scope = ${line.scope}`
  const mark = `@${line.scope}`
  yield* sql`INSERT INTO pawl_facts
      (transaction_id, scope, fact, detail, number, at, last_at, count)
    SELECT transaction_id, ${target.scope}, CASE WHEN fact LIKE '%@%' THEN fact ELSE fact || ${mark} END,
      detail, number, at, last_at, count
    FROM pawl_facts WHERE ${isLine}
    ON CONFLICT (transaction_id, scope, fact) DO NOTHING`
  yield* sql`DELETE FROM pawl_facts WHERE ${isLine}`
})

interface AcceptedColumns extends Key {
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
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.onDialectOrElse({
        pg: () => Effect.asVoid(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`),
        orElse: () => Effect.void
      })
      const lines = yield* sql<Columns>`SELECT * FROM pawl_transactions
        WHERE transaction_id = ${transactionId} AND method = ${method}`
      const newest = yield* newestOfAll(sql, lines)
      const facts = yield* sql<FactColumns>`SELECT * FROM pawl_facts
        WHERE transaction_id = ${transactionId} ORDER BY number`
      const accepted =
        yield* sql<AcceptedColumns>`SELECT transaction_id, scope, status, first_at, count
        FROM pawl_callbacks WHERE transaction_id = ${transactionId}`
      return lines.map((line) => {
        const isOfLine = (each: Key) => keyOf(each) === keyOf(line)
        const claims = accepted
          .filter(isOfLine)
          .map(({ count, first_at, status }): readonly [Status, Accepted] => [
            status,
            { at: Number(first_at), count: Number(count) }
          ])
        const story = {
          row: rowOf(line, newest(line)),
          accepted: Object.fromEntries(claims),
          facts: { number: line.facts, kept: facts.filter(isOfLine).map(keptOf) }
        }
        return Story.make(story, line.facts < 0)
      })
    })
  )

const detailOf = (event: Event): string | null => {
  if (event.fact === "called") return `${event.evidence} ${event.read ?? "-"}`
  return event.fact === "redriven" ? `${event.by ?? ""}\n${event.why ?? ""}` : null
}

const keptOf = ({ at, count, detail, fact, last_at, number }: FactColumns): Kept => {
  const [name = "", from] = fact.split("@")
  return {
    ...eventOf(name.split(" "), detail ?? "", Number(at)),
    lastAt: Number(last_at),
    count: Number(count),
    number,
    from: from as Kind | undefined
  }
}

const eventOf = (
  [name, one = "", two = ""]: ReadonlyArray<string>,
  detail: string,
  at: number
): Event => {
  const status = (text: string | undefined) => (isStatus(text) ? text : undefined)
  switch (name) {
    case "registered":
      return { fact: name, kind: one as Kind, status: status(two), at }
    case "asked":
      return {
        fact: name,
        result: one === "no-answer" ? "no answer" : one,
        kind: two === "-" ? undefined : (two as Kind),
        at
      }
    case "called": {
      const [evidence, read] = detail.split(" ")
      return {
        fact: name,
        sequence: Number(one),
        to: two as Status,
        evidence: Number(evidence) || Evidence.none,
        read: status(read),
        at
      }
    }
    case "told":
    case "failed":
      return { fact: name, sequence: Number(one), to: two as Status, at }
    case "parked":
      return { fact: name, reason: one as DeadLetter["reason"], to: status(two), at }
    case "redriven": {
      const [by, why] = detail.split("\n").map((text) => text || undefined)
      return { fact: name, by, why, at }
    }
    default:
      return { fact: "more", at }
  }
}
