/**
 * Databases for one run, deleted at its end, with a connection of the parent that measures them.
 */
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Postgres from "../../../test-support/src/Postgres.ts"
import { scratch } from "../scratch.ts"
import type { LedgerOptions } from "./ledgerProgram.ts"

export type StoreName = "postgres" | "sqlite"

export type Query = <Line extends object>(text: string) => Promise<ReadonlyArray<Line>>

/** Database of a run; `serverCpu` is in microseconds. */
export interface Place {
  readonly store: StoreName
  readonly options: LedgerOptions
  readonly query: Query
  readonly serverCpu: () => Promise<number>
}

const queryOf = <E>(layer: Layer.Layer<SqlClient, E>) =>
  Effect.map(
    Layer.build(layer),
    (client): Query =>
      <Line extends object>(text: string) =>
        Effect.runPromise(
          Effect.flatMap(SqlClient, (sql) => sql.unsafe<Line>(text).unprepared).pipe(
            Effect.provideContext(client)
          )
        )
  )

const makeSqlite = Effect.gen(function* () {
  const options = { filename: join(scratch(), "ledger.db") }
  const query = yield* queryOf(NodeSqlite.layer(options))
  return { store: "sqlite", options, query, serverCpu: () => Promise.resolve(0) } satisfies Place
})

/** Returns nanoseconds; 0 if the server is on another machine. */
const cpuOf = (pid: number): number => {
  const file = `/proc/${pid}/schedstat`
  return existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) : 0
}

export const makePostgres = (port: number = Postgres.server.port) =>
  Effect.gen(function* () {
    const server = { ...Postgres.server, port }
    const open = (database: string) =>
      queryOf(
        NodePostgres.layer({
          ...server,
          database,
          maxConnections: 1,
          startupParameters: { lock_timeout: "0" }
        })
      )
    const database = `pawl_bench_store_${randomBytes(4).toString("hex")}`
    const administer = yield* open("postgres")
    yield* Effect.acquireRelease(
      Effect.promise(() => administer(`CREATE DATABASE ${database}`)),
      () => Effect.promise(() => administer(`DROP DATABASE ${database} WITH (FORCE)`))
    )
    const query = yield* open(database)
    const backends = `SELECT pid FROM pg_stat_activity
      WHERE datname = '${database}' AND pid <> pg_backend_pid()`
    const serverCpu = async () => {
      const lines = await query<{ readonly pid: number }>(backends)
      return lines.reduce((sum, { pid }) => sum + cpuOf(pid) / 1000, 0)
    }
    return { store: "postgres", options: { ...server, database }, query, serverCpu } satisfies Place
  })

export const make = (store: StoreName): Effect.Effect<Place, unknown, Scope.Scope> =>
  store === "sqlite" ? makeSqlite : makePostgres()

export const compactSize = async ({ query, store }: Place): Promise<number> => {
  await query(store === "sqlite" ? "VACUUM" : "VACUUM FULL ANALYZE")
  const [line] = await query<{ readonly bytes: number | string }>(
    store === "sqlite"
      ? "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()"
      : `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
          WHERE relname LIKE 'pawl\\_%' AND relkind = 'r'`
  )
  return Number(line?.bytes)
}
