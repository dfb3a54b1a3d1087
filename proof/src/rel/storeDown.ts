/**
 * Accepts while the store is gone, full or locked: never 2xx without a row, 503 within 5 seconds, and well
 * again by itself (R04, R05, R06).
 */
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
import { layerVerifier } from "./forge.ts"
import * as Places from "./Places.ts"
import * as Receivers from "./Receivers.ts"
import { type Run, tally, inTurn, type Wanted } from "./Run.ts"
import * as Service from "./Service.ts"
import { each, poster } from "./Sockets.ts"
import * as Wire from "./Wire.ts"

type Asked = Omit<Wanted, "stores">
type SqlPlace = Exclude<Places.Place, { readonly _tag: "memory" }>

const connections = 64
const patience = 5000
const healing = 30_000

/** Posts callbacks of ever new transactions, and remembers what was answered. */
const accepts = Effect.gen(function* () {
  const { miss, misses } = tally()
  const post = yield* poster(connections)
  const figures = { answered200: 0, answered503: 0, slowestMs: 0, slowestHealingMs: 0, rows: 0 }
  const taken: Array<string> = []
  let ids = 100_001
  const one = async (port: number): Promise<number | undefined> => {
    const id = String(ids++)
    const sent = performance.now()
    const answer = await post(port, Service.callback(id, "PENDING"))
    figures.slowestMs = Math.max(figures.slowestMs, Math.round(performance.now() - sent))
    if (performance.now() - sent > patience) miss(`${id} was answered after more than 5 seconds`)
    if (answer === 200) {
      figures.answered200++
      taken.push(id)
    } else if (answer === 503) figures.answered503++
    else miss(`${id} was answered ${String(answer)}`)
    return answer
  }
  /** Posts so many while the store is down, or while it may be. */
  const down = (port: number, count: number, why: string, isSure = true) =>
    Effect.promise(() =>
      each(count, connections, async () => {
        if ((await one(port)) === 200 && isSure)
          miss(`one was answered 200 while the store was ${why}`)
      })
    )
  /** Posts a few while nothing is wrong. */
  const up = (port: number) =>
    Effect.promise(() =>
      each(50, 10, async () => {
        if ((await one(port)) !== 200) miss("one was not answered 200 while nothing was wrong")
      })
    )
  /** Waits until it is well, and posts a few. */
  const heal = (port: number) =>
    Effect.andThen(
      Effect.promise(async () => {
        const began = performance.now()
        while ((await one(port)) !== 200) {
          if (performance.now() - began > healing) return miss("it did not heal in 30 seconds")
          await sleep(50)
        }
        const took = Math.round(performance.now() - began)
        figures.slowestHealingMs = Math.max(figures.slowestHealingMs, took)
      }),
      up(port)
    )
  /** Looks for what was answered 200 with the eyes of another. */
  const report = (place: SqlPlace) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const rows = yield* sql<{ id: string }>`SELECT transaction_id AS id FROM pawl_transactions`
      const kept = new Set(rows.map(({ id }) => id))
      figures.rows = rows.length
      for (const id of taken) if (!kept.has(id)) miss(`${id} was answered 200 and has no row`)
      return { figures, misses: misses() }
    }).pipe(Effect.provide(Layer.fresh(Places.client(place))))
  return { miss, up, down, heal, report }
})

/** Starts a receiver as a process, on a store that is told by its name. */
const receiver = Effect.fnUntraced(function* (store: string) {
  const { baseUrl } = yield* Service.start
  const application = yield* Service.deaf
  const start = yield* Receivers.make
  return yield* Receivers.serving(start(baseUrl, ["--store", store, "--forward", application]))
})

/** PostgreSQL: connections ended under way, refused, and without an answer. */
const gone = ({ count, say }: Asked) =>
  Effect.gen(function* () {
    const place = yield* Places.makeSql("postgres")
    if (place._tag !== "postgres") return yield* Effect.die("It is no database")
    const { cut, mend, port: way, silence } = yield* Wire.open
    const port = yield* receiver(Places.storeOf(place.database, way))
    const { down, heal, report, up } = yield* accepts
    yield* up(port)
    say("postgres: connections are ended")
    const terminate = Places.statement(
      { ...place, database: "postgres" },
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${place.database}'`
    )
    yield* down(port, count, "ended", false).pipe(
      Effect.raceFirst(Effect.forever(Effect.delay(terminate, "50 millis")))
    )
    yield* heal(port)
    say("postgres: connections are refused")
    cut()
    yield* down(port, count, "refused")
    mend()
    yield* heal(port)
    say("postgres: connections are silent")
    silence()
    yield* down(port, count, "silent")
    mend()
    yield* heal(port)
    return yield* report(place)
  }).pipe(Effect.scoped)

/** SQLite: another process has the file. */
const locked = ({ count, say }: Asked) =>
  Effect.gen(function* () {
    const place = yield* Places.makeSql("sqlite")
    if (place._tag !== "sqlite") return yield* Effect.die("It is no file")
    const port = yield* receiver(place.store)
    const { down, heal, report, up } = yield* accepts
    yield* up(port)
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(place.filename, { timeout: 10_000 })),
      (database) => Effect.sync(() => database.close())
    )
    say("sqlite: the file is locked")
    other.exec("BEGIN EXCLUSIVE")
    yield* down(port, count, "locked")
    other.exec("ROLLBACK")
    yield* heal(port)
    return yield* report(place)
  }).pipe(Effect.scoped)

/** SQLite: there is no page left. The receiver is in this process, where its connection can be reached. */
const full = ({ count, say }: Asked) =>
  Effect.gen(function* () {
    const place = yield* Places.makeSql("sqlite")
    if (place._tag !== "sqlite") return yield* Effect.die("It is no file")
    const context = yield* Layer.build(
      Receiver.layer().pipe(
        Layer.provideMerge(Layer.provideMerge(LedgerSql.layer, NodeSqlite.layer(place))),
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
    const { down, heal, miss, report, up } = yield* accepts
    const limit = (pages: number) => sql`PRAGMA max_page_count = ${sql.literal(String(pages))}`
    yield* up(port)
    say("sqlite: the disk is full")
    const [pages] = (yield* sql`PRAGMA page_count`.values).flat()
    yield* limit(Number(pages))
    // What room there is in the last pages goes first.
    yield* down(port, 500, "filling up", false)
    yield* down(port, count, "full")
    yield* limit(1_000_000_000)
    yield* heal(port)
    const [sound] = (yield* sql`PRAGMA integrity_check`.values).flat()
    if (sound !== "ok") miss(`the file is not sound: ${String(sound)}`)
    const letters = yield* ledger.deadLetters
    if (letters.length > 0) miss(`${letters.length} rows were deadLetter`)
    return yield* report(place)
  }).pipe(Effect.scoped, Effect.provideService(MinimumLogLevel, "None"))

export const storeDown: Run = {
  what: "accepts with the store gone, full or locked: never 2xx without a row, 503 in 5 seconds",
  unit: "accepts",
  count: { sqlite: 1000, postgres: 1000 },
  stores: ["sqlite", "postgres"],
  make: (wanted) =>
    inTurn([
      ...(wanted.stores.includes("sqlite")
        ? [["full", full(wanted)] as const, ["locked", locked(wanted)] as const]
        : []),
      ...(wanted.stores.includes("postgres") ? [["gone", gone(wanted)] as const] : [])
    ])
}
