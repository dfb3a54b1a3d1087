import { makeFolder } from "@pawl/test-support/Folder"
import { layerMemory, Ledger } from "@pawl/webhook/Ledger"
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import { execute, server } from "@pawl/test-support/Postgres"
import { describeWithDatabase } from "@pawl/test-support/PostgresTests"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import { type Fresh as FreshStore, ledgerLaws as laws } from "../src/Laws/Store.ts"
import { breaks, broken, names } from "@pawl/test-support/LawTests"
import { describeBugs } from "@pawl/test-support/PlantedBugs"
import * as StoreLaws from "./support/storeLaws.ts"
import { ledgers } from "./support/ledgers.ts"
import { repeats } from "@pawl/test-support/Repeats"

type Fresh = FreshStore<Ledger>

const { emptied, sqlite } = StoreLaws
const { brokenFacets, examples, hold } = StoreLaws.ledger

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

const directory = makeFolder()

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

const options = { seed: 11, numRuns: 50 }

describeBugs(
  "a ledger",
  laws,
  ledgers,
  async (plant, law) => {
    const planted = Effect.map(Ledger, (ledger) => ({ ...ledger, ...plant(ledger) }))
    const fresh: Fresh = () => Layer.effect(Ledger, planted).pipe(Layer.provide(layerMemory))
    const facets = await brokenFacets(fresh, options)
    const others = broken(await breaks(examples, fresh))
    const own = laws.filter(({ name }) => name === law)
    const [by] = await breaks(own, fresh, options)
    return { broken: [...facets, ...others], by }
  },
  {
    more: (foundOf) =>
      it("show the history, the step, the row and the field of a mismatch", () => {
        const by = foundOf("the told status is lost with the third transition")?.by
        expect(by?.shown).toMatch(/^(?:\d\. \d+ ms later, [a-z]+ \{.*\}\n?)+$/u)
        expect(by?.wrong).toMatch(/^Mismatch: step \d, told of /u)
      })
  }
)
