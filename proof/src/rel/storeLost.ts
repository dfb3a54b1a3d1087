/**
 * Posts callbacks to stores that lose commits: a PostgreSQL that is killed or fails over, a SQLite file that is
 * removed or replaced. Every callback answered 200 has a row in the end (R29, R30, R31).
 */
import * as Postgres from "@pawl/test-support/Postgres"
import * as PostgresProxy from "@pawl/test-support/PostgresProxy"
import * as PostgresServer from "@pawl/test-support/PostgresServer"
import * as Effect from "effect/Effect"
import { copyFileSync, renameSync } from "node:fs"
import * as Run from "./Run.ts"
import * as StoreFault from "./StoreFault.ts"
import * as Stores from "./Stores.ts"

/** The file is removed, a copy gets its name, then it gets its name back. */
const replaced = Effect.fnUntraced(function* (part: Run.StorePart<StoreFault.Options, "sqlite">) {
  const { store } = part
  const { after, check, during } = yield* StoreFault.begin(part, { store: store.url })
  const moved = `${store.filename}.moved`
  renameSync(store.filename, moved)
  yield* during("the file is removed")
  copyFileSync(moved, store.filename)
  yield* during("the file is replaced")
  renameSync(moved, store.filename)
  yield* after
  return yield* check(store)
})

const urlOf = (port: number) => Postgres.urlOf("postgres", port)
const statement = ({ port }: { readonly port: number }, text: string) =>
  Stores.execute({ url: urlOf(port) }, text)

const configure = (server: { readonly port: number }, change: string) =>
  Effect.andThen(
    statement(server, `ALTER SYSTEM ${change}`),
    statement(server, "SELECT pg_reload_conf()")
  )

/** The role does not wait for the disk. */
const killed = (options: StoreFault.Options) =>
  Run.report(function* (miss) {
    const server = yield* PostgresServer.make()
    yield* statement(server, "ALTER ROLE postgres SET synchronous_commit = off")
    const place = { store: urlOf(server.port) }
    const { after, check, during } = yield* StoreFault.begin({ ...options, miss }, place)
    const { count } = options
    const cycles = Math.max(1, Math.round(count / 200))
    for (let cycle = 1; cycle <= cycles; cycle++) {
      const fault = `the server is killed, ${cycle} of ${cycles}`
      yield* Effect.all(
        [
          during(fault, { isSure: false, times: Math.max(count, 200) }),
          Effect.delay(Effect.promise(server.kill), "100 millis")
        ],
        { concurrency: "unbounded" }
      )
      yield* Effect.promise(server.start)
      yield* after
    }
    return yield* check({ url: urlOf(server.port) })
  })

/** The old primary goes on read-only. */
const failedOver = (options: StoreFault.Options) =>
  Run.report(function* (miss) {
    const old = yield* PostgresServer.make()
    const standby = yield* PostgresServer.make({ primary: old })
    yield* configure(old, "SET synchronous_standby_names = '*'")
    let primary = old
    const proxy = yield* PostgresProxy.openTo(() => primary.port)
    const place = { store: urlOf(proxy.port) }
    const { after, check, during } = yield* StoreFault.begin({ ...options, miss }, place)
    yield* configure(old, "SET default_transaction_read_only = on")
    yield* during("the old primary becomes read-only", { isSure: false })
    yield* Effect.promise(standby.promote)
    yield* configure(standby, "RESET synchronous_standby_names")
    primary = standby
    yield* after
    return yield* check({ url: urlOf(standby.port) })
  })

const usual = { ...StoreFault.usual, hasFailOver: true }

const make = (changed: Run.Changed<typeof usual>) => {
  const options = { ...usual, ...changed }
  const hasPrograms = PostgresServer.programs() !== undefined
  if (!hasPrograms)
    options.log("postgres: its programs are not installed, so its faults do not run")
  const servers: Run.Parts<never> = [
    ["killed", killed(options)],
    ...(options.hasFailOver ? [["failed over", failedOver(options)] as const] : [])
  ]
  const parts: Readonly<Record<Run.StoreName, Run.Parts<never>>> = {
    memory: [],
    sqlite: [["replaced", Run.onStore("sqlite", options, replaced)]],
    postgres: hasPrograms ? servers : []
  }
  return Run.inSequence(options.stores.flatMap((name) => parts[name]))
}

export const storeLost = {
  summary: "a PostgreSQL killed or failed over, a SQLite file replaced: never 2xx without a row",
  unit: "accepts",
  count: { sqlite: 1000, postgres: 1000 },
  make
} satisfies Run.Run
