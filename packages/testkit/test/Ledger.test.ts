/**
 * The laws of a ledger over every store it is kept in, and over ledgers with a bug.
 */
import { layerMemory, Ledger } from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import { SqlClient } from "effect/sql/SqlClient"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import { type Fresh, history, laws } from "../src/Laws/Ledger.ts"
import { onPostgres } from "./support/postgres.ts"

const hold = (place: string, fresh: Fresh, numRuns: number) =>
  it.for(laws)(`$name (${place})`, (law) => Laws.run(law, fresh, { numRuns }))

const directory = mkdtempSync(join(tmpdir(), "pawl-laws-"))
afterAll(() => rmSync(directory, { recursive: true }))

describe("the laws of a ledger hold", () => {
  hold("in memory", () => layerMemory, 500)
  hold("in SQLite's memory", () => NodeSqlite.layerLedger({ filename: ":memory:" }), 200)
  hold(
    "in a SQLite file",
    () => NodeSqlite.layerLedger({ filename: join(directory, randomBytes(6).toString("hex")) }),
    40
  )
})

await onPostgres((place) => {
  const tables = ["pawl_transactions", "pawl_callbacks", "pawl_quarantine"]
  const empty = Effect.flatMap(SqlClient, (sql) =>
    Effect.forEach(tables, (table) => sql`DELETE FROM ${sql(table)}`, { discard: true })
  )
  const fresh = Layer.effect(Ledger, Effect.andThen(empty, Ledger)).pipe(
    Layer.provide(Layer.provideMerge(LedgerSql.layer, NodePostgres.layer(place)))
  )
  hold("in PostgreSQL", () => fresh, 40)
})

type Port = Ledger["Service"]

/** Ledgers with a bug, each with the beginning of the law that is to catch it. */
const bugs: ReadonlyArray<readonly [bug: string, law: string, plant: (ledger: Port) => Port]> = [
  [
    "every callback is said to be new",
    "accept keeps the evidence of a repeat",
    (ledger) => ({
      ...ledger,
      accept: (...call) => Effect.as(ledger.accept(...call), { isNew: true })
    })
  ],
  [
    "an id is looked for in one method alone",
    "accept keeps apart what differs in method or id",
    (ledger) => ({ ...ledger, get: (_, id) => ledger.get("card", id) })
  ],
  [
    "what is in quarantine is dropped",
    "accept gives no row to what is in quarantine",
    (ledger) => ({ ...ledger, quarantined: Effect.succeed([]) })
  ],
  [
    "the status of a response is dropped",
    "register makes a row before any callback",
    (ledger) => ({
      ...ledger,
      register: (operation, at) => ledger.register({ ...operation, status: undefined }, at)
    })
  ],
  [
    "a claim has no limit",
    "claim leases what is due, oldest first, within the limit",
    (ledger) => ({ ...ledger, claim: (asked) => ledger.claim({ ...asked, limit: 100 }) })
  ],
  [
    "a lease is over at once",
    "claim leases to one alone until the lease is over",
    (ledger) => ({ ...ledger, claim: (asked) => ledger.claim({ ...asked, until: asked.at }) })
  ],
  [
    "a write says it was made, lease or not",
    "a write without the lease changes nothing",
    (ledger) => ({
      ...ledger,
      write: (leased, change) =>
        Effect.map(ledger.write(leased, change), (written) => written ?? leased)
    })
  ],
  [
    "a write is made again",
    "a write with `tellsBefore` is done once",
    (ledger) => ({
      ...ledger,
      write: (leased, change) => ledger.write(leased, Struct.omit(change, ["tellsBefore"]))
    })
  ],
  [
    "every re-drive is said to be one",
    "deadLetters lists what is parked",
    (ledger) => ({ ...ledger, redrive: (...call) => Effect.as(ledger.redrive(...call), true) })
  ],
  [
    "a clean-up takes everything",
    "forget keeps a dead letter's bodies",
    (ledger) => ({ ...ledger, forget: ({ before }) => ledger.forget({ before, limit: 1000 }) })
  ]
]

const planted =
  (plant: (ledger: Port) => Port): Fresh =>
  () =>
    Layer.effect(Ledger, Effect.map(Ledger, plant)).pipe(Layer.provide(layerMemory))

describe("the laws of a ledger", () => {
  it.for(bugs)("catch it when %s", async ([, beginning, plant]) => {
    const caught = laws.filter(({ name }) => name.startsWith(beginning))
    expect(caught.length).toBe(1)
    for (const law of caught) {
      await expect(Laws.run(law, planted(plant))).rejects.toMatchObject({ law: { name: law.name } })
    }
  })

  it("find in histories what no example shows, as short as it gets", async () => {
    // What was told is forgotten with the third transition.
    const plant = (ledger: Port): Port => ({
      ...ledger,
      get: (...call) =>
        Effect.map(
          ledger.get(...call),
          (row) => row && (row.tells === 3 ? { ...row, told: undefined } : row)
        )
    })
    const others = laws.filter(({ name }) => name !== history.name)
    await Promise.all(others.map((law) => Laws.run(law, planted(plant))))
    await expect(Laws.run(history, planted(plant), { seed: 1 })).rejects.toMatchObject({
      shown: expect.stringMatching(/^1\. .* accept .*\n2\. .* claim .*\n3\. .* write .*$/u)
    })
  })

  it("have names of their own, and say where they are from and why", () => {
    expect(new Set(laws.map(({ name }) => name)).size).toBe(laws.length)
    for (const { explanation, section } of laws) {
      expect(section).toMatch(/^(spec\.md, ".+"|docs\/decisions\/\d{4})$/u)
      expect(explanation).toMatch(/\.$/u)
    }
  })
})
