import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Evidence from "@pawl/core/Evidence"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Number from "effect/Number"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { describe, expect, it } from "vitest"
import * as Journal from "../src/Journal.ts"
import * as Ledger from "../src/Ledger.ts"
import * as Move from "../src/internal/ledger/Move.ts"
import * as Settings from "../src/internal/ledger/Settings.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import * as Receiver from "../src/Receiver.ts"
import * as RequestStore from "../src/internal/ledger/RequestStore.ts"
import type { Leased } from "../src/internal/rule/Row.ts"
import { transactionOf } from "../src/internal/documents/Fields.ts"
import * as Engines from "../src/internal/records/Engines.ts"
import { Records } from "../src/internal/records/Records.ts"
import * as Verifier from "../src/Verifier.ts"
import * as Outage from "../src/internal/work/Outage.ts"
import * as WorkLimits from "../src/internal/rule/WorkLimits.ts"
import { live as test, test as virtual } from "@pawl/test-support/Tests"
import { pass } from "@pawl/test-support/World"
import { client, ledgerOf, type Place } from "@pawl/test-support/Places"
import {
  apm,
  card,
  incoming,
  search,
  secret,
  transition,
  verified
} from "@pawl/test-support/Service"
import { files } from "@pawl/test-support/Stores"
import { newRequest } from "./memoryLedger.ts"

const ids = Array.from({ length: 60 }, (_, n) => String(100_001 + n))
const shardOf = (transactionId: string, count = 4) =>
  LedgerSql.shardOf({ method: "apm", transactionId }, count)

const callback = (transactionId: string, transactionStatus: string) =>
  verified("apm", apm({ transactionId, transactionStatus }))

describe("the shard of a transaction", () => {
  it("never changes, because rows are stored by it", () => {
    expect(ids.slice(0, 16).map((id) => shardOf(id))).toEqual(stored)
    expect(LedgerSql.shardOf({ requestId: "order-17" }, 4)).toBe(storedRequest)
    expect(shardOf("1", 1)).toBe(0)
  })

  it("is each of them for about the same number of transactions", () => {
    for (const count of [2, 3, 4, 16]) {
      const counts = Array.from({ length: count }, () => 0)
      for (let id = 0; id < 1000 * count; id++) {
        const shard = shardOf(String(100_000 + id), count)
        counts[shard] = (counts[shard] ?? 0) + 1
      }
      for (const each of counts) expect(Math.abs(each - 1000)).toBeLessThan(150)
    }
  })
})

/** The shards of these ids at the first release. */
const stored = [1, 1, 0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 3, 1, 1, 3]
const storedRequest = 3

it("the limits of the shards add up to those of the worker", () => {
  for (const count of [1, 3, 4, 7]) {
    const shares = Array.from({ length: count }, (_, position) =>
      WorkLimits.shareOf({ ...WorkLimits.defaults, readsPerSecond: 50 }, position, count)
    )
    const sumOf = (name: "calls" | "reads" | "readsPerSecond") =>
      shares.reduce((sum, share) => sum + share[name], 0)
    expect([sumOf("calls"), sumOf("reads"), sumOf("readsPerSecond")]).toEqual([64, 32, 50])
  }
  const many = Array.from({ length: 128 }, (_, at) =>
    WorkLimits.shareOf(WorkLimits.defaults, at, 128)
  )
  expect(many.filter(({ readsPerSecond }) => readsPerSecond !== 1)).toEqual([])
})

const open = <E>(layer: Layer.Layer<Ledger.Ledger | RequestStore.RequestStore, E>) =>
  Effect.map(Layer.build(layer), (built) => ({
    ledger: Context.get(built, Ledger.Ledger),
    store: Context.get(built, RequestStore.RequestStore)
  }))

const rowsOf = ({ own: [records] }: Engines.Engines) =>
  Effect.map(records.page("transactions", { after: "", limit: 1000 }), ({ found }) => found.length)

