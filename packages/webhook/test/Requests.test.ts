import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Evidence from "@pawl/core/Evidence"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { RequestSender } from "@pawl/core/RequestSender"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Ledger from "../src/Ledger.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import * as Requests from "../src/Requests.ts"
import { alarmsFor } from "../src/internal/rule/Counters.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import type { RequestRow } from "../src/internal/rule/RequestRow.ts"
import { Records } from "../src/internal/records/Records.ts"
import * as RequestStore from "../src/internal/ledger/RequestStore.ts"
import { ledgerOf } from "@pawl/test-support/Places"
import { type Steps, test as testInWorld } from "@pawl/test-support/Tests"
import * as fake from "./requestService.ts"
import * as Seal from "../src/Seal.ts"
import { apm, search, secret, verified } from "@pawl/test-support/Service"
import { files } from "@pawl/test-support/Stores"
import { day, minute, pass } from "@pawl/test-support/World"

type Stores = Ledger.Ledger | Records | RequestStore.RequestStore

interface Store {
  readonly open: Effect.Effect<Context.Context<Stores>, unknown, Scope.Scope>
}

const memoryStore = Effect.map(
  Layer.build(RequestStore.layerMemory.pipe(Layer.provideMerge(Layer.fresh(Ledger.layerMemory)))),
  (built): Store => ({ open: Effect.succeed(built) })
)

const newFile = files()
const fileStore = Effect.sync((): Store => {
  const place = newFile()
  return { open: Layer.build(Layer.fresh(ledgerOf(place))) }
})

/** Starts a process. `kill` cuts it off first, so it releases nothing. */
const start = Effect.fnUntraced(function* (
  store: Store,
  service: ReturnType<typeof fake.make>,
  options: Requests.Options & { readonly key?: string } = {}
) {
  const scope = yield* Scope.make()
  const opened = yield* Effect.provideService(store.open, Scope.Scope, scope)
  const requests = Context.get(opened, RequestStore.RequestStore)
  let isDead = false
  const whileAlive = <A, E>(call: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> =>
      isDead ? new StoreUnavailable({}) : call
    )
  const current = Redacted.make(options.key ?? secret)
  const layer = Requests.layer(options).pipe(
    Layer.provide([
      Layer.succeed(RequestStore.RequestStore, {
        ...requests,
        write: (...call) => whileAlive(requests.write(...call)),
        claim: (...call) => whileAlive(requests.claim(...call)),
        release: (...call) => whileAlive(requests.release(...call)),
        renew: (...call) => whileAlive(requests.renew(...call)),
        settle: (...call) => whileAlive(requests.settle(...call))
      }),
      Layer.succeed(RequestSender, service.sender),
      fake.callbackUrl,
      Layer.provide(Seal.layer({ current }), NodeHmac.layer)
    ])
  )
  const built = yield* Layer.buildWithScope(Layer.fresh(layer), scope)
  return {
    ...Context.get(built, Requests.Requests),
    store: requests,
    ledger: Context.get(opened, Ledger.Ledger),
    opened,
    cutOff: Effect.sync(() => {
      isDead = true
    }),
    stop: Scope.close(scope, Exit.void),
    kill: Effect.suspend(() => {
      isDead = true
      return Scope.close(scope, Exit.die("killed"))
    })
  }
})

/** Kills a process a second after its first request, which is never answered. */
const killed = Effect.fnUntraced(function* (store: Store) {
  const service = fake.make(["hang"])
  const { kill, send } = yield* start(store, service)
  const call = yield* Effect.forkChild(send("apm-payment", fake.payment("order-1")))
  yield* pass("1 second")
  expect(service.effects.size).toBe(1)
  yield* kill
  yield* Fiber.interrupt(call)
  return service
})

