/**
 * Views for people who use SQL: fields cut out of documents (`Fields`). Of several rows a view
 * shows the first, with the earliest times of all. Nothing in pawl reads a view.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { dueColumns } from "../records/SqlStore.ts"
import { kinds, methods, outcomes, requestKinds, statuses } from "../documents/Codes.ts"
import type { Codes } from "../documents/Fields.ts"
import { rowField } from "../documents/TransactionDocument.ts"

const firstRowOf = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => `split_part(document, E'\\n${rowField}', 1)`,
    orElse: () => {
      const next = `char(10) || '${rowField}'`
      return `substr(document, 1, instr(document || ${next}, ${next}))`
    }
  })

const fieldOf = (sql: SqlClient.SqlClient) => (field: string) => {
  const text = firstRowOf(sql)
  return sql.onDialectOrElse({
    pg: () => `substring(${text} FROM E'\\n${field}([^\\n]*)')`,
    orElse: () => {
      const start = `instr(${text}, char(10) || '${field}')`
      const behind = `substr(${text}, ${start} + 2)`
      return `CASE WHEN ${start} > 0 THEN substr(${behind}, 1, instr(${behind}, char(10)) - 1) END`
    }
  })
}

const firstLineOf = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      words: "substring(document FROM '^k([^,]*)')",
      time: "substring(document FROM '^k[^,]*,([0-9]*)')"
    }),
    orElse: () => {
      const line = "substr(document, 2, instr(document, char(10)) - 2)"
      return {
        words: `substr(${line}, 1, instr(${line}, ',') - 1)`,
        time: `substr(${line}, instr(${line}, ',') + 1)`
      }
    }
  })

const wordOf = ({ entries }: Pick<Codes<never>, "entries">, code: string) =>
  `CASE ${code} ${entries.map(([word, each]) => `WHEN '${each}' THEN '${word}'`).join(" ")} END`

export const create = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const field = fieldOf(sql)
  const { time, words } = firstLineOf(sql)
  const never = Number.MAX_SAFE_INTEGER
  const due = sql.onDialectOrElse({
    pg: () => `least(${dueColumns.join()})`,
    orElse: () =>
      `nullif(min(${dueColumns.map((lane) => `coalesce(${lane}, ${never})`).join()}), ${never})`
  })
  const number = (value: string) => `CAST(coalesce(${value}, '0') AS BIGINT)`
  const key = sql.onDialectOrElse({
    pg: () => ["split_part(key, E'\\t', 1)", "split_part(key, E'\\t', 2)"],
    orElse: () => [
      "substr(key, 1, instr(key, char(9)) - 1)",
      "substr(key, instr(key, char(9)) + 1)"
    ]
  })
  yield* sql.unsafe(`CREATE VIEW pawl_transactions_view AS SELECT
    ${key[0]} AS transaction_id, ${key[1]} AS method,
    ${wordOf(kinds, `substr(${words}, length(${words}), 1)`)} AS kind,
    ${number(time)} AS created_at,
    ${wordOf(statuses, field("t"))} AS told, ${number(field("s"))} AS sequence,
    ${number(field("e"))} AS evidence, ${number(field("n"))} AS callbacks,
    CASE WHEN ${field("f")} LIKE '%r%' THEN 1 ELSE 0 END AS registered,
    ${field("i")} AS request_id, ${field("a")} AS account, ${field("m")} AS amount,
    ${field("u")} AS currency, ${due} AS due_at,
    listed_at AS parked_at, parts, version FROM pawl_transactions`)
  yield* sql.unsafe(`CREATE VIEW pawl_requests_view AS SELECT key AS request_id,
    ${wordOf(requestKinds, `substr(${words}, 1, 1)`)} AS kind, ${number(time)} AS created_at,
    due_0 AS due_at, ${wordOf(outcomes, `substr(${field("o")}, 1, 1)`)} AS outcome,
    substr(${field("t")}, 2) AS transaction_id,
    ${wordOf(methods, `substr(${field("t")}, 1, 1)`)} AS method,
    listed_at AS parked_at, version FROM pawl_requests`)
})
