import * as Arr from "effect/Array"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import * as Cleaner from "../src/internal/work/Cleaner.ts"
import * as RetentionSettings from "../src/internal/work/RetentionSettings.ts"
import { layerMemory, Ledger } from "../src/Ledger.ts"
import { layerMemory as layerRequests } from "../src/internal/ledger/RequestStore.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import { finish, november } from "@pawl/test-support/Finished"
import { live } from "@pawl/test-support/Tests"
import { emptied, ledgerOf } from "@pawl/test-support/Places"
import { files, onPostgres } from "@pawl/test-support/Stores"

const file = files()

const memory = () => Layer.provideMerge(layerRequests, Layer.fresh(layerMemory))

const holds = (layer: () => Layer.Layer<Ledger, unknown>) => {
  const test = live.with(layer)

  test("deletions at one time delete each transaction once", function* () {
    const ledger = yield* Ledger
    for (let id = 1; id <= 40; id++) yield* finish(String(id), november)
    const all = Effect.gen(function* () {
      let deleted = 0
      for (let count = -1; count !== 0; deleted += Math.max(0, count)) {
        count = yield* ledger.deleteOld({ before: november + 1, limit: 3 })
      }
      return deleted
    })
    const counts = yield* Effect.all([all, all, all], { concurrency: "unbounded" })
    expect(counts.reduce((one, two) => one + two)).toBe(40)
    const { rows } = yield* ledger.page({ limit: 99, from: 0, before: 9e15 })
    expect(rows).toEqual([])
  })
}

describe("in memory", () => {
  holds(memory)
})
describe("in four shards", () => {
  holds(() => LedgerSql.layerShards(Arr.makeBy(4, memory)))
})
describe("in a SQLite file", () => {
  holds(() => ledgerOf(file()))
})
await onPostgres((place) => {
  describe("in PostgreSQL", () => {
    holds(() => emptied(place))
  })
})

describe("the settings", () => {
  const make = (env: Readonly<Record<string, string>>) =>
    Effect.runSync(
      Effect.map(Config.all(RetentionSettings.environment), RetentionSettings.make).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
      )
    )
  const read = (layer: Layer.Layer<never>) =>
    Effect.runSync(
      Effect.provide(Effect.all({ body: Cleaner.Retention, months: Cleaner.KeptMonths }), layer)
    )

  it("are days and months, or never, and keep every transaction by default", () => {
    const { layer, sentences } = make({ PAWL_KEEP_MONTHS: "120", PAWL_BODY_DAYS: "10" })
    expect(sentences).toEqual([])
    expect(read(layer())).toEqual({ body: Duration.days(10), months: 120 })
    expect(read(make({}).layer())).toEqual({ body: Duration.days(30), months: undefined })
    expect(read(make({ PAWL_KEEP_MONTHS: "never" }).layer()).months).toBeUndefined()
  })

  it("of a merchant take the place of those of the process", () => {
    const { layer } = make({ PAWL_KEEP_MONTHS: "120" })
    expect(read(layer(24)).months).toBe(24)
    expect(read(layer(Infinity)).months).toBeUndefined()
  })

  it("name what cannot be used: months in which a chargeback may come are kept", () => {
    const { sentences } = make({
      PAWL_BODY_DAYS: "soon",
      PAWL_KEEP_MONTHS: "6",
      PAWL_STORE_MEGABYTES: "0"
    })
    expect(sentences).toEqual([
      "PAWL_BODY_DAYS cannot be used: give a number from 1 to 99999, or never.",
      "PAWL_KEEP_MONTHS cannot be used: give a number from 7 to 99999, or never.",
      "PAWL_STORE_MEGABYTES cannot be used: give megabytes, or never."
    ])
    for (const size of ["x5", "5x", "-5", "05", "1234567890"]) {
      expect(make({ PAWL_STORE_MEGABYTES: size }).sentences).toHaveLength(1)
    }
    expect(make({}).storeBytes).toBeUndefined()
    expect(make({ PAWL_STORE_MEGABYTES: "3" }).storeBytes).toBe(3 * 1024 * 1024)
    expect(make({ PAWL_STORE_MEGABYTES: "never" }).storeBytes).toBe(Infinity)
  })
})
