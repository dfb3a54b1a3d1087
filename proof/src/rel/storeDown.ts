/**
 * Posts callbacks while the store is unavailable, full or locked: no 200 without a row, 503 within 5 seconds, and the
 * receiver recovers by itself (R04, R05, R06).
 */
import { urlOf } from "@pawl/test-support/Postgres"
import * as Handler from "@pawl/core/Handler"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Ledger from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MinimumLogLevel } from "effect/References"
import { SqlClient } from "effect/sql/SqlClient"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import * as FakeService from "./FakeService.ts"
import { layerVerifier } from "./forge.ts"
import { makePost, repeat } from "./LocalHttp.ts"
import * as PostgresProxy from "@pawl/test-support/PostgresProxy"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { collectMisses, inSequence, type Run, type RunOptions } from "./Run.ts"
import * as Stores from "./Stores.ts"

/** Limits of a response, and from the end of a fault to the first 200, in milliseconds. */
export interface Limits {
  readonly response: number
  readonly recovery: number
}

interface Options extends Omit<RunOptions, "stores"> {
  readonly limits: Limits
}

const connections = 64

export const makeChecks = Effect.fnUntraced(function* ({ recovery, response }: Limits) {
  const { miss, misses } = collectMisses()
  const post = yield* makePost(connections)
  const figures = { answered200: 0, answered503: 0, slowestMs: 0, slowestRecoveryMs: 0, rows: 0 }
  const accepted: Array<string> = []
  let nextId = 100_001
  const postNext = async (port: number): Promise<number | undefined> => {
    const id = String(nextId++)
    const sentAt = performance.now()
    const status = await post(port, FakeService.callback(id, "PENDING"))
    const duration = performance.now() - sentAt
    figures.slowestMs = Math.max(figures.slowestMs, Math.round(duration))
    if (duration > response) miss(`${id} was answered after more than ${response} ms`)
    if (status === 200) {
      figures.answered200++
      accepted.push(id)
    } else if (status === 503) figures.answered503++
    else miss(`${id} was answered ${String(status)}`)
    return status
  }
  /** With `isSure` false, some callbacks may still be stored. */
  const during = (port: number, count: number, fault: string, isSure = true) =>
    Effect.promise(() =>
      repeat(count, connections, async () => {
        if ((await postNext(port)) === 200 && isSure)
          miss(`one was answered 200 while the store was ${fault}`)
      })
    )
  const without = (port: number) =>
    Effect.promise(() =>
      repeat(50, 10, async () => {
        if ((await postNext(port)) !== 200) miss("one was not answered 200 without a fault")
      })
    )
  const after = (port: number) =>
    Effect.andThen(
      Effect.promise(async () => {
        const startedAt = performance.now()
        while ((await postNext(port)) !== 200) {
          if (performance.now() - startedAt > recovery)
            return miss(`the receiver did not recover in ${recovery} ms`)
          await sleep(50)
        }
        const duration = Math.round(performance.now() - startedAt)
        figures.slowestRecoveryMs = Math.max(figures.slowestRecoveryMs, duration)
      }),
      without(port)
    )
  const report = (store: Stores.SqlStore, layer = Stores.layerClient(store)) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const rows = yield* sql<{
        id: string
      }>`SELECT transaction_id AS id FROM pawl_transactions_view`
      const ids = new Set(rows.map(({ id }) => id))
      figures.rows = rows.length
      for (const id of accepted) if (!ids.has(id)) miss(`${id} was answered 200 and has no row`)
      return { figures, misses: misses() }
    }).pipe(Effect.provide(Layer.fresh(layer)))
  return { miss, without, during, after, report }
})

export const startReceiver = Effect.fnUntraced(function* (storeUrl: string) {
  const { baseUrl } = yield* FakeService.start
  const application = yield* FakeService.silentApplication
  const start = yield* ReceiverProcess.make
  return yield* ReceiverProcess.waitForPort(
    start(baseUrl, ["--store", storeUrl, "--forward", application])
  )
})

