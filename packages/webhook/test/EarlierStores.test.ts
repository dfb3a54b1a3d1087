import { readFileSync } from "node:fs"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import { SqlClient } from "effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { client, ledgerOf, type Place } from "@pawl/test-support/Places"
import { secret } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"
import { Ledger } from "../src/Ledger.ts"
import { RequestStore } from "../src/internal/ledger/RequestStore.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import * as Receiver from "../src/Receiver.ts"
import * as Verifier from "../src/Verifier.ts"
import { names } from "./schemaTexts.ts"

interface Stored {
  readonly statements: Readonly<Record<Place["_tag"], ReadonlyArray<string>>>
  readonly migrations: ReadonlyArray<string>
  readonly rows: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>>
}

const restore = Effect.fnUntraced(function* ({ _tag }: Place, stored: Stored) {
  const sql = yield* SqlClient
  yield* sql`CREATE TABLE pawl_migrations (migration_id INTEGER PRIMARY KEY,
    created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, name TEXT NOT NULL)`
  for (const text of stored.statements[_tag]) yield* sql.unsafe(text)
  for (const each of stored.migrations) {
    const [id = "", name = ""] = each.split("_")
    yield* sql`INSERT INTO pawl_migrations (migration_id, name) VALUES (${Number(id)}, ${name})`
  }
  for (const [table, rows] of Object.entries(stored.rows)) {
    for (const { body, ...row } of rows) {
      const line = typeof body === "string" ? { ...row, body: Buffer.from(body, "hex") } : row
      yield* sql`INSERT INTO ${sql(table)} ${sql.insert(line)}`
    }
  }
})

const firstTold = (ledger: Ledger["Service"]) =>
  Effect.gen(function* () {
    const told: Array<Handler.Transition> = []
    yield* Layer.build(
      Receiver.layer().pipe(
        Layer.provide([
          Verifier.layer({ current: Redacted.make(secret) }).pipe(
            Layer.provide(Profile.layer({})),
            Layer.provide(NodeHmac.layer)
          ),
          Layer.succeed(Ledger, ledger),
          Handler.layer((transition) => Effect.sync(() => void told.push(transition))),
          Layer.succeed(StatusReader, {
            read: (kind) =>
              Effect.succeed({
                kind: kind === "apm" ? "apm-payment" : kind === "card" ? "card-payment" : kind,
                status: kind === "refund" ? "PENDING" : "SUCCEED"
              })
          })
        ])
      )
    )
    yield* Effect.sleep("20 millis").pipe(
      Effect.repeat({ while: () => told.every(({ to }) => to !== "SUCCEED") })
    )
    return told.find(({ to }) => to === "SUCCEED")
  }).pipe(Effect.scoped)

const check = (place: Place, version: number) =>
  Effect.gen(function* () {
    const file = new URL(`stores/${version}.json`, import.meta.url)
    const stored = JSON.parse(readFileSync(file, "utf8")) as Stored
    yield* Effect.provide(restore(place, stored), client(place))
    const built = yield* Layer.build(ledgerOf(place))
    const [ledger, requests] = [Context.get(built, Ledger), Context.get(built, RequestStore)]
    expect(yield* Effect.provide(LedgerSql.migrate, built)).toBe(names.length)

    expect(yield* ledger.get("card", "told")).toMatchObject({
      told: "SUCCEED",
      sequence: 1,
      kind: "card-payment"
    })
    const key = { method: "card", scope: "card-payment", transactionId: "told" } as const
    const body = new TextDecoder().decode(yield* ledger.body(key, "SUCCEED"))
    expect(JSON.parse(body)).toMatchObject({ transactionId: "told", transactionStatus: "SUCCEED" })
    const page = { after: undefined, limit: 10 }
    const dead = yield* ledger.deadLetters(page)
    expect(dead.map(({ transactionId }) => transactionId)).toEqual(["dead"])
    const odd = yield* ledger.quarantined
    expect(odd.map(({ transactionId }) => transactionId)).toEqual(["odd"])
    const story = yield* ledger.story("card", "new")
    expect(story.map(({ row }) => row.kind).toSorted()).toEqual(["card-payment", "refund"])
    expect(yield* requests.get("settled")).toMatchObject({
      outcome: { _tag: "Answered", text: "sealed answer" },
      transaction: { method: "card", transactionId: "told" }
    })

    const { rows } = yield* requests.claim({ at: 5000, until: 6000, limit: 10 })
    expect(rows).toMatchObject([{ requestId: "due", kind: "refund", body: "sealed" }])
    expect(yield* firstTold(ledger)).toMatchObject({ transactionId: "new", from: null })
  }).pipe(Effect.provideService(MinimumLogLevel, "None"))

it("there is a store of each schema", () => {
  for (const [at] of names.entries()) {
    const stored = JSON.parse(
      readFileSync(new URL(`stores/${at + 1}.json`, import.meta.url), "utf8")
    ) as Stored
    expect(stored.migrations).toEqual(names.slice(0, at + 1))
  }
})

const versions = names.map((_, at) => at + 1)
const file = files()

it.live.each(versions)("a SQLite file of schema %i is opened, worked off and given back", (each) =>
  check(file(), each)
)

for (const version of versions) {
  await onPostgres((place) => {
    it.live(`a database of schema ${version} is opened, worked off and given back`, () =>
      check(place, version)
    )
  })
}
