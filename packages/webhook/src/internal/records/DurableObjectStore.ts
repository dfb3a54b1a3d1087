/**
 * A store of documents in the SQLite database of a Durable Object.
 *
 * **Details**
 *
 * A Durable Object is one process with one thread, and its storage is its own: every step of the store is synchronous, so no other
 * one comes in between. A response leaves the object after its writes are durable (the output gate), so a callback that was
 * answered 200 is stored.
 *
 * A statement has at most 100 parameters there, so each document is written and read by a statement of its own.
 */
import * as Effect from "effect/Effect"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { laneCount, type Line, type Store, type Write } from "./Records.ts"
import * as Schema from "../sql/Schema.ts"
import * as SqlStore from "./SqlStore.ts"

type Value = number | string | ArrayBuffer | null

/** The storage of a Durable Object, as far as the store uses it. */
export interface Storage {
  readonly sql: {
    readonly exec: (
      text: string,
      ...values: Array<Value>
    ) => { readonly toArray: () => Array<object> }
  }
  readonly transactionSync: <A>(work: () => A) => A
}

const names = SqlStore.columns.map(([name]) => name)
const lanes = Array.from({ length: laneCount }, (_, lane) => `due_${lane} <= ?1`)
const isDue = lanes.join(" OR ")

/** Makes the store, and its tables if there are none. */
export const make = (storage: Storage): Store<string> => {
  const exec = <A>(text: string, values: Array<Value> = []) =>
    storage.sql.exec(text, ...values).toArray() as Array<A>
  /** Does some steps, all of them or none. */
  const run = <A>(steps: () => A): Effect.Effect<A, SqlError> =>
    Effect.try({
      try: () => storage.transactionSync(steps),
      catch: (cause) => {
        const message = "The storage of the Durable Object failed"
        return new SqlError({ reason: new UnknownError({ message, cause }) })
      }
    })
  const lines = (
    text: string,
    values: Array<Value>
  ): Effect.Effect<ReadonlyArray<Line<string>>, SqlError> =>
    run(() => SqlStore.linesOf(exec<SqlStore.StoredLine>(text, values)))

  if (exec("SELECT name FROM sqlite_master WHERE name = 'pawl_settings'").length === 0) {
    storage.transactionSync(() => {
      for (const text of Schema.tables(Schema.sqlite)) exec(text)
    })
  }

  /** Writes a document if it has the expected version, and tells whether it had it. */
  const write = (table: string, texts: string, one: Write<string>): boolean => {
    const { document, expected = null, key, put, remove, version } = one
    const values = SqlStore.columns.map(([, , of]) => of(one))
    const written =
      document === undefined
        ? exec(`DELETE FROM ${table} WHERE key = ? AND version = ? RETURNING key`, [key, expected])
        : expected === null
          ? exec(
              `INSERT INTO ${table} (key, version, ${names.join()})
                VALUES (?, ?${", ?".repeat(names.length)}) ON CONFLICT (key) DO NOTHING RETURNING key`,
              [key, version, ...values]
            )
          : exec(
              `UPDATE ${table} SET version = ?, ${names.map((name) => `${name} = ?`).join()}
                WHERE key = ? AND version = ? RETURNING key`,
              [version, ...values, key, expected]
            )
    if (written.length === 0) return false
    if (document === undefined) exec(`DELETE FROM ${texts} WHERE key = ?`, [key])
    for (const { at, bytes, name } of put) {
      exec(`INSERT OR REPLACE INTO ${texts} (key, name, at, body) VALUES (?, ?, ?, ?)`, [
        key,
        name,
        at,
        new Uint8Array(bytes).buffer
      ])
    }
    for (const name of remove) exec(`DELETE FROM ${texts} WHERE key = ? AND name = ?`, [key, name])
    return true
  }

  return {
    commit: (collection, writes) =>
      run(() => {
        const [table, texts] = [SqlStore.tableOf(collection), SqlStore.textsOf(collection)]
        const failed = writes.filter((each) => !write(table, texts, each))
        return new Map(failed.map(({ key }) => [key, undefined]))
      }),
    load: (collection, keys) =>
      run(() =>
        SqlStore.linesOf(
          keys.flatMap((key) =>
            exec<SqlStore.StoredLine>(
              `SELECT key, version, document FROM ${SqlStore.tableOf(collection)} WHERE key = ?`,
              [key]
            )
          )
        )
      ),
    due: (collection, ranges) =>
      run(() =>
        ranges.flatMap(({ after, from, isNewestFirst, isTimesOnly, lane, limit, to }, range) => {
          const [due, order] = [`due_${lane}`, isNewestFirst === true ? "DESC" : ""]
          const behind = after === undefined ? "" : `AND (${due} > ?1 OR key > ?4)`
          return exec<SqlStore.StoredLine & { readonly at: number }>(
            `SELECT key, version, document, listed_at, ${due} AS at FROM ${SqlStore.tableOf(collection)}
              WHERE ${due} >= ?1 AND ${due} <= ?2 ${behind} ORDER BY ${due} ${order}, key ${order} LIMIT ?3`,
            [from, to, limit, ...(after === undefined ? [] : [after])]
          ).map(({ at, document, key, listed_at, version }) => ({
            range,
            at,
            key,
            version: Number(version),
            listedAt: listed_at === null ? undefined : Number(listed_at),
            document: isTimesOnly === true ? undefined : document
          }))
        })
      ),
    list: (collection, { from, limit }) =>
      lines(
        `SELECT * FROM (SELECT key, version, document, listed_at FROM ${SqlStore.tableOf(collection)}
          WHERE listed_at >= ?1 AND (listed_at > ?1 OR key >= ?2) ORDER BY listed_at, key LIMIT ?3)
        UNION ALL SELECT key, version, document, listed_at FROM ${SqlStore.tableOf(collection)}
          WHERE parts > 1 AND listed_until >= ?1 AND (listed_at < ?1 OR listed_at = ?1 AND key < ?2)`,
        [from.at, from.key, limit]
      ),
    related: (collection, name) =>
      lines(
        `SELECT key, version, document FROM ${SqlStore.tableOf(collection)} WHERE related = ? ORDER BY key`,
        [name]
      ),
    page: (collection, { after, limit }) =>
      lines(
        `SELECT key, version, document FROM ${SqlStore.tableOf(collection)} WHERE key > ? ORDER BY key LIMIT ?`,
        [after, limit]
      ),
    text: (collection, key, name) =>
      run(() => {
        const text = `SELECT body FROM ${SqlStore.textsOf(collection)} WHERE key = ? AND name = ?`
        const [line] = exec<{ readonly body: ArrayBuffer }>(text, [key, name])
        return line && new Uint8Array(line.body)
      }),
    texts: (collection, { after, before, limit }) =>
      run(() =>
        exec(
          `SELECT at, key, name FROM ${SqlStore.textsOf(collection)} WHERE at < ? AND (at, key, name) > (?, ?, ?)
            ORDER BY at, key, name LIMIT ?`,
          [before, after.at, after.key, after.name, limit]
        )
      ),
    count: (collection, at) =>
      run(() => {
        const due = lanes.map((lane) => `count(*) FILTER (WHERE ${lane})`).join(" + ")
        const [line] = exec<{ readonly due: number; readonly listed: number }>(
          `SELECT ${due} AS due, count(listed_at) AS listed FROM ${SqlStore.tableOf(collection)}
            WHERE parts = 1 AND (${isDue} OR listed_at IS NOT NULL)`,
          [at]
        )
        return line ?? { due: 0, listed: 0 }
      }),
    several: (collection, at) =>
      lines(
        `SELECT key, version, document FROM ${SqlStore.tableOf(collection)}
          WHERE parts > 1 AND (listed_at IS NOT NULL OR ${isDue})`,
        [at]
      ),
    together: (work) => work,
    atomically: (work) => work,
    isInTransaction: Effect.succeed(false),
    afterCommit: (effect) => effect,
    committers: 1
  }
}
