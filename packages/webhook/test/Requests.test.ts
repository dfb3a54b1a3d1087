import * as Evidence from "@pawl/core/Evidence"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect } from "vitest"
import { readFileSync } from "node:fs"
import type * as Ledger from "../src/Ledger.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import { alarmsFor } from "../src/internal/rule/Counters.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import type { RequestRow } from "../src/internal/rule/RequestRow.ts"
import { Records } from "../src/internal/records/Records.ts"
import { ledgerOf } from "@pawl/test-support/Places"
import { type Steps, test as testInWorld } from "@pawl/test-support/Tests"
import { start, type Stores, stores } from "./requestProcess.ts"
import * as fake from "./requestService.ts"
import { apm, search, secret, verified } from "@pawl/test-support/Service"
import { files } from "@pawl/test-support/Stores"
import { day, minute, pass } from "@pawl/test-support/World"

const newFile = files()
const unsent = Array<"unsent">(20).fill("unsent")

/** Kills a process a second after its first request, which is never answered. */
const killed = Effect.fnUntraced(function* (built: Context.Context<Stores>) {
  const service = fake.make(["hang"])
  const { kill, send } = yield* start({ built, service })
  const call = yield* Effect.forkChild(send("apm-payment", fake.payment("order-1")))
  yield* pass("1 second")
  expect(service.effects.size).toBe(1)
  yield* kill
  yield* Fiber.interrupt(call)
  return service
})