const unavailable = ({ count, limits, log }: Options) =>
  Effect.gen(function* () {
    const store = yield* Stores.makeSql("postgres")
    if (store._tag !== "postgres") return yield* Effect.die("The store is no database")
    const proxy = yield* PostgresProxy.open
    const port = yield* startReceiver(urlOf(store.database, proxy.port))
    const { after, during, report, without } = yield* makeChecks(limits)
    yield* without(port)
    log("postgres: connections are ended")
    const terminate = Stores.execute(
      { ...store, database: "postgres" },
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${store.database}'`
    )
    yield* during(port, count, "ended", false).pipe(
      Effect.raceFirst(Effect.forever(Effect.delay(terminate, "50 millis")))
    )
    yield* after(port)
    log("postgres: connections are refused")
    proxy.cut()
    yield* during(port, count, "refused")
    proxy.restore()
    yield* after(port)
    log("postgres: connections are silent")
    proxy.silence()
    yield* during(port, count, "silent")
    proxy.restore()
    yield* after(port)
    return yield* report(store)
  }).pipe(Effect.scoped)

const locked = ({ count, limits, log }: Options) =>
  Effect.gen(function* () {
    const store = yield* Stores.makeSql("sqlite")
    if (store._tag !== "sqlite") return yield* Effect.die("The store is no file")
    const port = yield* startReceiver(store.url)
    const { after, during, report, without } = yield* makeChecks(limits)
    yield* without(port)
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(store.filename, { timeout: 10_000 })),
      (database) => Effect.sync(() => database.close())
    )
    log("sqlite: the file is locked")
    other.exec("BEGIN EXCLUSIVE")
    yield* during(port, count, "locked")
    other.exec("ROLLBACK")
    yield* after(port)
    return yield* report(store)
  }).pipe(Effect.scoped)

/** The receiver runs in this process, which limits the pages. */
const full = ({ count, limits, log }: Options) =>
  Effect.gen(function* () {
    const store = yield* Stores.makeSql("sqlite")
    if (store._tag !== "sqlite") return yield* Effect.die("The store is no file")
    const context = yield* Layer.build(
      Receiver.layer().pipe(
        Layer.provideMerge(Layer.provideMerge(LedgerSql.layer, NodeSqlite.layer(store))),
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
    const { after, during, miss, report, without } = yield* makeChecks(limits)
    const limit = (pages: number) => sql`PRAGMA max_page_count = ${sql.literal(String(pages))}`
    yield* without(port)
    log("sqlite: the disk is full")
    const [pages] = (yield* sql`PRAGMA page_count`.values).flat()
    yield* limit(Number(pages))
    // The first callbacks fill the last pages.
    yield* during(port, 500, "filling up", false)
    yield* during(port, count, "full")
    yield* limit(1_000_000_000)
    yield* after(port)
    const [integrity] = (yield* sql`PRAGMA integrity_check`.values).flat()
    if (integrity !== "ok") miss(`the integrity check of the file says ${String(integrity)}`)
    const deadLetters = yield* ledger.deadLetters({ limit: 100 })
    if (deadLetters.length > 0) miss(`${deadLetters.length} rows are dead letters`)
    return yield* report(store)
  }).pipe(Effect.scoped, Effect.provideService(MinimumLogLevel, "None"))

export const storeDownWith = (options: RunOptions, limits: Limits) =>
  inSequence([
    ...(options.stores.includes("sqlite")
      ? [
          ["full", full({ ...options, limits })] as const,
          ["locked", locked({ ...options, limits })] as const
        ]
      : []),
    ...(options.stores.includes("postgres")
      ? [["gone", unavailable({ ...options, limits })] as const]
      : [])
  ])

export const storeDown: Run = {
  summary:
    "accepts with the store unavailable, full or locked: never 2xx without a row, 503 in 5 seconds",
  unit: "accepts",
  count: { sqlite: 1000, postgres: 1000 },
  stores: ["sqlite", "postgres"],
  make: (options) => storeDownWith(options, { response: 5000, recovery: 30_000 })
}
