/**
 * Runs `pawl reconcile` over a day of transactions with twelve drifts, and kills it three times:
 * exactly the twelve are listed, hardly any transaction is read twice, and hledger accepts the
 * books.
 */
import { Ledger } from "@pawl/webhook/Ledger"
import * as Program from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as FakeService from "./FakeService.ts"
import { type DatabasePart, onDatabases, type Run } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Stores from "./Stores.ts"
import * as Wait from "./Wait.ts"

const drifts = 12
const kills = 3
/** The most reads in flight at a kill (`DayComparison`). */
const readsInFlight = 8
const bin = new URL("../../../packages/pawl/src/bin/pawl.ts", import.meta.url).pathname
const date = "2026-11-21"
const day = Date.parse(date)

const fill = (store: Stores.SqlStore, count: number) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const ids = Array.from({ length: count }, (_, index) => String(100_000 + index))
    const order = { amount: "10.00", currency: "EUR" }
    yield* Effect.forEach(
      ids,
      (transactionId, index) =>
        ledger.register({ kind: "apm-payment", transactionId, ...order }, day + index),
      { concurrency: 16, discard: true }
    )
    for (;;) {
      const { rows } = yield* ledger.claim({ at: 2 * day, until: 3 * day, limit: 100 })
      if (rows.length === 0) return
      const told = { told: "SUCCEED", sequence: 1, release: { dueAt: undefined } } as const
      yield* Effect.forEach(rows, (row) => ledger.write(row, told), {
        concurrency: "unbounded",
        discard: true
      })
    }
  }).pipe(Effect.provide(Stores.layerLedger(store)), Effect.orDie)

const onStore = Effect.fnUntraced(function* ({ count, log, miss, seed, store }: DatabasePart) {
  const random = SeededRandom.make(seed, "reconcile")
  const { baseUrl, reads, statuses } = yield* FakeService.start
  yield* fill(store, count)
  for (let index = 0; index < count; index++) statuses.set(String(100_000 + index), "SUCCEED")
  const drifted = new Set<string>()
  while (drifted.size < drifts) drifted.add(String(100_000 + random.below(count)))
  for (const [index, id] of [...drifted].entries()) {
    if (index % 4 === 0) statuses.delete(id)
    else statuses.set(id, random.pick(["FAILED", "CHARGEBACK", "REFUNDED", "PENDING"]))
  }
  log(`${count} transactions`)

  const out = yield* Stores.folder
  const args = ["--day", date, "--store", store.url, "--out", out, "--rate", "1000"]
  const start = Program.start(process.execPath, [bin, "reconcile", ...args], {
    PAWL_MERCHANT_KEY: "key",
    PAWL_MERCHANT_SECRET: FakeService.secret,
    PAWL_BASE_URL: baseUrl
  })
  for (let kill = 1; kill <= kills; kill++) {
    const { child, exited } = yield* start
    const until = reads.length + count / (kills + 2)
    const isDue = () => reads.length >= until || child.exitCode !== null
    yield* Effect.promise(() => Wait.until(isDue, Infinity))
    child.kill("SIGKILL")
    yield* exited
  }
  const { exited, stderr } = yield* start
  const { code } = yield* exited
  if (code !== 1) miss(`the last run ended with ${code}: ${stderr()}`)

  const files = (extension: string) => join(out, `pawl-${date}.${extension}`)
  const lines = readFileSync(files("csv"), "utf8").trim().split("\r\n").slice(1)
  const listed = new Set(lines.map((line) => line.split(",")[1] ?? ""))
  for (const id of drifted) if (!listed.has(id)) miss(`${id} has drifted and is not listed`)
  for (const id of listed) if (!drifted.has(id)) miss(`${id} is listed and has not drifted`)
  if (lines.length !== drifts) miss(`${lines.length} differences are listed`)
  const repeated = reads.length - count
  if (repeated > kills * readsInFlight) miss(`${repeated} transactions were read again`)
  const hledger = spawnSync("hledger", ["-f", files("journal"), "check", "--strict"])
  if (hledger.error === undefined && hledger.status !== 0) {
    miss(`hledger refuses the books: ${hledger.stderr.toString()}`)
  }
  return {
    transactions: count,
    differences: lines.length,
    reads: reads.length,
    repeated,
    hledger: hledger.error === undefined ? 1 : 0
  }
})

export const reconcile: Run = {
  summary:
    "pawl reconcile, killed three times: exactly the 12 planted drifts are listed, and hledger accepts the books",
  unit: "transactions",
  count: { sqlite: 10_000, postgres: 10_000 },
  make: (options) => onDatabases(options, onStore)
}
