/**
 * Holds a snapshot of PostgreSQL open while callbacks come, as a backup does: the cost of a claim,
 * and the growth of the tables.
 */
import * as Postgres from "@pawl/test-support/Postgres"
import { Ledger } from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as FakeService from "./FakeService.ts"
import * as ManyRows from "./ManyRows.ts"
import { onStore, percentiles, type Run, type RunOptions, type StorePart } from "./Run.ts"
import * as Stores from "./Stores.ts"

const fullCount = 1_000_000
/** The milliseconds of a full run's snapshot. */
const heldTime = 600_000
const freeTime = 60_000
const batch = 64
const pace = 4
const lastRounds = 60
const untilWatch = 12 * 3_600_000
const mostCost = 2
const mostBytes = 8192

type Part = StorePart<RunOptions, "postgres">

const size = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [line] = yield* sql<{ readonly bytes: string }>`
    SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relname LIKE 'pawl_%' AND relkind = 'r'`
  return Number(line?.bytes)
})

const isHeld = Effect.gen(function* () {
  const sql = yield* SqlClient
  const lines = yield* sql`SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%' AND backend_xmin IS NOT NULL`
  return lines.length > 0
})

const play = Effect.fnUntraced(function* ({ count, log, miss, store }: Part) {
  const ledger = yield* Ledger
  const { verify } = yield* Verifier.Verifier
  let nextId = 100_001
  const round = Effect.gen(function* () {
    const accept = Effect.suspend(() => {
      const callback = FakeService.callback(String(nextId++), "SUCCEED")
      return Effect.flatMap(Effect.fromResult(verify(FakeService.incoming(callback))), (verified) =>
        ledger.accept(verified, Date.now())
      )
    })
    yield* Effect.all(
      Array.from({ length: batch }, () => accept),
      { concurrency: "unbounded", discard: true }
    )
    const at = Date.now()
    const startedAt = performance.now()
    const { rows } = yield* ledger.claim({ at, until: at + 30_000, limit: batch })
    const took = performance.now() - startedAt
    if (rows.length !== batch) miss(`${rows.length} rows were claimed`)
    yield* Effect.forEach(
      rows,
      (leased) => ledger.write(leased, { release: { dueAt: at + untilWatch, lane: "watch" } }),
      { concurrency: 8, discard: true }
    )
    return took
  })
  const work = Effect.fnUntraced(function* (name: string, time: number) {
    const rounds = Math.max(20, Math.round((time / 1000) * pace * (count / fullCount)))
    log(`${rounds} rounds of ${batch} callbacks, ${name}`)
    const before = yield* size
    const startedAt = performance.now()
    const times: Array<number> = []
    for (let number = 1; number <= rounds; number++) {
      yield* Effect.sleep(Math.max(0, startedAt + (number * 1000) / pace - performance.now()))
      times.push(yield* round)
    }
    const bytes = Math.round(((yield* size) - before) / (rounds * batch))
    const { p50Ms, p99Ms } = percentiles(times.slice(-lastRounds))
    return { p50Ms, p99Ms, bytes }
  })

  yield* round
  yield* ManyRows.fill(count, log)
  yield* SqlClient.use((sql) => sql`VACUUM ANALYZE`.unprepared)
  const free = yield* work("without a snapshot", freeTime)
  yield* Effect.forkScoped(Postgres.execute(store.database, "SELECT pg_sleep(7200)"))
  yield* Effect.sleep("1 second")
  if (!(yield* isHeld)) miss("no snapshot was held")
  const held = yield* work("under a snapshot", heldTime)
  if (!(yield* isHeld)) miss("the snapshot ended early")
  yield* Postgres.execute(
    store.database,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'"
  )
  yield* SqlClient.use((sql) => sql`VACUUM`.unprepared)
  const after = yield* work("after the snapshot", freeTime)

  if (held.p50Ms > mostCost * free.p50Ms)
    miss(`a claim took ${held.p50Ms} ms under the snapshot, and ${free.p50Ms} ms before it`)
  if (held.bytes > mostBytes) miss(`a transaction took ${held.bytes} bytes under the snapshot`)
  if (after.bytes > free.bytes)
    miss(`a transaction took ${after.bytes} bytes after the snapshot, and ${free.bytes} before it`)
  return {
    transactions: nextId - 100_001,
    claimP50Before: free.p50Ms,
    claimP50Held: held.p50Ms,
    claimP50After: after.p50Ms,
    claimP99Before: free.p99Ms,
    claimP99Held: held.p99Ms,
    bytesBefore: free.bytes,
    bytesHeld: held.bytes,
    bytesAfter: after.bytes
  }
})

export const snapshot: Run = {
  summary:
    "a snapshot of PostgreSQL held open for ten minutes: a claim costs at most twice as much, and the tables' growth is bounded",
  unit: "rows",
  count: { postgres: fullCount },
  make: (options) =>
    onStore("postgres", options, (part) => {
      const database = Layer.provideMerge(LedgerSql.layer, Stores.layerClient(part.store))
      return Effect.provide(play(part), Layer.merge(database, FakeService.layerVerifier))
    })
}