const replaced = (
  stores: Arr.NonEmptyReadonlyArray<Engines.Engines>,
  by: (records: Engines.Engines["own"][0]) => Partial<Engines.Engines["own"][0]>
) => Arr.map(stores, ({ own: [records] }) => Engines.make([{ ...records, ...by(records) }]))

/** Makes four shards in memory, of which those with a position in `down` are not available. */
const shardsExcept = (down: ReadonlySet<number>) => {
  const shard = (position: number) =>
    Layer.effect(
      Records,
      Effect.map(Records, ({ own: [records] }) => {
        const unlessDown =
          <Call extends (...of: never) => Effect.Effect<unknown, unknown>>(call: Call) =>
          (...of: Parameters<Call>) =>
            Effect.suspend(() =>
              down.has(position) ? Effect.fail(new StoreUnavailable({})) : call(...(of as never))
            )
        return Engines.make([
          {
            ...records,
            change: unlessDown(records.change) as typeof records.change,
            get: unlessDown(records.get) as typeof records.get,
            lease: unlessDown(records.lease) as typeof records.lease
          }
        ])
      })
    ).pipe(Layer.provideMerge(Layer.provideMerge(RequestStore.layerMemory, Ledger.layerMemory)))
  return LedgerSql.layerShards([shard(0), shard(1), shard(2), shard(3)])
}

const [requestInOne = ""] = ids.filter((id) => LedgerSql.shardOf({ requestId: id }, 4) === 1)

test("a transaction whose request is in a shard that is down keeps its lease, and settles the request later", function* () {
  const down = new Set<number>()
  const { ledger, store } = yield* open(shardsExcept(down))
  const [transactionId = ""] = ids.filter((id) => shardOf(id) !== 1)
  const ordered = { requestId: requestInOne, account: "4711", amount: "10.00", currency: "EUR" }
  yield* store.write(newRequest(requestInOne, { kind: "apm-payment", ordered }), {
    at: 1000,
    until: 31_000
  })
  yield* ledger.accept({ ...callback(transactionId, "SUCCEED"), ordered }, 1000)
  const told = {
    evidence: Evidence.confirmed("SUCCEED"),
    read: { status: "SUCCEED", askedAt: 1500 },
    told: "SUCCEED",
    release: { dueAt: undefined }
  } as const
  const claim = (at: number) => ledger.claim({ at, until: at + 30_000, limit: 9 })
  const first = (yield* claim(1000)).rows[0] as Leased
  down.add(1)
  expect(yield* ledger.write(first, told)).toMatchObject({ told: "SUCCEED", lease: first.lease })
  down.clear()
  const second = (yield* claim(31_000)).rows[0] as Leased
  yield* ledger.write(second, { release: told.release })
  expect((yield* store.get(requestInOne))?.outcome).toEqual({ _tag: "Found" })
  expect((yield* claim(Infinity)).rows).toEqual([])
})

virtual(
  "a move beside a running worker moves nothing; the next one after its end moves every row",
  function* () {
    const built = [
      yield* Layer.build(Layer.fresh(Ledger.layerMemory)),
      yield* Layer.build(Layer.fresh(Ledger.layerMemory))
    ] as const
    const stores = [Context.get(built[0], Records), Context.get(built[1], Records)] as const
    const ledger = Context.get(built[0], Ledger.Ledger)
    const rows = () => Effect.forEach(stores, rowsOf)
    for (const id of ids) yield* ledger.accept(callback(id, "PENDING"), 0)
    const worker = yield* Effect.forkScoped(
      Outage.make({
        ledger: { ...ledger, pollInterval: Duration.seconds(1) },
        journal: Context.get(yield* Layer.build(Journal.layer), Journal.Journal)
      }).run
    )
    yield* pass("10 seconds")
    const beside = yield* Effect.forkScoped(Effect.flip(Move.move(stores)))
    yield* pass("2 minutes")
    expect(yield* Fiber.join(beside)).toMatchObject({
      _tag: "StoreUnusable",
      message:
        "A receiver, or a program with a worker, uses one of the stores: stop it, then run the move again. Nothing was moved"
    })
    expect(yield* rows()).toEqual([ids.length, 0])
    yield* Fiber.interrupt(worker)
    const moving = yield* Effect.forkScoped(Move.move(stores))
    yield* pass("2 minutes")
    const moved = yield* Fiber.join(moving)
    expect(moved).toBeGreaterThan(0)
    expect(yield* rows()).toEqual([ids.length - moved, moved])
  }
)

