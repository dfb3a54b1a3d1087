import { layerMemory, Ledger } from "@pawl/webhook/Ledger"
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import { execute, server } from "@pawl/test-support/Postgres"
import { describeWithDatabase } from "@pawl/test-support/PostgresTests"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import { type Fresh as FreshStore, ledgerLaws as laws } from "../src/Laws/Store.ts"
import { breaks, broken, expectListed, expectSummary, names, stepsOf } from "./support/lawTests.ts"
import { brokenFacets, examples, hold, sqlite } from "./support/ledgerLaws.ts"
import { ledgers } from "./support/ledgers.ts"
import { emptied } from "./support/sqlStore.ts"
import { repeats } from "@pawl/test-support/Repeats"

type Fresh = FreshStore<Ledger>

/** The laws about the order of rows, which holds within a shard only. */
const orderLaws = new Set(
  [
    "of the first reads",
    "planned reads are",
    "redriveAll",
    "deleteBodies",
    "deleteOld",
    "quarantine keeps"
  ].flatMap((beginning) => names(laws).filter((name) => name.startsWith(beginning)))
)

const holdSharded = (place: string, fresh: Fresh, numRuns: number) => {
  it(`every facet of rows holds in four shards ${place}`, async () => {
    expect([...(await brokenFacets(fresh, { numRuns }))]).toEqual([])
  })
  it.for(examples.filter(({ name }) => !orderLaws.has(name)))(
    `$name (four shards ${place})`,
    (law) => Laws.run(law, fresh)
  )
}

const inMemory = Layer.provideMerge(RequestStore.layerMemory, layerMemory)

const directory = mkdtempSync(join(tmpdir(), "pawl-laws-"))
afterAll(() => rmSync(directory, { recursive: true }))

describe("the laws of a ledger hold", () => {
  const file = sqlite(join(directory, "ledger"))
  hold("in a SQLite file", () => file, 5)
  holdSharded(
    "in memory",
    () => LedgerSql.layerShards([inMemory, inMemory, inMemory, inMemory]),
    60
  )
  const shards = [sqlite(), sqlite(), sqlite(), sqlite()] as const
  holdSharded("in SQLite's memory", () => LedgerSql.layerShards(shards), 8)
})

await describeWithDatabase((database) => {
  const postgres = (search_path: string, maxConnections: number) =>
    emptied(
      NodePostgres.layer({
        ...server,
        database,
        maxConnections,
        startupParameters: { search_path }
      })
    )
  const ledger = postgres("public", 4)
  hold("in PostgreSQL", () => ledger, 5)

  /** Four schemas stand for four databases. */
  const schemas = ["one", "two", "three", "four"] as const
  beforeAll(() =>
    Effect.runPromise(
      Effect.forEach(schemas, (schema) => execute(database, `CREATE SCHEMA ${schema}`))
    )
  )
  const shards = [
    postgres("one", 2),
    postgres("two", 2),
    postgres("three", 2),
    postgres("four", 2)
  ] as const
  const numRuns = repeats(20, 10)
  holdSharded("in PostgreSQL", () => LedgerSql.layerShards(shards), numRuns)
})

const planted =
  (plant: (ledger: Ledger["Service"]) => Ledger["Service"]): Fresh =>
  () =>
    Layer.effect(Ledger, Effect.map(Ledger, plant)).pipe(Layer.provide(layerMemory))

describe("the laws of a ledger", () => {
  const lawOf = (beginning: string) => {
    const [law, ...others] = names(laws).filter((name) => name.startsWith(beginning))
    return others.length > 0 || law === undefined
      ? assert.fail(`not exactly one law begins with ${beginning}`)
      : law
  }

  let found: ReadonlyArray<{
    readonly bug: string
    readonly law: string
    readonly broken: ReadonlyArray<string>
    readonly by: Laws.LawBroken | undefined
  }> = []
  beforeAll(async () => {
    found = await Promise.all(
      ledgers.map(async ([bug, beginning, plant]) => {
        const options = { seed: 11, numRuns: 50 }
        const fresh = planted(plant)
        const law = lawOf(beginning)
        const facets = await brokenFacets(fresh, options)
        const others = broken(await breaks(examples, fresh))
        const [by] = await breaks(
          laws.filter(({ name }) => name === law),
          fresh,
          options
        )
        return { bug, law, broken: [...facets, ...others], by }
      })
    )
  }, 300_000)

  it.for(ledgers)("catch it when %s", ([bug, beginning]) => {
    expect(found.find((one) => one.bug === bug)?.broken).toContain(lawOf(beginning))
  })

  it("each catch a bug that no other law catches", () => {
    const alone = found.flatMap(({ broken }) => (broken.length === 1 ? broken : []))
    expect(new Set(alone)).toEqual(new Set(names(laws)))
  })

  it("show the history, the step, the row and the field of a mismatch", () => {
    const third = found.find(({ bug }) => bug.endsWith("with the third transition"))
    expect(third?.by?.shown).toMatch(/^(?:\d\. \d+ ms later, [a-z]+ \{.*\}\n?)+$/u)
    expect(third?.by?.wrong).toMatch(/^Mismatch: step \d, told of /u)
  })

  it("are listed in docs/laws.md, and the lengths of the counterexamples in docs/situations.md", () => {
    expectListed("a ledger", laws)
    expectSummary(
      "a ledger",
      found.map(({ by }) => stepsOf(by))
    )
  })

  it("have different names, a section and an explanation", () => {
    expect(new Set(names(laws)).size).toBe(laws.length)
    for (const { explanation, section } of laws) {
      expect(section).toMatch(/^(spec\.md, ".+"|docs\/decisions\/\d{4})$/u)
      expect(explanation).toMatch(/\.$/u)
    }
  })
})
