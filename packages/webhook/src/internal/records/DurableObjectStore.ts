/**
 * A store of documents in the SQLite database of a Durable Object, whose output gate holds a
 * response back until its writes are durable. A statement has at most 100 parameters, so each
 * writes one document.
 */
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import type { Store, Write } from "./Records.ts"
import * as Schema from "../sql/Schema.ts"
import * as SqlStore from "./SqlStore.ts"

type Value = number | string | ArrayBuffer | null

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

export const make = Effect.fnUntraced(function* (
  storage: Storage
): Effect.fn.Return<Store<string>> {
  const run = (text: string, ...values: Array<Value>) => storage.sql.exec(text, ...values).toArray()

  if (run("SELECT name FROM sqlite_master WHERE name = 'pawl_settings'").length === 0) {
    storage.transactionSync(() => {
      for (const text of Schema.tables(Schema.sqlite)) run(text)
    })
  }

  const write = (table: string, texts: string, one: Write<string>): boolean => {
    const { document, expected = null, key, put, remove, version } = one
    const values = SqlStore.columns.map(([, , of]) => of(one))
    const written =
      document === undefined
        ? expected === null
          ? run(`SELECT 1 WHERE NOT EXISTS (SELECT key FROM ${table} WHERE key = ?)`, key)
          : run(`DELETE FROM ${table} WHERE key = ? AND version = ? RETURNING key`, key, expected)
        : expected === null
          ? run(
              `INSERT INTO ${table} (key, version, ${names.join()})
                VALUES (?, ?${", ?".repeat(names.length)}) ON CONFLICT (key) DO NOTHING RETURNING key`,
              key,
              version,
              ...values
            )
          : run(
              `UPDATE ${table} SET version = ?, ${names.map((name) => `${name} = ?`).join()}
                WHERE key = ? AND version = ? RETURNING key`,
              version,
              ...values,
              key,
              expected
            )
    if (written.length === 0) return false
    if (document === undefined) {
      run(`DELETE FROM ${texts} WHERE key = ?`, key)
      return true
    }
    for (const { at, bytes, name } of put) {
      const body = new Uint8Array(bytes).buffer
      run(
        `INSERT OR REPLACE INTO ${texts} (key, name, at, body) VALUES (?, ?, ?, ?)`,
        key,
        name,
        at,
        body
      )
    }
    for (const name of remove) run(`DELETE FROM ${texts} WHERE key = ? AND name = ?`, key, name)
    return true
  }

  const commit: Store<string>["commit"] = (collection, writes) =>
    attempt(() =>
      storage.transactionSync(() => {
        const [table, texts] = [SqlStore.tableOf(collection), SqlStore.textsOf(collection)]
        const failed = writes.filter((each) => !write(table, texts, each))
        return new Map(failed.map(({ key }) => [key, undefined]))
      })
    )

  const dialect = { commit, forUpdate: "", committers: 1, bytes: "", together: whole, maxJoined: 1 }
  const sql = yield* clientOf((text, values) =>
    attempt(() => run(text, ...(values as Array<Value>)))
  )
  return {
    ...SqlStore.make(sql, dialect),
    commit,
    text: (collection, key, name) =>
      Effect.map(
        sql<{ readonly body: ArrayBuffer }>`SELECT body FROM ${sql(SqlStore.textsOf(collection))}
          WHERE key = ${key} AND name = ${name}`,
        ([line]) => line && new Uint8Array(line.body)
      ),
    atomically: whole,
    // The platform limits the storage of an object.
    bytes: Effect.succeed(0),
    isInTransaction: Effect.succeed(false),
    afterCommit: whole
  }
})

const whole = <A>(work: A): A => work

const attempt = <A>(steps: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({
    try: steps,
    catch: (cause) => {
      const message = "The storage of the Durable Object failed"
      return new SqlError({ reason: new UnknownError({ message, cause }) })
    }
  })

const clientOf = (execute: Connection["executeRaw"]) => {
  const rows = execute as Connection["execute"]
  const refused = () => Effect.die(new Error("Only rows can be read"))
  const connection: Connection = {
    execute: rows,
    executeUnprepared: rows,
    executeRaw: execute,
    executeValues: refused,
    executeValuesUnprepared: refused,
    executeStream: () => Stream.die(new Error("Only rows can be read"))
  }
  return Effect.provide(
    SqlClient.make({
      acquirer: Effect.succeed(connection),
      compiler: Statement.makeCompilerSqlite(),
      driver: "durable-object",
      spanAttributes: []
    }),
    Reactivity.layer
  )
}
