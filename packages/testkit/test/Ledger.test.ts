/**
 * The laws of a ledger: every store keeps them, and every planted bug breaks one.
 */
import { layerMemory, Ledger } from "@pawl/webhook/Ledger"
import * as RequestStore from "@pawl/webhook/RequestStore"
import * as Shards from "@pawl/webhook/Shards"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import { execute, server } from "@pawl/test-support/Postgres"
import { describeWithDatabase } from "@pawl/test-support/PostgresTests"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import { type Fresh, histories, laws, type Step } from "../src/Laws/Ledger.ts"
import { breaks, broken, names, rowsOf } from "./support/laws.ts"
import { brokenFacets } from "./support/ledgerFacets.ts"
import { ledgers } from "./support/ledgers.ts"

/** The laws with one example each. */
const examples = laws.slice(histories.length)

/** Checks every law on a ledger in memory, which costs little. */
const holdInMemory = () =>
  it.for(laws)("$name (in memory)", (law) => Laws.run(law, () => layerMemory, { numRuns: 60 }))

/** Checks every law on a store. The laws of facets play each history once together; a broken one reports by itself. */
const hold = (place: string, fresh: Fresh, numRuns: number) =>
  describe(`of a ledger ${place}`, () => {
    let broken: ReadonlySet<string>
    beforeAll(async () => {
      broken = await brokenFacets(fresh, { numRuns })
    }, 60_000)
    it.for(histories)(`$name (${place})`, async (law) => {
      if (broken.has(law.name)) await Laws.run(law, fresh, { numRuns })
      expect([...broken]).not.toContain(law.name)
    })
    it.for(examples)(`$name (${place})`, (law) => Laws.run(law, fresh))
  })

/** The laws about the order of rows, which holds within a shard. They are checked on a single ledger. */
const orderLaws = new Set(
  [
    "of the first reads",
    "planned reads are",
    "redriveAll",
    "deleteBodies",
    "quarantine keeps"
  ].flatMap((beginning) => names(laws).filter((name) => name.startsWith(beginning)))
)

/** Checks the laws on a ledger of four shards. */
const holdSharded = (place: string, fresh: Fresh, numRuns: number) => {
  it(`every facet of rows holds in four shards ${place}`, async () => {
    expect([...(await brokenFacets(fresh, { numRuns }))]).toEqual([])
  })
  it.for(examples.filter(({ name }) => !orderLaws.has(name)))(
    `$name (four shards ${place})`,
    (law) => Laws.run(law, fresh)
  )
}

const fourOf =
  <E>(one: () => Layer.Layer<Ledger | RequestStore.RequestStore, E>): Fresh =>
  () =>
    Shards.layer([one(), one(), one(), one()])

const directory = mkdtempSync(join(tmpdir(), "pawl-laws-"))
afterAll(() => rmSync(directory, { recursive: true }))

describe("the laws of a ledger hold", () => {
  holdInMemory()
  hold("in SQLite's memory", () => NodeSqlite.layerLedger({ filename: ":memory:" }), 22)
  hold(
    "in a SQLite file",
    () => NodeSqlite.layerLedger({ filename: join(directory, randomBytes(6).toString("hex")) }),
    5
  )
  holdSharded(
    "in memory",
    fourOf(() => Layer.provideMerge(RequestStore.layerMemory, layerMemory)),
    60
  )
  holdSharded(
    "in SQLite's memory",
    fourOf(() => NodeSqlite.layerLedger({ filename: ":memory:" })),
    8
  )
})

await describeWithDatabase((database) => {
  const tables = [
    "pawl_transactions",
    "pawl_facts",
    "pawl_callbacks",
    "pawl_quarantine",
    "pawl_liveness"
  ]
  const empty = Effect.flatMap(SqlClient, (sql) =>
    Effect.forEach(tables, (table) => sql`DELETE FROM ${sql(table)}`, { discard: true })
  )
  const fresh = Layer.effect(Ledger, Effect.andThen(empty, Ledger)).pipe(
    Layer.provide(
      Layer.provideMerge(
        LedgerSql.layer,
        NodePostgres.layer({ ...server, database, maxConnections: 4 })
      )
    )
  )
  hold("in PostgreSQL", () => fresh, 5)

  /** Four schemas of the database stand for four databases. */
  const schemas = ["one", "two", "three", "four"]
  const emptied = (schema: string) =>
    Layer.effectContext(
      Effect.andThen(empty, Effect.context<Ledger | RequestStore.RequestStore>())
    ).pipe(
      Layer.provide(
        Layer.provideMerge(
          LedgerSql.layer,
          NodePostgres.layer({
            ...server,
            database,
            maxConnections: 2,
            startupParameters: { search_path: schema }
          })
        )
      )
    )
  beforeAll(() =>
    Effect.runPromise(
      Effect.forEach(schemas, (schema) => execute(database, `CREATE SCHEMA ${schema}`))
    )
  )
  const [one = "", ...others] = schemas
  holdSharded(
    "in PostgreSQL",
    () => Shards.layer([emptied(one), ...others.map(emptied)]),
    Number(process.env["PAWL_RUNS"] ?? 2)
  )
})

/** A history that once broke a law: seed 1776338555 of the histories of PostgreSQL. */
const refusedRegistration: ReadonlyArray<Step> = [
  { _tag: "register", after: 0, id: "1", kind: "refund", status: undefined, amount: undefined },
  {
    _tag: "accept",
    after: 0,
    id: "1",
    kind: "refund",
    status: "PENDING",
    requestId: "r1",
    unsigned: {}
  },
  { _tag: "register", after: 0, id: "1", kind: "refund", status: undefined, amount: "25.00" }
]

it("R44: a registration with another amount than a token's is not refused (seed 1776338555)", async () => {
  for (const law of histories) {
    await Laws.run(law, () => layerMemory, { examples: [refusedRegistration], numRuns: 1 })
  }
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

  /** For each planted bug, the laws that it breaks and the result of the law that must catch it. */
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

  it("are listed in docs/laws.md with every planted bug and the fewest steps that show it", () => {
    const steps = (broken: Laws.LawBroken | undefined) =>
      Array.isArray(broken?.counterexample) ? broken.counterexample.length : "–"
    expect(rowsOf("Of a ledger")).toEqual([
      ...laws.map(({ name, section }) => `|${name}|${section}|`),
      ...found.map(({ bug, by, law }) => `|${bug}|${law}|${steps(by)}|`)
    ])
  })

  it("have different names, a section and an explanation", () => {
    expect(new Set(names(laws)).size).toBe(laws.length)
    for (const { explanation, section } of laws) {
      expect(section).toMatch(/^(spec\.md, ".+"|docs\/decisions\/\d{4})$/u)
      expect(explanation).toMatch(/\.$/u)
    }
  })
})
