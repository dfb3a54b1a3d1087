/**
 * Erasing a person's data in each store: what is deleted, and what stays.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { layerMemory, Ledger } from "../src/Ledger.ts"
import * as NodeSqlite from "../src/NodeSqlite.ts"
import { RequestStore, layerMemory as layerRequests } from "../src/RequestStore.ts"
import * as Shards from "../src/Shards.ts"
import { callback, everything, finish, november, within } from "./archives.ts"
import { client, emptied, ledgerOf } from "./places.ts"
import { files, onPostgres } from "./stores.ts"

const file = files()

const runs = <A>(test: Effect.Effect<A, unknown, Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(test))

type Both = Ledger | RequestStore

const stores: Readonly<Record<string, () => Layer.Layer<Both, unknown>>> = {
  memory: () => Layer.provideMerge(layerRequests, Layer.fresh(layerMemory)),
  SQLite: () => ledgerOf(file())
}

/** Writes a request, and settles it with an answer unless it `isOpen`. */
const request = Effect.fnUntraced(function* (
  requestId: string,
  options: { readonly isOpen: boolean }
) {
  const store = yield* RequestStore
  yield* store.write(
    {
      requestId,
      kind: "apm-payment",
      digest: "digest",
      hasCardData: false,
      ordered: undefined,
      body: `sealed ${requestId}`,
      expiresAt: undefined
    },
    { at: november }
  )
  if (options.isOpen) return
  yield* store.settle(requestId, {
    outcome: { _tag: "Answered", text: `answer ${requestId}` },
    at: november
  })
})

const ids = Array.from({ length: 8 }, (_, n) => String(100_001 + n))

/** Stores a transaction that names its request, and its request. */
const ordered = Effect.fnUntraced(function* (id: string, isOpen = false) {
  const ledger = yield* Ledger
  yield* ledger.accept(
    { ...callback(id, "SUCCEED"), ordered: { requestId: `order-${id}` } },
    november
  )
  yield* request(`order-${id}`, { isOpen })
})

const texts = (requestId: string) =>
  Effect.map(
    Effect.flatMap(RequestStore, (store) => store.get(requestId)),
    (row) => [row?.body, row?.outcome !== undefined && "text" in row.outcome && row.outcome.text]
  )

const holds = (layer: () => Layer.Layer<Both, unknown>) => {
  it("the texts of the settled requests of a transaction are deleted, and only these", () =>
    runs(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        for (const id of ids) yield* ordered(id, id === ids[7])
        for (const id of ids.slice(1)) {
          const isOpen = id === ids[7]
          expect(yield* ledger.archive.erase("card", id)).toMatchObject({
            rows: 1,
            bodies: 1,
            requests: isOpen ? 0 : 1,
            open: isOpen ? 1 : 0
          })
        }
        expect(yield* texts(`order-${ids[0]}`)).toEqual([undefined, `answer order-${ids[0]}`])
        expect(yield* texts(`order-${ids[1]}`)).toEqual([undefined, undefined])
        expect(yield* texts(`order-${ids[7]}`)).toEqual([`sealed order-${ids[7]}`, false])
        expect(yield* ledger.archive.erase("card", ids[1] ?? "")).toMatchObject({ requests: 0 })
      }).pipe(Effect.provide(layer()))
    ))

  it("the name and reason of a redrive are deleted, and one without them does not count", () =>
    runs(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        for (const [id, note] of [
          ["1", { by: "grace", why: "paid twice" }],
          ["2", {}]
        ] as const) {
          yield* ledger.accept(callback(id, "SUCCEED"), november)
          const { rows } = yield* ledger.claim({ at: november, until: november + 1000, limit: 1 })
          const deadLetter = { reason: "handler-failed", at: november, to: undefined } as const
          for (const row of rows)
            yield* ledger.write(row, { deadLetter, release: { dueAt: undefined } })
          yield* ledger.redrive({ method: "card", transactionId: id }, november, note)
        }
        const erased = yield* Effect.forEach(["1", "2"], (id) => ledger.archive.erase("card", id))
        expect(erased.map(({ notes }) => notes)).toEqual([1, 0])
        const [story] = yield* ledger.story("card", "1")
        expect(JSON.stringify(story)).not.toContain("grace")
        expect(story?.facts.map(({ fact }) => fact)).toContain("redriven")
      }).pipe(Effect.provide(layer()))
    ))
}

