/**
 * A store of documents in PostgreSQL.
 *
 * A commit is one statement, so no process can stop between BEGIN and COMMIT with documents locked.
 * It is planned each time, because a plan made for a small table scans a large one.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Collection, Line, Store, Write } from "./Records.ts"
import * as SqlStore from "./SqlStore.ts"

export const make = (sql: SqlClient): Store<string> =>
  SqlStore.make(sql, {
    commit: (collection, writes, skipsLocked = false) =>
      commit(sql, collection, writes, skipsLocked),
    forUpdate: "FOR UPDATE",
    committers: 4,
    bytes: `SELECT sum(pg_total_relation_size(to_regclass(name))) AS bytes
      FROM unnest(ARRAY[${tables}]) AS pawl (name)`,
    together: (work) => work,
    atomically: sql.withTransaction
  })

const tables = SqlStore.tables.map((name) => `'${name}'`).join()

type Writes = ReadonlyArray<Write<string>>

const commit = (
  sql: SqlClient,
  collection: Collection,
  writes: Writes,
  skipsLocked: boolean
): Effect.Effect<ReadonlyMap<string, Line<string> | undefined>, SqlError> => {
  const puts = writes.flatMap(({ key, put }) => put.map((text) => ({ key, ...text })))
  const removes = writes.flatMap(({ key, remove }) => remove.map((name) => ({ key, name })))
  const parameters: Array<unknown> = []
  const list = (values: ReadonlyArray<unknown>, type: string): string => {
    parameters.push(values)
    return `$${parameters.length}::${type}[]`
  }
  const texts = (values: ReadonlyArray<number | string | null | undefined>) =>
    list(
      values.map((value) => (value === undefined || value === null ? "" : String(value))),
      "text"
    )
  const given = [
    list(keysOf(writes), "text"),
    texts(writes.map(({ expected }) => expected)),
    texts(writes.map(({ version }) => version)),
    ...SqlStore.columns.map(([, , of]) => texts(writes.map(of)))
  ]
  const text = [
    `WITH given AS (SELECT key, ${typed("expected", "BIGINT")}, ${typed("version", "BIGINT")}, ${selected}
      FROM unnest(${given.join()}) AS given (key, expected, version, ${names}))`,
    `inserted AS (INSERT INTO ${SqlStore.tableOf(collection)} (key, version, ${names})
      SELECT key, version, ${names} FROM given WHERE expected IS NULL
      ON CONFLICT (key) DO NOTHING RETURNING key)`,
    ...(skipsLocked
      ? [
          `free AS MATERIALIZED (SELECT stored.key FROM ${SqlStore.tableOf(collection)} AS stored
            JOIN given ON stored.key = given.key AND stored.version = given.expected
            FOR UPDATE OF stored SKIP LOCKED)`
        ]
      : []),
    `updated AS (UPDATE ${SqlStore.tableOf(collection)} AS stored
      SET version = given.version, ${assigned} FROM given
      WHERE ${skipsLocked ? "stored.key IN (SELECT key FROM free) AND " : ""}stored.key = given.key AND stored.version = given.expected RETURNING stored.key)`,
    "written AS (SELECT key FROM inserted UNION ALL SELECT key FROM updated)"
  ]
  const of = (each: ReadonlyArray<{ readonly key: string; readonly name: string }>) =>
    `${list(keysOf(each), "text")}, ${list(
      each.map(({ name }) => name),
      "text"
    )}`
  if (puts.length > 0) {
    text.push(`texts AS (INSERT INTO ${SqlStore.textsOf(collection)} (key, name, at, body)
      SELECT key, name, CAST(at AS BIGINT), body
      FROM unnest(${of(puts)}, ${texts(puts.map(({ at }) => at))},
        ${list(
          puts.map(({ bytes }) => bytes),
          "bytea"
        )}) AS text (key, name, at, body)
      WHERE key IN (SELECT key FROM written)
      ON CONFLICT (key, name) DO UPDATE SET at = excluded.at, body = excluded.body)`)
  }
  if (removes.length > 0) {
    text.push(`removed AS (DELETE FROM ${SqlStore.textsOf(collection)} AS text USING unnest(${of(removes)}) AS gone (key, name)
      WHERE text.key = gone.key AND text.name = gone.name
        AND gone.key IN (SELECT key FROM written))`)
  }
  const statement = sql.unsafe<Found>(
    `${text.join()}
    SELECT key, true AS written, 0 AS version, '' AS document FROM written
    UNION ALL SELECT key, false, stored.version, stored.document
    FROM ${SqlStore.tableOf(collection)} AS stored JOIN given USING (key)
    WHERE key NOT IN (SELECT key FROM written)`,
    parameters
  )
  return Effect.map(statement.unprepared, (lines) => {
    const present = new Map(lines.map((line) => [line.key, line]))
    const conflicts = new Map<string, Line<string> | undefined>()
    for (const { expected, key } of writes) {
      const line = present.get(key)
      if (line?.written === true) continue
      const version = Number(line?.version)
      // The statement sees an earlier snapshot.
      const isPresent = line !== undefined && version !== expected
      conflicts.set(key, isPresent ? { key, version, document: line.document } : undefined)
    }
    return conflicts
  })
}

interface Found {
  readonly key: string
  readonly written: boolean
  readonly version: SqlStore.BigInteger
  readonly document: string
}

const keysOf = (list: ReadonlyArray<{ readonly key: string }>) => list.map(({ key }) => key)

/**
 * The driver refuses a list of nulls, and one of small and large numbers, so a column is sent as
 * text.
 */
const typed = (name: string, type: string): string =>
  type.endsWith("NOT NULL") ? name : `CAST(NULLIF(${name}, '') AS ${type}) AS ${name}`

const names = SqlStore.columns.map(([name]) => name).join()
const selected = SqlStore.columns.map(([name, type]) => typed(name, type)).join()
const assigned = SqlStore.columns.map(([name]) => `${name} = given.${name}`).join()