test.each([
  ["", {}],
  [
    ", also on transactions of its requests",
    { search: search("apm", "apm-payment", { requestId: requestInOne, accountId: "4711" }) }
  ]
])(
  "callbacks of a shard that is down are answered 503, and the work on the other shards goes on%s",
  function* (_, changes) {
    const down = new Set<number>()
    const told = new Set<string>()
    const built = yield* Layer.build(
      Receiver.layer({ limits: { calls: 8 } }).pipe(
        Layer.provide([
          shardsExcept(down),
          Verifier.layer({ current: Redacted.make(secret) }),
          Handler.layer(({ transactionId }) => Effect.sync(() => told.add(transactionId))),
          Layer.succeed(StatusReader, {
            read: () => Effect.succeed({ kind: "apm-payment", status: "SUCCEED" })
          })
        ]),
        Layer.provide(NodeHmac.layer)
      )
    )
    const { receive } = Context.get(built, Receiver.Receiver)
    const send = (id: string) => receive(incoming("apm", apm({ transactionId: id }), changes))
    down.add(1)
    for (const id of ids) expect(yield* send(id)).toBe(shardOf(id) === 1 ? 503 : 200)
    const others = ids.filter((id) => shardOf(id) !== 1)
    const allTold = (expected: ReadonlyArray<string>) =>
      Effect.repeat(Effect.sleep("5 millis"), { until: () => told.size >= expected.length })
    yield* allTold(others)
    expect([...told].toSorted()).toEqual(others.toSorted())
    down.clear()
    for (const id of ids) expect(yield* send(id)).toBe(200)
    yield* allTold(ids)
  }
)

const file = files()
const places = () => [file(), file(), file(), file()] as const

const everything = Effect.fnUntraced(function* (
  ledger: Ledger.Ledger["Service"],
  store: RequestStore.RequestStore["Service"]
) {
  const rows = yield* Effect.forEach(ids, (id) =>
    Effect.all([
      ledger.get("apm", id),
      ledger.get("card", id),
      ledger.body({ method: "apm", scope: "apm", transactionId: id }, "SUCCEED"),
      store.get(id)
    ])
  )
  return { rows, backlog: yield* ledger.backlog(50_000) }
})

const filled = Effect.fnUntraced(function* (place: Place) {
  const { ledger, store } = yield* open(ledgerOf(place))
  for (const id of ids) {
    yield* ledger.accept(callback(id, "SUCCEED"), 1000)
    yield* store.write(newRequest(id), { at: 1000 })
  }
  return yield* everything(ledger, store)
}, Effect.scoped)

const sharded = ([first, ...others]: Arr.NonEmptyReadonlyArray<Place>) =>
  LedgerSql.layerShards([ledgerOf(first), ...others.map((place) => ledgerOf(place))])

/** Opens each database as a store of its own, and returns a client of the first. */
const opened = Effect.fnUntraced(function* (all: Arr.NonEmptyReadonlyArray<Place>) {
  const built = yield* Effect.forEach(all, (place) => Layer.build(Layer.fresh(ledgerOf(place))))
  return {
    sql: Context.get(built[0], SqlClient),
    stores: Arr.map(built, (each) => Context.get(each, Records))
  }
})

