/**
 * Posts callbacks to stores that lose commits: a PostgreSQL that is killed or fails over, a SQLite file that is
 * removed or replaced. Every callback answered 200 has a row in the end (R29, R30, R31).
 */
import * as PostgresProxy from "@pawl/test-support/PostgresProxy"
import * as PostgresServer from "@pawl/test-support/PostgresServer"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { copyFileSync, renameSync } from "node:fs"
import { type Run, type RunOptions, inSequence } from "./Run.ts"
import { type Limits, makeChecks, startReceiver } from "./storeDown.ts"
import * as Stores from "./Stores.ts"

interface Options extends RunOptions {
  readonly limits: Limits
}

/** The file is removed, a copy gets its name, then it gets its name back. */
const replaced = ({ count, limits, log }: Options) =>
  Effect.gen(function* () {
    const store = yield* Stores.makeSql("sqlite")
    if (store._tag !== "sqlite") return yield* Effect.die("The store is no file")
    const port = yield* startReceiver(store.url)
    const { after, during, report, without } = yield* makeChecks(limits)
    const moved = `${store.filename}.moved`
    yield* without(port)
    log("sqlite: the file is removed")
    renameSync(store.filename, moved)
    yield* during(port, count, "removed")
    log("sqlite: the file is replaced")
    copyFileSync(moved, store.filename)
    yield* during(port, count, "replaced")
    renameSync(moved, store.filename)
    yield* after(port)
    return yield* report(store)
  }).pipe(Effect.scoped)

const database = "postgres"
const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/${database}`
const clientOf = ({ port }: PostgresServer.PostgresServer) =>
  NodePostgres.layer({ host: "127.0.0.1", port, username: "postgres", database, maxConnections: 1 })
const statement = (server: PostgresServer.PostgresServer, text: string) =>
  Effect.flatMap(SqlClient, (sql) => sql.unsafe(text).unprepared).pipe(
    Effect.provide(clientOf(server))
  )

/** The role does not wait for the disk. */
const killed = ({ count, limits, log }: Options) =>
  Effect.gen(function* () {
    const server = yield* PostgresServer.make()
    yield* statement(server, "ALTER ROLE postgres SET synchronous_commit = off")
    const port = yield* startReceiver(urlOf(server.port))
    const { after, during, report, without } = yield* makeChecks(limits)
    yield* without(port)
    const cycles = Math.max(1, Math.round(count / 200))
    for (let cycle = 1; cycle <= cycles; cycle++) {
      log(`postgres: the server is killed, ${cycle} of ${cycles}`)
      yield* Effect.all(
        [
          during(port, Math.max(count, 200), "killed", false),
          Effect.delay(Effect.promise(server.kill), "100 millis")
        ],
        { concurrency: "unbounded" }
      )
      yield* Effect.promise(server.start)
      yield* after(port)
    }
    return yield* report({ _tag: "postgres", url: "", database }, clientOf(server))
  }).pipe(Effect.scoped)

/** The old primary goes on read-only. */
const failedOver = ({ count, limits, log }: Options) =>
  Effect.gen(function* () {
    const old = yield* PostgresServer.make()
    const standby = yield* PostgresServer.make({ primary: old })
    yield* statement(old, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    yield* statement(old, "SELECT pg_reload_conf()")
    let primary = old
    const proxy = yield* PostgresProxy.openTo(() => primary.port)
    const port = yield* startReceiver(urlOf(proxy.port))
    const { after, during, report, without } = yield* makeChecks(limits)
    yield* without(port)
    log("postgres: the old primary becomes read-only")
    yield* statement(old, "ALTER SYSTEM SET default_transaction_read_only = on")
    yield* statement(old, "SELECT pg_reload_conf()")
    yield* during(port, count, "becoming read-only", false)
    log("postgres: the standby becomes the primary")
    yield* Effect.promise(standby.promote)
    yield* statement(standby, "ALTER SYSTEM RESET synchronous_standby_names")
    yield* statement(standby, "SELECT pg_reload_conf()")
    primary = standby
    yield* after(port)
    return yield* report({ _tag: "postgres", url: "", database }, clientOf(standby))
  }).pipe(Effect.scoped)

export const storeLostWith = (options: RunOptions, limits: Limits, hasFailOver: boolean) => {
  const hasPrograms = PostgresServer.programs() !== undefined
  if (!hasPrograms)
    options.log("postgres: its programs are not installed, so its faults do not run")
  return inSequence([
    ...(options.stores.includes("sqlite")
      ? [["replaced", replaced({ ...options, limits })] as const]
      : []),
    ...(options.stores.includes("postgres") && hasPrograms
      ? [
          ["killed", killed({ ...options, limits })] as const,
          ...(hasFailOver ? [["failed over", failedOver({ ...options, limits })] as const] : [])
        ]
      : [])
  ])
}

export const storeLost: Run = {
  summary: "a PostgreSQL killed or failed over, a SQLite file replaced: never 2xx without a row",
  unit: "accepts",
  count: { sqlite: 1000, postgres: 1000 },
  stores: ["sqlite", "postgres"],
  make: (options) => storeLostWith(options, { response: 5000, recovery: 30_000 }, true)
}