/** Confirms by a callback whose token names the request. */
const confirm = Effect.fnUntraced(function* ({
  ledger
}: {
  readonly ledger: Ledger.Ledger["Service"]
}) {
  const query = search("apm", "apm-payment", { requestId: "order-1" })
  yield* ledger.accept(verified("apm", apm(), query), 2000)
  const { rows } = yield* ledger.claim({ at: 2000, until: 3000, limit: 5 })
  for (const row of rows) {
    yield* ledger.write(row, {
      evidence: Evidence.confirmed("PENDING"),
      read: { status: "PENDING", askedAt: 2000 },
      release: { dueAt: undefined }
    })
  }
})

/** The laws of a request store hold in each store, so one is enough. */
describe("in memory", () => {
  const test = (name: string, body: (store: Store) => Steps<Scope.Scope>) =>
    testInWorld(name, function* () {
      const store = yield* memoryStore
      yield* Effect.gen(() => body(store))
    })

  test("a payment is written, sent, settled and registered in one call", function* (store) {
    const service = fake.make()
    const shop = yield* start(store, service)
    const response = yield* shop.send("apm-payment", fake.payment("order-1"))
    expect(response).toMatchObject({ transactionId: "100001", transactionStatus: "PENDING" })
    expect(service.seen).toMatchObject([{ requestId: "order-1", inDoubt: false }])
    expect(service.seen[0]?.body).toContain("https://shop.example/callback?pawl=")
    expect(yield* shop.get("order-1")).toMatchObject({
      outcome: { _tag: "Answered" },
      transaction: { method: "apm", transactionId: "100001" },
      body: undefined
    })
    expect(yield* shop.ledger.get("apm", "100001")).toMatchObject({
      kind: "apm-payment",
      registered: true,
      ordered: { requestId: "order-1", account: "4711", amount: "10.00", currency: "EUR" }
    })
  })

  test("a process that ends between the first byte and the answer leaves one effect", function* (store) {
    const service = yield* killed(store)
    const second = yield* start(store, service)
    yield* pass("20 seconds")
    expect(service.seen).toHaveLength(1)
    yield* pass("15 seconds")
    expect(service.seen).toMatchObject([{ inDoubt: false }, { inDoubt: true }])
    expect(service.seen[1]?.body).toBe(service.seen[0]?.body)
    expect(service.effects.size).toBe(1)
    // The row is due, so the handler is told.
    const { rows } = yield* second.ledger.claim({ at: day, until: day + 1, limit: 5 })
    expect(rows).toMatchObject([{ transactionId: "100001", registered: true }])
    // The stored outcome needs no other request.
    const response = yield* second.send("apm-payment", fake.payment("order-1"))
    expect(response).toMatchObject({ transactionId: "100001" })
    expect(service.seen).toHaveLength(2)
  })

  test("a failure without an effect that was not written is an unknown outcome, because a worker sends it again", function* (store) {
    const service = fake.make(["unsent"])
    const first = yield* start(store, service)
    service.beforeAnswer(first.cutOff)
    const error = yield* Effect.flip(first.send("apm-payment", fake.payment("order-1")))
    expect(error).toMatchObject({ _tag: "OutcomeUnknown", requestId: "order-1" })
    yield* first.kill
    const second = yield* start(store, service)
    yield* pass(minute)
    expect(yield* second.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
    expect(service.effects.size).toBe(1)
  })

  test("a call whose lease was lost does not say that its request had no effect", function* (store) {
    const service = fake.make(["unsent", "lost"])
    const paused = yield* start(store, service)
    const other = yield* start(store, service)
    // Stands for a process stopped beyond its lease.
    service.beforeAnswer(
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const [leased] = (yield* other.store.claim({
          at: at + minute,
          until: at + 2 * minute,
          limit: 1,
          requestId: "order-1"
        })).rows
        expect(leased?.lease.inDoubt).toBe(true)
      })
    )
    const error = yield* Effect.flip(paused.send("apm-payment", fake.payment("order-1")))
    expect(error).toMatchObject({ _tag: "OutcomeUnknown", requestId: "order-1" })
  })

  test("a call whose lease was lost gets the outcome of the process that took its request over", function* (store) {
    const service = fake.make(["lost"])
    const paused = yield* start(store, service)
    const other = yield* start(store, service)
    let isTaken = false
    service.beforeAnswer(
      Effect.gen(function* () {
        if (isTaken) return
        isTaken = true
        const at = yield* Clock.currentTimeMillis
        // Stands for a process stopped until now.
        yield* other.store.claim({
          at: at + minute,
          until: at + 1,
          limit: 1,
          requestId: "order-1"
        })
      })
    )
    const call = yield* Effect.forkChild(paused.send("apm-payment", fake.payment("order-1")), {
      startImmediately: true
    })
    yield* pass("1 minute")
    expect(yield* Fiber.join(call)).toMatchObject({ transactionId: "100001" })
    expect(service.seen).toHaveLength(2)
    expect(service.effects.size).toBe(1)
  })

  test("a lost answer is asked for again with backoff, and the call of then fails", function* (store) {
    const service = fake.make(["lost", "lost", "unsent", "404"])
    const shop = yield* start(store, service)
    const failed = yield* Effect.flip(shop.send("apm-payment", fake.payment("order-1")))
    expect(failed._tag).toBe("OutcomeUnknown")
    yield* pass("1 minute")
    expect(service.seen.map(({ inDoubt }) => inDoubt)).toEqual([false, true, true, true, true])
    expect(yield* shop.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
    expect(service.effects.size).toBe(1)
  })

  test("a request in doubt is not sent after the window, until a person states that it had no effect", function* (store) {
    const service = yield* killed(store)
    yield* TestClock.adjust("25 hours")
    service.effects.clear()
    const second = yield* start(store, service)
    yield* pass("5 seconds")
    expect(yield* second.get("order-1")).toMatchObject({ parked: { reason: "window" } })
    expect(yield* second.redrive("order-1")).toBe(false)
    yield* pass("2 minutes")
    expect(service.seen).toHaveLength(1)
    expect(yield* second.redrive("order-1", { hadNoEffect: true })).toBe(true)
    yield* pass("1 second")
    expect(service.seen).toMatchObject([{}, { inDoubt: false }])
    expect(yield* second.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
  })

  test("a request whose row a person changed in the database is parked, and never sent", function* (store) {
    const unreachable = fake.make(Array<"unsent">(20).fill("unsent"))
    const first = yield* start(store, unreachable)
    yield* first.enqueue("apm-payment", fake.payment("other", "99.00"))
    const other = yield* first.get("other")
    const changes: Readonly<Record<string, Partial<RequestRow>>> = {
      kind: { kind: "apm-payout" },
      body: { body: other?.body },
      digest: { digest: other?.digest ?? "" },
      both: { body: other?.body, digest: other?.digest ?? "" }
    }
    for (const id of Object.keys(changes)) yield* first.enqueue("apm-payment", fake.payment(id))
    yield* first.kill
    yield* Effect.scoped(
      Effect.gen(function* () {
        const [records] = Context.get(yield* store.open, Records).own
        for (const [id, change] of Object.entries(changes)) {
          yield* records.change("requests", id, (row) => ({
            value: row && { ...row, ...change },
            result: undefined
          }))
        }
      })
    )
    const service = fake.make()
    const second = yield* start(store, service)
    for (let minutes = 0; minutes < 10; minutes++) yield* pass("1 minute")
    for (const id of Object.keys(changes)) {
      expect(yield* second.get(id)).toMatchObject({ parked: { reason: "unreadable" } })
    }
    expect(service.seen).toMatchObject([{ requestId: "other" }])
    // A call with the right body sends it.
    yield* second.send("apm-payment", fake.payment("body"))
  })

  test("a request that was never sent is sealed anew by the next create with the right secret, sent or enqueued", function* (store) {
    const wrong = yield* start(store, fake.make(Array<"unsent">(20).fill("unsent")), {
      key: "wrong-secret"
    })
    for (const id of ["1", "2", "3"]) yield* wrong.enqueue("apm-payment", fake.payment(id))
    expect((yield* Effect.flip(wrong.send("apm-payment", fake.payment("4"))))._tag).toBe(
      "Unreachable"
    )
    yield* wrong.kill
    const service = fake.make()
    const shop = yield* start(store, service)
    expect(yield* shop.send("apm-payment", fake.payment("4"))).toMatchObject({
      transactionId: "100001"
    })
    for (let minutes = 0; minutes < 15; minutes++) yield* pass("1 minute")
    const parked = yield* shop.parked({ limit: 10 })
    expect(parked.map(({ parked, requestId }) => [requestId, parked.reason])).toEqual(
      ["1", "2", "3"].map((id) => [id, "no-key"])
    )
    yield* shop.enqueue("apm-payment", fake.payment("1"))
    yield* shop.send("apm-payment", fake.payment("2"))
    for (let minutes = 0; minutes < 5; minutes++) yield* pass("1 minute")
    for (const id of ["1", "2", "4"]) {
      expect(yield* shop.get(id)).toMatchObject({ outcome: { _tag: "Answered" } })
    }
    expect(service.effects.size).toBe(3)
    expect(yield* shop.parked({ limit: 10 })).toMatchObject([{ requestId: "3" }])
  })

  test("of two calls with different bodies, which seal a request anew, one is a conflict", function* (store) {
    const wrong = yield* start(store, fake.make(Array<"unsent">(9).fill("unsent")), {
      key: "wrong-secret"
    })
    yield* wrong.enqueue("apm-payment", fake.payment("1"))
    yield* wrong.kill
    const service = fake.make()
    service.beforeAnswer(Effect.sleep("5 seconds"))
    const shop = yield* start(store, service)
    const calls = ["10.00", "20.00"].map((amount) =>
      Effect.result(shop.send("apm-payment", fake.payment("1", amount)))
    )
    const both = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
    yield* pass("20 seconds")
    const ends = (yield* Fiber.join(both)).map((end) =>
      Result.isFailure(end) ? end.failure._tag : end.success.transactionId
    )
    expect(ends.toSorted()).toEqual(["100001", "RequestConflict"])
  })

  test("a confirmed transaction of a request that was refused raises an alarm, and the next call learns it", function* (store) {
    const service = fake.make(["404"])
    const shop = yield* start(store, service)
    const send = Effect.flip(shop.send("apm-payment", fake.payment("order-1")))
    expect((yield* send)._tag).toBe("NotFound")
    const alarms = Metric.value(alarmsFor(RequestRule.provedWrong))
    const { count } = yield* alarms
    yield* confirm(shop)
    expect((yield* alarms).count).toBe(count + 1)
    expect(yield* send).toMatchObject({ _tag: "ResponseLost", transactionId: "100001" })
    expect(service.seen).toHaveLength(1)
  })

  test("an enqueued request is sent by a worker, again until the service takes it", function* (store) {
    const service = fake.make(["unsent", "404", "unsent"])
    const shop = yield* start(store, service)
    expect(yield* shop.enqueue("apm-payment", fake.payment("order-1"))).toEqual({
      requestId: "order-1"
    })
    yield* shop.enqueue("apm-payment", fake.payment("order-1"))
    yield* pass("1 minute")
    expect(service.seen.map(({ inDoubt }) => inDoubt)).toEqual([false, false, false, false])
    expect(service.effects.size).toBe(1)
    expect(yield* shop.ledger.get("apm", "100001")).toMatchObject({ registered: true })
  })

  test("a request with card data is not enqueued, and its body is not stored", function* (store) {
    const card = { number: "4242424242424242", cvv: "737" }
    const input = { ...fake.payment("order-1"), mid: "mid-1", card }
    const service = fake.make(["hang"])
    const first = yield* start(store, service)
    const refused = yield* Effect.flip(first.enqueue("card-payment", input))
    expect(refused).toMatchObject({ _tag: "CardDataRefused", requestId: "order-1" })
    const call = yield* Effect.forkChild(first.send("card-payment", input))
    yield* pass("1 second")
    expect(yield* first.get("order-1")).toMatchObject({ hasCardData: true, body: undefined })
    yield* first.kill
    yield* Fiber.interrupt(call)
    const second = yield* start(store, service)
    yield* pass("1 minute")
    expect(yield* second.get("order-1")).toMatchObject({ parked: { reason: "card-data" } })
    expect(service.seen).toHaveLength(1)
    // The merchant still has the card.
    expect(yield* second.send("card-payment", input)).toMatchObject({ transactionId: "100001" })
    expect(service.seen).toMatchObject([{}, { inDoubt: true }])
    expect(service.effects.size).toBe(1)
  })

  test("a call that is interrupted leaves its request to the worker at once", function* (store) {
    const service = fake.make(["hang"])
    const shop = yield* start(store, service)
    const call = yield* Effect.forkChild(shop.send("apm-payment", fake.payment("order-1")))
    yield* pass("1 second")
    yield* Fiber.interrupt(call)
    yield* pass("1 second")
    expect(service.seen).toMatchObject([{}, { inDoubt: true }])
    expect(yield* shop.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
  })
})

describe("in SQLite", () => {
  testInWorld(
    "no card number, security code, secret or body is in the file, while a request is in doubt and after it",
    function* () {
      const place = newFile()
      const store = { open: Layer.build(Layer.fresh(ledgerOf(place))) }
      const card = { number: "4242424242424242", cvv: "code-7391" }
      const leaks = () => {
        const bytes = ["", "-wal"].map((suffix) => readFileSync(place.filename + suffix, "latin1"))
        expect(bytes.join()).toContain("order-1")
        const secrets = [card.number, card.cvv, secret, "keep-this-private", "shop.example"]
        return secrets.filter((each) => bytes.join().includes(each))
      }
      const service = fake.make(["hang", "hang"])
      const first = yield* start(store, service)
      const input = { ...fake.payment("order-1"), mid: "mid-1", card }
      yield* Effect.forkChild(first.send("card-payment", input))
      yield* Effect.forkChild(first.send("apm-payment", fake.payment("order-2")))
      yield* pass("1 second")
      expect(leaks()).toEqual([])
      yield* first.kill
      const second = yield* start(store, service)
      yield* pass("1 minute")
      expect(yield* second.get("order-1")).toMatchObject({ parked: { reason: "card-data" } })
      expect(yield* second.get("order-2")).toMatchObject({ outcome: { _tag: "Answered" } })
      expect(leaks()).toEqual([])
    }
  )

  it.effect(
    "an order and its request are committed together or not at all, and nothing is sent from inside",
    () =>
      Effect.gen(function* () {
        const store = yield* fileStore
        const service = fake.make()
        const shop = yield* start(store, service)
        const opened = shop.opened as Context.Context<never>
        const { run } = Context.getUnsafe(opened, LedgerSql.Transactions)
        const sql = Context.getUnsafe(opened, SqlClient)
        yield* sql`CREATE TABLE orders (id TEXT)`
        const order = (id: string, end: Effect.Effect<void, string>) =>
          run(
            Effect.gen(function* () {
              yield* sql`INSERT INTO orders (id) VALUES (${id})`
              yield* shop.enqueue("apm-payment", fake.payment(id))
              yield* end
            })
          )
        yield* Effect.flip(order("order-1", Effect.fail("undo")))
        yield* pass("1 minute")
        expect(service.seen).toEqual([])
        expect(yield* shop.get("order-1")).toBeUndefined()
        yield* order(
          "order-2",
          Effect.sync(() => expect(service.seen).toEqual([]))
        )
        yield* pass("1 second")
        expect([...service.effects.keys()]).toEqual(["order-2"])
        expect(yield* sql`SELECT id FROM orders`).toEqual([{ id: "order-2" }])
        const inside = yield* Effect.exit(run(shop.send("apm-payment", fake.payment("order-3"))))
        expect(Exit.hasDies(inside)).toBe(true)
        expect(service.effects.size).toBe(1)
      }).pipe(Effect.scoped)
  )
})
