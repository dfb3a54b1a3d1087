/**
 * Archives the transactions of a year, and measures the tables that stay, the bytes of a transaction, and the cost of a read.
 *
 * **Details**
 *
 * One transaction goes its way through the ledger: it is registered, has a callback with PENDING and one with SUCCEED, is read
 * and told, and its next read is planned. Statements of SQL make the others from its lines, spread over the year before now. The
 * bodies of callbacks are there for 30 days. Those of the last 180 days have a planned read within 14 days.
 *
 * Then pages are archived as `Archivist` does. Only the reads of the next two days do not keep a row: after a year of hourly
 * archiving it would be in the archive since its last read. A receiver gets a chargeback for the oldest transaction.
 */
import { Ledger } from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import type { RowKey } from "@pawl/webhook/RowPages"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Lives from "./Lives.ts"
import { collectMisses, onDatabases, type Run, type RunOptions } from "./Run.ts"
import * as Stores from "./Stores.ts"

const day = 86_400_000
const year = 365 * day
/** The number of calls whose cost is measured. */
const calls = 1000
/** The pages of a move after which the tables of the archive are analyzed. */
const analyzeEvery = 100
/** The tables of the ledger that grow with its transactions. */
const tables = ["pawl_transactions", "pawl_callbacks", "pawl_facts"]

/** The most of the transactions that may stay in the tables, and the most that a read of an archived one may cost. */
const limits = { hotShare: 0.05, getRatio: 3 }

const idOf = (n: number): string => String(1_000_000_000 + n)

/** Copies the lines of a transaction for `count` transactions, spread over the year that begins at `start`. */
const fill = Effect.fnUntraced(function* (id: string, start: number, count: number) {
  const sql = yield* SqlClient
  const numbers = sql.onDialectOrElse({
    pg: () => `generate_series(1, ${count}) AS numbers(n)`,
    orElse: () =>
      `(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s) AS numbers`
  })
  const shift = `CAST(n AS BIGINT) * ${Math.floor(year / count)}`
  const now = start + year
  for (const table of tables) {
    const [line = {}] = yield* sql<Record<string, unknown>>`
      SELECT * FROM ${sql(table)} WHERE transaction_id = ${id}`
    const names = Object.keys(line).filter((name) => name !== "claimable_at")
    const values = names.map((name) => {
      if (name === "transaction_id") return `CAST(1000000000 + n AS TEXT)`
      if (name === "due_at")
        return `CASE WHEN ${start} + ${shift} > ${now - 180 * day} THEN ${now + 1000} + CAST(n AS BIGINT) * 7919003 % ${14 * day} END`
      if (name.endsWith("_body") || name === "newest_at")
        return `CASE WHEN ${start} + ${shift} > ${now - 30 * day} THEN ${name}${name === "newest_at" ? ` + ${shift}` : ""} END`
      return name.endsWith("_at") || name === "at" ? `${name} + ${shift}` : name
    })
    yield* sql.unsafe(
      `INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")}
        FROM ${table}, ${numbers} WHERE transaction_id = '${id}'`
    ).unprepared
    yield* sql`DELETE FROM ${sql(table)} WHERE transaction_id = ${id}`
  }
})

/** Returns the bytes of the ledger's tables and of the archive. */
const sizes = Effect.gen(function* () {
  const sql = yield* SqlClient
  const pages = (schema: string) =>
    Effect.gen(function* () {
      const pragma = (name: string) =>
        Effect.map(sql.unsafe<Record<string, number>>(`PRAGMA ${schema}.${name}`), ([line = {}]) =>
          Number(Object.values(line)[0])
        )
      return (
        ((yield* pragma("page_count")) - (yield* pragma("freelist_count"))) *
        (yield* pragma("page_size"))
      )
    })
  const relations = (names: ReadonlyArray<string>) =>
    Effect.map(
      sql<{ readonly size: unknown }>`SELECT sum(pg_total_relation_size(oid)) AS size FROM pg_class
        WHERE ${sql.in("relname", names)} OR (relname LIKE ${`${names[0]}\\_2%`} AND relkind = 'r')`,
      ([line]) => Number(line?.size)
    )
  return yield* sql.onDialectOrElse({
    pg: () =>
      Effect.all({ hot: relations(tables), archive: relations(["pawl_archive", "pawl_archived"]) }),
    orElse: () => Effect.all({ hot: pages("main"), archive: pages("archive") })
  })
})

type Call = (n: number) => Effect.Effect<unknown, unknown>

/** Returns the median time of each kind of call, in microseconds. The kinds take turns. */
const medians = Effect.fnUntraced(function* (kinds: ReadonlyArray<Call>) {
  const times = kinds.map((call) => ({ call, took: new Array<number>() }))
  for (let n = 0; n < calls; n++) {
    for (const { call, took } of times) {
      const startedAt = performance.now()
      yield* call(n)
      took.push(performance.now() - startedAt)
    }
  }
  return times.map(({ took }) => {
    const sorted = took.toSorted((one, two) => one - two)
    return Math.round((sorted[Math.floor(calls / 2)] ?? 0) * 1000)
  })
})