/** Confirms by a callback whose token names the request. */
const confirm = Effect.fnUntraced(function* (ledger: Ledger.Ledger["Service"]) {
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
  const test = (name: string, body: (built: Context.Context<Stores>) => Steps<Scope.Scope>) =>
    testInWorld(name, function* () {
      const built = yield* stores
      yield* Effect.gen(() => body(built))
    })

  test("a payment is written, sent, settled and registered in one call", function* (built) {
    const service = fake.make()
    const shop = yield* start({ built, service })
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

  test("a process that ends between the first byte and the answer leaves one effect", function* (built) {
    const service = yield* killed(built)
    const second = yield* start({ built, service })
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

  test("a failure without an effect that was not written is an unknown outcome, because a worker sends it again", function* (built) {
    const service = fake.make(["unsent"])
    const first = yield* start({ built, service })
    service.beforeAnswer(first.cutOff)
    const error = yield* Effect.flip(first.send("apm-payment", fake.payment("order-1")))
    expect(error).toMatchObject({ _tag: "OutcomeUnknown", requestId: "order-1" })
    yield* first.kill
    const second = yield* start({ built, service })
    yield* pass(minute)
    expect(yield* second.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
    expect(service.effects.size).toBe(1)
  })

  test("a call whose lease was lost gets the outcome of the process that took its request over", function* (built) {
    const service = fake.make(["lost"])
    const paused = yield* start({ built, service })
    const other = yield* start({ built, service })
    let isTaken = false
    service.beforeAnswer(
      Effect.gen(function* () {
        if (isTaken) return
        isTaken = true
        const at = yield* Clock.currentTimeMillis
        // Stands for a process stopped until now.
        const asked = { at: at + minute, until: at + 1, limit: 1, requestId: "order-1" }
        yield* other.store.claim(asked)
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

  test("a request in doubt is not sent after the window, until a person states that it had no effect", function* (built) {
    const service = yield* killed(built)
    yield* TestClock.adjust("25 hours")
    service.effects.clear()
    const second = yield* start({ built, service })
    yield* pass("5 seconds")
    expect(yield* second.get("order-1")).toMatchObject({ parked: { reason: "window" } })
    expect(yield* second.redrive("order-1")).toBe(false)
    yield* pass("2 minutes")
    expect(service.seen).toHaveLength(1)
    expect(yield* second.redrive("order-1", { hadNoEffect: true, parkedAt: 1 })).toBe(false)
    expect(yield* second.redrive("order-1", { hadNoEffect: true })).toBe(true)
    yield* pass("1 second")
    expect(service.seen).toMatchObject([{}, { inDoubt: false }])
    expect(yield* second.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
  })

  test("Q10: a request whose row a person changed in the database is parked, and never sent", function* (built) {
    const first = yield* start({ built, fates: unsent })
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
    const [records] = Context.get(built, Records).own
    for (const [id, change] of Object.entries(changes)) {
      yield* records.change("requests", id, (row) => ({
        value: row && { ...row, ...change },
        result: undefined
      }))
    }
    const service = fake.make()
    const second = yield* start({ built, service })
    for (let minutes = 0; minutes < 10; minutes++) yield* pass("1 minute")
    for (const id of Object.keys(changes)) {
      expect(yield* second.get(id)).toMatchObject({ parked: { reason: "unreadable" } })
    }
    expect(service.seen).toMatchObject([{ requestId: "other" }])
    yield* second.send("apm-payment", fake.payment("body"))
  })

  test("a request that was never sent is sealed anew by the next create with the right secret, sent or enqueued", function* (built) {
    const wrong = yield* start({ built, fates: unsent, key: "wrong-secret" })
    for (const id of ["1", "2", "3"]) yield* wrong.enqueue("apm-payment", fake.payment(id))
    const failed = yield* Effect.flip(wrong.send("apm-payment", fake.payment("4")))
    expect(failed._tag).toBe("Unreachable")
    yield* wrong.kill
    const service = fake.make()
    const shop = yield* start({ built, service })
    const sent = yield* shop.send("apm-payment", fake.payment("4"))
    expect(sent).toMatchObject({ transactionId: "100001" })
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

  test("Q12: a confirmed transaction of a request that was refused raises an alarm, and the next call learns it", function* (built) {
    const service = fake.make(["404"])
    const shop = yield* start({ built, service })
    const send = Effect.flip(shop.send("apm-payment", fake.payment("order-1")))
    expect((yield* send)._tag).toBe("NotFound")
    const alarms = Metric.value(alarmsFor(RequestRule.provedWrong))
    const { count } = yield* alarms
    yield* confirm(shop.ledger)
    expect((yield* alarms).count).toBe(count + 1)
    expect(yield* send).toMatchObject({ _tag: "ResponseLost", transactionId: "100001" })
    expect(service.seen).toHaveLength(1)
  })
})

describe("in SQLite", () => {
  // Its calls wait for the store at the same time.
  testInWorld(
    "of two calls with different bodies, which seal a request anew, one is a conflict",
    function* () {
      const built = yield* Layer.build(Layer.fresh(ledgerOf(newFile())))
      const wrong = yield* start({ built, fates: unsent, key: "wrong-secret" })
      yield* wrong.enqueue("apm-payment", fake.payment("1"))
      yield* wrong.kill
      const service = fake.make()
      service.beforeAnswer(Effect.sleep("5 seconds"))
      const shop = yield* start({ built, service })
      const calls = ["10.00", "20.00"].map((amount) =>
        Effect.result(shop.send("apm-payment", fake.payment("1", amount)))
      )
      const both = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
      yield* pass("20 seconds")
      const ends = (yield* Fiber.join(both)).map((end) =>
        Result.isFailure(end) ? end.failure._tag : end.success.transactionId
      )
      expect(ends.toSorted()).toEqual(["100001", "RequestConflict"])
    }
  )

  testInWorld(
    "no card number, security code, secret or body is in the file, while a request is in doubt and after it",
    function* () {
      const place = newFile()
      const built = yield* Layer.build(Layer.fresh(ledgerOf(place)))
      const card = { number: "4242424242424242", cvv: "code-7391" }
      const leaks = () => {
        const bytes = ["", "-wal"].map((suffix) => readFileSync(place.filename + suffix, "latin1"))
        expect(bytes.join()).toContain("order-1")
        const secrets = [card.number, card.cvv, secret, "keep-this-private", "shop.example"]
        return secrets.filter((each) => bytes.join().includes(each))
      }
      const service = fake.make(["hang", "hang"])
      const first = yield* start({ built, service })
      const input = { ...fake.payment("order-1"), mid: "mid-1", card }
      const refused = yield* Effect.flip(first.enqueue("card-payment", input))
      expect(refused).toMatchObject({ _tag: "CardDataRefused", requestId: "order-1" })
      yield* Effect.forkChild(first.send("card-payment", input))
      yield* Effect.forkChild(first.send("apm-payment", fake.payment("order-2")))
      yield* pass("1 second")
      expect(yield* first.get("order-1")).toMatchObject({ hasCardData: true, body: undefined })
      expect(leaks()).toEqual([])
      yield* first.kill
      const second = yield* start({ built, service })
      yield* pass("1 minute")
      expect(yield* second.get("order-1")).toMatchObject({ parked: { reason: "card-data" } })
      expect(yield* second.get("order-2")).toMatchObject({ outcome: { _tag: "Answered" } })
      expect(leaks()).toEqual([])
      // The merchant still has the card.
      expect(yield* second.send("card-payment", input)).toMatchObject({ transactionId: "100001" })
      const sent = service.seen.filter(({ requestId }) => requestId === "order-1")
      expect(sent).toMatchObject([{}, { inDoubt: true }])
      expect(service.effects.size).toBe(2)
      expect(leaks()).toEqual([])
    }
  )

  testInWorld(
    "Q07: an order and its request are committed together or not at all, and nothing is sent from inside",
    function* () {
      const built = yield* Layer.build(Layer.fresh(ledgerOf(newFile())))
      const service = fake.make()
      const shop = yield* start({ built, service })
      const { run } = Context.get(built, LedgerSql.Transactions)
      const sql = Context.get(built, SqlClient)
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
    }
  )
})
