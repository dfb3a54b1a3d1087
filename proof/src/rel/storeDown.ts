/**
 * Posts callbacks while the store is unavailable, full or locked: no 200 without a row, 503 within 5 seconds, and the
 * receiver recovers by itself (R04, R05, R06).
 */
import * as Postgres from "@pawl/test-support/Postgres"
import * as PostgresProxy from "@pawl/test-support/PostgresProxy"
import * as Handler from "@pawl/core/Handler"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Ledger from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MinimumLogLevel } from "effect/References"
import { SqlClient } from "effect/sql/SqlClient"
import { DatabaseSync } from "node:sqlite"
import { layerVerifier } from "./FakeService.ts"
import * as Run from "./Run.ts"
import * as StoreFault from "./StoreFault.ts"
import * as Stores from "./Stores.ts"

type Part<Name extends Run.StoreName> = Run.StorePart<StoreFault.Options, Name>

const unavailable = Effect.fnUntraced(function* (part: Part<"postgres">) {
  const { store } = part
  const proxy = yield* PostgresProxy.open
  const url = Postgres.urlOf(store.database, proxy.port)
  const { after, check, during } = yield* StoreFault.begin(part, { store: url })
  const terminate = Postgres.execute(
    "postgres",
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${store.database}'`
  )
  yield* during("connections are ended", { isSure: false }).pipe(
    Effect.raceFirst(Effect.forever(Effect.delay(terminate, "50 millis")))
  )
  yield* after
  proxy.cut()
  yield* during("connections are refused")
  proxy.restore()
  yield* after
  proxy.silence()
  yield* during("connections are silent")
  proxy.restore()
  yield* after
  return yield* check(store)
})

const locked = Effect.fnUntraced(function* (part: Part<"sqlite">) {
  const { store } = part
  const { after, check, during } = yield* StoreFault.begin(part, { store: store.url })
  const other = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(store.filename, { timeout: 10_000 })),
    (database) => Effect.sync(() => database.close())
  )
  other.exec("BEGIN EXCLUSIVE")
  yield* during("the file is locked")
  other.exec("ROLLBACK")
  yield* after
  return yield* check(store)
})

/** The receiver runs in this process, which limits the pages. */
const full = Effect.fnUntraced(
  function* (part: Part<"sqlite">) {
    const { miss, store } = part
    const context = yield* Layer.build(
      Receiver.layer().pipe(
        Layer.provideMerge(Layer.provideMerge(LedgerSql.layer, Stores.layerClient(store))),
        Layer.provide([
          layerVerifier,
          Handler.layer(() => Effect.void),
          Layer.succeed(StatusReader, {
            read: () => Effect.succeed({ kind: "apm-payment" as const, status: "PENDING" as const })
          })
        ])
      )
    )
    const sql = Context.get(context, SqlClient)
    const ledger = Context.get(context, Ledger.Ledger)
    const port = yield* NodeReceiver.listener.pipe(
      Effect.flatMap((listener) => NodeReceiver.listen(listener, { host: "127.0.0.1", port: 0 })),
      Effect.provideContext(context)
    )
    const { after, check, during } = yield* StoreFault.begin(part, { port })
    const limit = (pages: number) => sql`PRAGMA max_page_count = ${sql.literal(String(pages))}`
    const [pages] = (yield* sql`PRAGMA page_count`.values).flat()
    yield* limit(Number(pages))
    // The first callbacks fill the last pages.
    yield* during("the disk fills up", { isSure: false, times: 500 })
    yield* during("the disk is full")
    yield* limit(1_000_000_000)
    yield* after
    const [integrity] = (yield* sql`PRAGMA integrity_check`.values).flat()
    if (integrity !== "ok") miss(`the integrity check of the file says ${String(integrity)}`)
    const deadLetters = yield* ledger.deadLetters({ limit: 100 })
    if (deadLetters.length > 0) miss(`${deadLetters.length} rows are dead letters`)
    return yield* check(store)
  },
  Effect.provideService(MinimumLogLevel, "None")
)

const make = (changed: Run.Changed<typeof StoreFault.usual>) => {
  const options = { ...StoreFault.usual, ...changed }
  const parts: Readonly<Record<Run.StoreName, Run.Parts<never>>> = {
    memory: [],
    sqlite: [
      ["full", Run.onStore("sqlite", options, full)],
      ["locked", Run.onStore("sqlite", options, locked)]
    ],
    postgres: [["gone", Run.onStore("postgres", options, unavailable)]]
  }
  return Run.inSequence(options.stores.flatMap((name) => parts[name]))
}

export const storeDown = {
  summary:
    "accepts with the store unavailable, full or locked: never 2xx without a row, 503 in 5 seconds",
  unit: "accepts",
  count: { sqlite: 1000, postgres: 1000 },
  make
} satisfies Run.Run