for (const [name, layer] of Object.entries(stores)) {
  describe(`erase in ${name}`, () => {
    holds(layer)
  })
  describe(`erase in four shards, in ${name}`, () => {
    const four = () => Shards.layer(Arr.makeBy(4, layer))
    holds(four)

    it("callbacks in quarantine are deleted in every shard", () =>
      runs(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const unknown = { ...callback("1", "SUCCEED"), claim: undefined, quarantine: "status" }
          // As after a database was added: what is in quarantine is not moved.
          for (const shard of ledger.shards ?? []) yield* shard.accept(unknown, november)
          expect(yield* ledger.quarantined).toHaveLength(4)
          expect(yield* ledger.archive.erase("card", "1")).toMatchObject({ quarantined: 4 })
          expect(yield* ledger.quarantined).toEqual([])
        }).pipe(Effect.provide(four()))
      ))
  })
}

describe("compact", () => {
  it("rewrites a database without a second file", () =>
    runs(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* finish("1", november)
        yield* ledger.archive.move(everything)
        yield* ledger.archive.compact
        expect((yield* ledger.get("card", "1"))?.told).toBe("SUCCEED")
      }).pipe(Effect.provide(NodeSqlite.layerLedger({ filename: `file:${file().filename}` })))
    ))

  it("fails while another process reads the write-ahead log", () =>
    runs(
      Effect.gen(function* () {
        const place = file()
        const built = yield* Layer.build(ledgerOf(place))
        const { archive } = Context.get(built, Ledger)
        yield* Effect.provideContext(finish("1", november), built)
        const reader = new DatabaseSync(place.filename)
        reader.exec("BEGIN; SELECT count(*) FROM pawl_transactions")
        expect(yield* Effect.flip(archive.compact)).toMatchObject({ _tag: "StoreUnavailable" })
        reader.close()
        yield* archive.compact
      })
    ))
})

await onPostgres((place) => {
  describe("erase in PostgreSQL", () => {
    holds(() => emptied(place))

    /** Returns the relations of the database in whose files a text is. */
    const holding = (text: string) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CHECKPOINT`
        const lines = yield* sql<{ readonly name: string }>`
          SELECT oid::regclass::text AS name FROM pg_class
          WHERE relkind IN ('r', 't', 'i') AND pg_relation_filepath(oid) IS NOT NULL
            AND position(convert_to(${text}, 'UTF8') IN
              pg_read_binary_file(pg_relation_filepath(oid), 0, 1000000000, true)) > 0`
        return lines.map(({ name }) => name)
      })

    it("after an erase and a rewrite no table, index or statistic has the text", () =>
      within(place)(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const sql = yield* SqlClient
          for (let id = 1; id <= 20; id++) yield* finish(String(id), november)
          yield* ledger.archive.move({ ...everything, limit: 10 })
          expect(yield* holding("Grace Hopper 4")).toContain("pawl_callbacks")
          yield* sql`ANALYZE`
          for (let id = 1; id <= 20; id++) yield* ledger.archive.erase("card", String(id))
          yield* ledger.archive.compact
          const encoded = Buffer.from("Grace Hopper").toString("base64").slice(0, 12)
          for (const text of ["Grace Hopper", encoded]) expect(yield* holding(text)).toEqual([])
        })
      ))

    it("a rewrite fails while a session holds an older snapshot, because deleted texts would be copied", () =>
      within(place)(
        Effect.gen(function* () {
          const { archive } = yield* Ledger
          yield* finish("1", november)
          const startupParameters = { idle_in_transaction_session_timeout: "0" }
          const other = Context.get(
            yield* Layer.build(client(place, { startupParameters })),
            SqlClient
          )
          const holder = yield* other.reserve
          yield* holder.executeUnprepared("BEGIN ISOLATION LEVEL REPEATABLE READ", [], undefined)
          yield* holder.executeUnprepared("SELECT 1", [], undefined)
          yield* archive.erase("card", "1")
          expect(yield* Effect.flip(archive.compact)).toMatchObject({ _tag: "StoreUnavailable" })
          yield* holder.executeUnprepared("COMMIT", [], undefined)
          yield* archive.compact
          expect(yield* holding("Grace Hopper 1")).toEqual([])
        }).pipe(Effect.scoped)
      ))

    it("drops of the same month at one time drop each transaction once", () =>
      within(place)(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          for (let id = 1; id <= 40; id++) yield* finish(String(id), november)
          yield* ledger.archive.move(everything)
          const drop = ledger.archive.drop({ at: Date.UTC(2028, 0), months: 7, limit: 3 })
          const all = Effect.repeat(drop, { while: (count) => count > 0 })
          yield* Effect.all([all, all, all], { concurrency: "unbounded" })
          expect(yield* drop).toBe(0)
          expect(yield* ledger.get("card", "7")).toBeUndefined()
        })
      ))
  })
})
