/**
 * Fills a ledger with copies of its one row.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

const tables = ["pawl_transactions", "pawl_transactions_texts"]
const atOnce = 100_000
const firstId = 5_000_000_000

export const fill = Effect.fnUntraced(function* (count: number, log: (line: string) => void) {
  const sql = yield* SqlClient
  const copies = (from: number, to: number) =>
    Effect.forEach(
      tables,
      Effect.fnUntraced(function* (table) {
        const [line = {}] = yield* sql<object>`SELECT * FROM ${sql(table)} LIMIT 1`
        const columns = Object.keys(line).filter((name) => name !== "key")
        const names = sql.literal(columns.join(", "))
        const method = String((line as { readonly key?: string }).key).split("\t")[1]
        yield* sql`INSERT INTO ${sql(table)} (key, ${names})
          WITH RECURSIVE series (n) AS (
            SELECT CAST(${firstId + from} AS BIGINT) UNION ALL SELECT n + 1 FROM series WHERE n < ${firstId + to}
          ), first AS (SELECT ${names} FROM ${sql(table)} LIMIT 1)
          SELECT CAST(n AS TEXT) || ${`\t${method}`}, ${names} FROM series, first`
      }),
      { discard: true }
    )
  for (let from = 1; from < count; from += atOnce) {
    const to = Math.min(from + atOnce, count) - 1
    yield* copies(from, to)
    if (to % 1_000_000 < atOnce) log(`${to} rows`)
  }
  // Without this, PostgreSQL plans statements on many rows as expensive ones.
  yield* sql.onDialectOrElse({ pg: () => sql`ANALYZE`.unprepared, orElse: () => Effect.void })
})
