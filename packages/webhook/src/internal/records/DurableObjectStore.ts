/**
 * A store of documents in the SQLite database of a Durable Object, whose output gate holds a
 * response back until its writes are durable. A statement has at most 100 parameters, so each
 * writes one document.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { isSqlError, SqlError, UnknownError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import type { Store } from "./Records.ts"
import * as Schema from "../sql/Schema.ts"
import * as SqliteStore from "./SqliteStore.ts"
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

export const make = Effect.fnUntraced(function* (
  storage: Storage
): Effect.fn.Return<Store<string>> {
  const run = (text: string, ...values: Array<Value>) => storage.sql.exec(text, ...values).toArray()

  if (run("SELECT name FROM sqlite_master WHERE name = 'pawl_settings'").length === 0) {
    storage.transactionSync(() => {
      for (const text of Schema.tables(Schema.sqlite)) run(text)
    })
  }

  const sql = yield* clientOf((text, values) => attempt(() => run(text, ...values.map(valueOf))))
  const { commit, text, ...store } = SqlStore.make(sql, {
    commit: (collection, writes) => SqliteStore.commit(sql, collection, writes, [1]),
    forUpdate: "",
    committers: 1,
    // The platform limits the storage of an object.
    bytes: "SELECT 0 AS bytes",
    together: whole,
    atomically: whole,
    maxJoined: 1
  })
  return {
    ...store,
    commit: (...writes) =>
      Effect.contextWith((context: Context.Context<never>) =>
        attempt(() => storage.transactionSync(() => Effect.runSyncWith(context)(commit(...writes))))
      ),
    text: (...place) => Effect.map(text(...place), (body) => body && new Uint8Array(body))
  }
})

const whole = <A>(work: A): A => work

const valueOf = (value: unknown): Value =>
  value instanceof Uint8Array ? new Uint8Array(value).buffer : (value as Value)

const attempt = <A>(steps: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({
    try: steps,
    catch: (cause) => {
      if (isSqlError(cause)) return cause
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