test("a ledger starts only with all of its databases, in their order", function* () {
  const [one, two, three, four] = places()
  const start = (...all: Arr.NonEmptyReadonlyArray<Place>) =>
    Effect.result(Effect.scoped(Layer.build(sharded(all))))
  expect(yield* start(one, two, three, four)).toMatchObject({ _tag: "Success" })
  const misplaced = { _tag: "Failure", failure: { _tag: "ShardMisplaced" } }
  expect(yield* start(one, two, four, three)).toMatchObject(misplaced)
  expect(yield* start(one, two, three)).toMatchObject(misplaced)
  expect(yield* start(one)).toMatchObject(misplaced)
  expect(yield* start(one, two, three, four)).toMatchObject({ _tag: "Success" })
})

test("a database that is named twice gets no place, so it opens alone later", function* () {
  const [one] = places()
  const start = (...all: Arr.NonEmptyReadonlyArray<Place>) =>
    Effect.result(Effect.scoped(Layer.build(sharded(all))))
  expect(yield* start(one, one)).toMatchObject({
    failure: { message: expect.stringContaining("name each database once") as unknown }
  })
  expect(yield* start(one)).toMatchObject({ _tag: "Success" })
})

test("of two starts with other numbers of databases one is refused, also over an empty store", function* () {
  const [one, two] = places()
  const start = (...all: Arr.NonEmptyReadonlyArray<Place>) =>
    Effect.exit(Layer.build(Layer.fresh(sharded(all))))
  const exits = yield* Effect.all([start(one), start(one, two)], { concurrency: 2 })
  expect(exits.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
})

test("the commit of a handler runs in the database of its row", function* () {
  const all = places()
  const clients = yield* Effect.forEach(all, (place) =>
    Effect.map(Layer.build(client(place)), Context.get(SqlClient))
  )
  for (const sql of clients) yield* sql`CREATE TABLE orders (id TEXT PRIMARY KEY)`
  const built = yield* Layer.build(
    Layer.provideMerge(
      LedgerSql.handler({
        commit: ({ transactionId }) =>
          Effect.flatMap(SqlClient, (sql) => sql`INSERT INTO orders VALUES (${transactionId})`)
      }),
      sharded(all)
    )
  )
  const ledger = Context.get(built, Ledger.Ledger)
  const { commit } = Context.get(built, Handler.Handler)
  for (const id of ids) yield* ledger.accept(callback(id, "SUCCEED"), 1000)
  const { rows } = yield* ledger.claim({ at: 1000, until: 60_000, limit: 100 })
  expect(rows.length).toBe(ids.length)
  for (const row of rows) {
    const told = ledger.write(row, { told: "SUCCEED", sequence: 1, ifSequence: 0 })
    const { method, transactionId } = row
    yield* commit?.({ ...transition, method, transactionId }, told) ?? Effect.void
  }
  for (const [position, sql] of clients.entries()) {
    const orders = yield* sql<{ readonly id: string }>`SELECT id FROM orders ORDER BY id`
    expect(orders.map(({ id }) => id)).toEqual(ids.filter((id) => shardOf(id) === position))
  }
})

test("a request is settled in its shard, and its transaction registered in that of the transaction", function* () {
  const built = yield* Layer.build(sharded(places()))
  const ledger = Context.get(built, Ledger.Ledger)
  const store = Context.get(built, RequestStore.RequestStore)
  for (const [n, transactionId] of ids.slice(0, 8).entries()) {
    const requestId = `order-${n}`
    yield* store.write(newRequest(requestId), { at: 1000, until: 31_000 })
    const registration = { kind: "apm-payment", transactionId, requestId } as const
    const settlement = {
      outcome: { _tag: "Answered", text: "sealed" },
      at: 2000,
      transaction: { method: "apm", transactionId }
    } as const
    for (const isSettled of [true, false]) {
      const settled = yield* store.settle(requestId, settlement, registration)
      expect(settled).toMatchObject({ isSettled, refusal: undefined })
    }
    expect(yield* ledger.get("apm", transactionId)).toMatchObject({ registered: true })
  }
  const run = Context.get(built, LedgerSql.Transactions).run
  expect((yield* Effect.exit(run(Effect.void)))._tag).toBe("Failure")
  const enqueue = (requestId: string, key: string) =>
    Effect.exit(run(store.write(newRequest(requestId), { at: 1 }), { requestId: key }))
  const other = Array.from({ length: 9 }, (_, n) => `other-${n}`).find(
    (each) =>
      LedgerSql.shardOf({ requestId: each }, 4) !== LedgerSql.shardOf({ requestId: "new" }, 4)
  )
  expect((yield* enqueue("new", other ?? ""))._tag).toBe("Failure")
  expect((yield* enqueue("new", "new"))._tag).toBe("Success")
})

test.each([0, 3, 11, 40])(
  "rows are moved from one database to four, even if the move ends after %s changes",
  function* (limit) {
    const all = places()
    const before = yield* Effect.scoped(
      Effect.gen(function* () {
        const { ledger, store } = yield* open(ledgerOf(all[0]))
        for (const id of ids) {
          yield* ledger.accept(callback(id, "PENDING"), 1000)
          yield* ledger.accept(callback(id, "SUCCEED"), 2000)
          yield* ledger.accept(
            verified("card", card({ transactionId: id, transactionStatus: "FAILED" })),
            2000
          )
          yield* store.write(newRequest(id), { at: 1000 })
        }
        const { rows } = yield* ledger.claim({ at: 3000, until: 33_000, limit: 20 })
        for (const row of rows.slice(0, 9)) {
          yield* ledger.write(row, { told: "SUCCEED", sequence: 1, release: { dueAt: 9e5 } })
        }
        yield* ledger.noteAlive(3000)
        return yield* everything(ledger, store)
      })
    )
    const { stores } = yield* opened(all)
    let changes = 0
    const failing = replaced(stores, ({ change }) => ({
      change: ((...of: Parameters<typeof change>) =>
        Effect.suspend(() =>
          changes++ < limit ? change(...of) : Effect.fail(new StoreUnavailable({}))
        )) as typeof change
    }))
    expect((yield* Effect.exit(Move.move(failing)))._tag).toBe("Failure")
    if (limit > 1) {
      expect((yield* Effect.exit(Effect.scoped(Layer.build(sharded(all)))))._tag).toBe("Failure")
    }
    // A start with the old database alone would miss the rows that were moved.
    if (limit > 10) {
      const alone = Effect.scoped(Layer.build(sharded([all[0]])))
      expect((yield* Effect.exit(alone))._tag).toBe("Failure")
    }
    yield* Move.move(stores)
    expect(yield* Move.move(stores)).toBe(0)
    const { ledger, store } = yield* open(sharded(all))
    expect(yield* everything(ledger, store)).toEqual(before)
    expect(yield* ledger.lastAliveAt).toBe(3000)
    for (const [position, { own }] of stores.entries()) {
      const { found } = yield* own[0].page("transactions", { after: "", limit: 1000 })
      expect(found.length).toBeGreaterThan(0)
      for (const { key } of found) {
        expect(LedgerSql.shardOf(transactionOf(key), 4)).toBe(position)
      }
      // Bodies of one time would be sorted anew for each page of a deletion.
      const after = { at: -1, key: "", name: "" }
      expect(yield* own[0].texts("transactions", { before: 1000, after, limit: 1 })).toEqual([])
    }
  }
)
test("a database that is named twice loses no row to a move", function* () {
  const [one, two] = places()
  yield* filled(one)
  const { stores } = yield* opened([one, two, one])
  expect((yield* Effect.exit(Move.move(stores)))._tag).toBe("Failure")
  expect(yield* rowsOf(stores[0])).toBe(ids.length)
  const { stores: right } = yield* opened([one, two])
  expect(yield* Move.move(right)).toBeGreaterThan(0)
  expect(Number.sumAll(yield* Effect.forEach(right, rowsOf))).toBe(ids.length)
})

test("a move without one of the old databases moves nothing, which would leave its rows behind", function* () {
  const [one, two, three] = places()
  yield* filled(one)
  yield* Move.move((yield* opened([one, two])).stores)
  const before = yield* Effect.forEach((yield* opened([one, two])).stores, rowsOf)
  const { stores } = yield* opened([one, three])
  const refused = yield* Effect.flip(Move.move(stores))
  expect(refused.message).toBe(
    "The store has 2 databases, and not all of them are named: name all old ones, then the new ones"
  )
  expect(yield* Effect.forEach((yield* opened([one, two])).stores, rowsOf)).toEqual(before)
  yield* Effect.scoped(Layer.build(sharded([one, two])))

  // An interrupted move of three is not ended by two.
  const all = (yield* opened([one, two, three])).stores
  const failing = replaced(all, () => ({ page: () => Effect.fail(new StoreUnavailable({})) }))
  expect((yield* Effect.exit(Move.move(failing)))._tag).toBe("Failure")
  const again = yield* Effect.flip(Move.move((yield* opened([one, two])).stores))
  expect(again.message).toContain("The store has 3 databases, and not all of them are named")
  yield* Move.move(all)
})

test("a callback that a running receiver accepts during a move is not deleted", function* () {
  const [one, two] = places()
  yield* filled(one)
  const { stores } = yield* opened([one, two])
  yield* Move.move(stores)
  const [id = ""] = ids.filter((transactionId) =>
    LedgerSql.shardOf({ method: "apm", transactionId }, 2)
  )
  const { ledger: running } = yield* open(ledgerOf(one))
  yield* running.accept(callback(id, "CHARGEBACK"), 2000)
  const before = yield* running.get("apm", id)
  expect(yield* Effect.flip(Move.move(stores))).toMatchObject({
    _tag: "StoreUnusable",
    message: `Two of the stores have other contents of "${id} apm" in their transactions, because a receiver ran during the move. None was deleted: stop it, delete the wrong one, then run the move again`
  })
  expect(yield* running.get("apm", id)).toEqual(before)
})

test("Q09: the store of another merchant takes and gives no row in a move", function* () {
  const [one, two, three, four] = places()
  yield* filled(two)
  const { stores } = yield* opened([one, two, three, four])
  const baseUrl = "https://pay.example"
  for (const [n, merchantKey] of ["key", "key", "another"].entries()) {
    yield* Settings.takeOwner(stores[n + 1]!, { merchantKey, baseUrl })
  }
  expect((yield* Effect.exit(Move.move(stores)))._tag).toBe("Failure")
  expect(yield* Effect.forEach(stores, rowsOf)).toEqual([0, ids.length, 0, 0])
  // It still opens as it was.
  yield* Effect.scoped(Layer.build(sharded([two])))
  yield* Settings.setOwner(stores[3]!.own[0], { merchantKey: "key", baseUrl })
  expect(yield* Move.move(stores)).toBeGreaterThan(0)
})
test.each(["transactions", "requests"] as const)(
  "R38: %s that cannot be read stop a move, and are whole after their repair",
  function* (collection) {
    const all = places()
    const [first] = all
    const before = yield* filled(first)
    const { sql, stores } = yield* opened(all)
    const table = sql(`pawl_${collection}`)
    const lines = yield* sql<{ readonly key: string; readonly document: string }>`
      SELECT key, document FROM ${table}`
    for (const { key } of lines) yield* sql`UPDATE ${table} SET document = '' WHERE key = ${key}`
    expect((yield* Effect.exit(Move.move(stores)))._tag).toBe("Failure")
    for (const { document, key } of lines) {
      yield* sql`UPDATE ${table} SET document = ${document} WHERE key = ${key}`
    }
    yield* Move.move(stores)
    const { ledger, store } = yield* open(sharded(all))
    expect(yield* everything(ledger, store)).toEqual(before)
  }
)