const median = (call: Call) => Effect.map(medians([call]), ([found = 0]) => found)

const measure = ({ count, log }: RunOptions, store: Stores.SqlStore) =>
  Effect.gen(function* () {
    const { miss, misses } = collectMisses()
    const ledger = yield* Ledger
    const sql = yield* SqlClient
    const now = yield* Clock.currentTimeMillis
    yield* Lives.live("template", now - year)
    log(`${store._tag}: ${count} transactions are made`)
    yield* fill("template", now - year, count)
    yield* ledger.archive.compact
    if (store._tag === "postgres") yield* sql`ANALYZE`
    const before = yield* sizes
    const accept = (prefix: number) => (n: number) =>
      Effect.flatMap(
        Effect.provide(Lives.verified(`${prefix}${n}`, "PENDING"), Lives.verifier),
        (callback) => ledger.accept(callback, now)
      )
    const claim = () => ledger.claim({ at: now, until: now + 600_000, limit: 1 })
    const acceptBefore = yield* median(accept(20))
    const claimBefore = yield* median(claim)
    /** Reads transactions that are spread over a part of the year. */
    const getBetween = (from: number, to: number) => (n: number) =>
      ledger.get("apm", idOf(1 + Math.floor(count * (from + ((to - from) * n) / calls))))

    log(`${store._tag}: finished transactions are archived`)
    const startedAt = performance.now()
    const page = { before: now - 7 * day, dueAfter: now, limit: 500 }
    let moved = 0
    let pages = 0
    let last: RowKey | undefined
    do {
      const step = yield* ledger.archive.move({ ...page, after: last })
      moved += step.moved
      last = step.last
      // A server in operation does this by itself (autovacuum).
      if (store._tag === "postgres" && pages++ % analyzeEvery === 0)
        yield* sql`ANALYZE pawl_archived, pawl_archive`
    } while (last !== undefined)
    const seconds = (performance.now() - startedAt) / 1000
    if (store._tag === "postgres") yield* sql`ANALYZE`

    const [getArchived = 0, getHot = 0] = yield* medians([
      getBetween(0, 0.9),
      getBetween(0.985, 0.999)
    ])
    const acceptAfter = yield* median(accept(30))
    const claimAfter = yield* median(claim)
    const [line] = yield* sql<{ readonly count: unknown }>`
      SELECT count(*) AS count FROM pawl_transactions WHERE transaction_id LIKE '1%'`
    const hotShare = Number(line?.count) / count
    yield* ledger.archive.compact
    const after = yield* sizes
    if (hotShare >= limits.hotShare) miss(`${hotShare} of the transactions stay in the tables`)
    const getRatio = getArchived / getHot
    if (getRatio > limits.getRatio) miss(`a read of an archived transaction costs ${getRatio} x`)
    const archivedBytes = after.archive / moved
    const hotBytes = before.hot / count
    if (archivedBytes >= hotBytes) miss(`an archived transaction has ${archivedBytes} bytes`)

    const toldAfter = yield* Lives.tellChargeback(idOf(1))
    if (toldAfter === undefined) miss("the chargeback of an archived transaction was not told")
    return {
      figures: {
        transactions: count,
        moved,
        movedPerSecond: Math.round(moved / seconds),
        hotShare: round(hotShare, 4),
        hotBytesShare: round(after.hot / before.hot, 4),
        hotBytesPerTransaction: Math.round(hotBytes),
        archivedBytesPerTransaction: Math.round(archivedBytes),
        getHotMicros: getHot,
        getArchivedMicros: getArchived,
        getRatio: round(getRatio, 2),
        acceptMicrosBefore: acceptBefore,
        acceptMicrosAfter: acceptAfter,
        claimMicrosBefore: claimBefore,
        claimMicrosAfter: claimAfter,
        chargebackToldMs: toldAfter ?? -1
      },
      misses: misses()
    }
  }).pipe(
    Effect.provide(
      Layer.provideMerge(Layer.mergeAll(LedgerSql.layer, Lives.verifier), Stores.layerClient(store))
    )
  )

const round = (value: number, digits: number): number => Number(value.toFixed(digits))

const yearsWith = (options: RunOptions) =>
  onDatabases(options, (name) =>
    Effect.gen(function* () {
      const store: Stores.SqlStore = yield* Stores.makeSql(name)
      return yield* measure(options, store)
    })
  )

export const years: Run = {
  summary:
    "a year of transactions archived: the tables that stay, bytes of a transaction, cost of a read, a late chargeback",
  unit: "transactions",
  count: { sqlite: 1_000_000, postgres: 1_000_000 },
  stores: ["sqlite", "postgres"],
  make: yearsWith
}
