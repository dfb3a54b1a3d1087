import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { expect } from "@effect/vitest"
import * as Admin from "../src/Admin.ts"
import { askAdmin, pagesOf } from "./askAdmin.ts"
import * as Ledger from "@pawl/webhook/Ledger"
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import * as World from "@pawl/test-support/World"
import { test } from "@pawl/test-support/Tests"

const start = Effect.gen(function* () {
  const built = yield* Layer.build(
    Admin.layer().pipe(
      Layer.provideMerge(RequestStore.layerMemory),
      Layer.provideMerge(Layer.fresh(Ledger.layerMemory))
    )
  )
  return {
    ask: askAdmin(Context.get(built, Admin.Admin)),
    ledger: Context.get(built, Ledger.Ledger),
    store: Context.get(built, RequestStore.RequestStore)
  }
})

const request = (requestId: string, hasCardData = false) => ({
  requestId,
  kind: "apm-payment" as const,
  digest: "digest",
  hasCardData,
  body: "sealed"
})

const park = (
  store: RequestStore.RequestStore["Service"],
  ids: ReadonlyArray<string>,
  hasCardData = false
) =>
  Effect.forEach(ids, (id) =>
    Effect.gen(function* () {
      yield* store.write(request(id, hasCardData), { at: 0, until: 1 })
      const { rows } = yield* store.claim({ at: 1, until: 30_000, limit: 1 })
      for (const row of rows) yield* store.park(row, "window", 1000)
    })
  )

test("parked requests are listed with their reasons, in pages, and nothing of their bodies is shown", function* () {
  const { ask, store } = yield* start
  const ids = Array.from({ length: 101 }, (_, at) => `order-${100 + at}`)
  yield* park(store, ids)
  const { headers, json } = yield* ask("/parked-requests")
  expect(json).toHaveLength(100)
  expect(json).toMatchObject([
    {
      requestId: "order-100",
      state: "parked",
      begunAt: "1970-01-01T00:00:00.000Z",
      outcome: null,
      parked: {
        reason: "window",
        explanation: expect.stringContaining("redrive it with hadNoEffect")
      }
    },
    ...ids.slice(1, 100).map(() => ({}))
  ])
  expect(JSON.stringify(json)).not.toMatch(/sealed|digest/u)
  const next = /<([^>]+)>/u.exec(headers["link"] ?? "")?.[1] ?? ""
  expect((yield* ask(next)).json).toMatchObject([{ requestId: "order-200" }])
  expect((yield* ask("/parked-requests?after=x")).status).toBe(400)
})

test("a parked request is redriven, after the window only by a person who states that it had no effect", function* () {
  const { ask, store } = yield* start
  yield* park(store, ["order-1", "order/2"])
  yield* park(store, ["order-3"], true)
  expect((yield* ask("/requests/order-1/redrive", "POST")).json).toMatchObject({
    state: "in doubt",
    parked: null
  })
  yield* World.pass("25 hours")
  const url = "/requests/order%2F2/redrive"
  expect((yield* ask(url, "POST")).status).toBe(404)
  expect((yield* ask(`${url}?hadNoEffect=perhaps`, "POST")).status).toBe(400)
  expect((yield* ask(`${url}?hadNoEffect=true`, "POST")).json).toMatchObject({
    requestId: "order/2",
    state: "written"
  })
  // Its card data is not stored, so the merchant sends it again.
  expect((yield* ask("/requests/order-3/redrive?hadNoEffect=true", "POST")).json).toMatchObject({
    state: "settled",
    outcome: "NotSent",
    notSent: "no-effect"
  })
})

test("a statement about a parked request is refused if it was sent and parked again since", function* () {
  const { ask, store } = yield* start
  yield* park(store, ["order-1"])
  const url = "/requests/order-1/redrive?hadNoEffect=true"
  const seen = `${url}&parkedAt=1970-01-01T00:00:01.000Z`
  expect((yield* ask(`${url}&parkedAt=today`, "POST")).status).toBe(400)
  expect((yield* ask(seen, "POST")).status).toBe(200)
  const { rows } = yield* store.claim({ at: 2000, until: 30_000, limit: 1 })
  for (const row of rows) yield* store.park(row, "window", 3000)
  expect((yield* ask(seen, "POST")).status).toBe(404)
  expect((yield* ask("/requests/order-1")).json).toMatchObject({ state: "parked" })
})

test("requests that are unknown, and other methods, are refused", function* () {
  const { ask } = yield* start
  expect((yield* ask("/requests/order-1")).status).toBe(404)
  expect((yield* ask("/requests/order-1/redrive")).status).toBe(405)
  expect((yield* ask("/requests/order-1", "POST")).status).toBe(405)
  expect((yield* ask("/requests/order-1/cancel", "POST")).status).toBe(404)
})

test("the log says who has redriven a request, and why", function* () {
  const { kept, lines } = World.keepLog("Info", (entry) => {
    const { annotations, message } = Logger.formatStructured.log(entry)
    return [message, annotations]
  })
  const { ask, store } = yield* start
  yield* park(store, ["order-1"])
  yield* kept(ask("/requests/order-2/redrive?by=ana&why=nothing", "POST"))
  yield* kept(ask("/requests/order-1/redrive?by=ana&why=ticket%204711", "POST"))
  expect(lines).toEqual([
    [
      "A parked request was redriven",
      { requestId: "order-1", hadNoEffect: "false", by: "ana", why: "ticket 4711" }
    ]
  ])
})

test("transactions are found by the order of the shop, by id, by amount and by day, through the pages of the store", function* () {
  const { ask, ledger, store } = yield* start
  const day = 86_400_000
  for (let index = 0; index < 1_200; index++) {
    const order = { requestId: `order-${index}`, amount: `${index}.50`, currency: "EUR" }
    const transactionId = String(100_000 + index)
    const kind = "apm-payment" as const
    yield* ledger.register({ ...order, kind, transactionId, status: "NEW" }, index < 600 ? 0 : day)
  }
  yield* ledger.register({ kind: "card-payment", transactionId: "7", requestId: "paid" }, 0)

  const search = (query: Record<string, string>) =>
    Effect.map(pagesOf(ask, `/transactions?${new URLSearchParams(query)}`), (pages) => [
      pages.flat().map(({ transactionId }) => transactionId),
      pages.length
    ])

  expect(yield* search({ text: "100003" })).toEqual([["100003"], 1])
  expect(yield* search({ text: "order-1100" })).toEqual([["101100"], 3])
  expect(yield* search({ text: "paid" })).toEqual([["7"], 3])
  for (const text of ["1100.5", "1100.50", "1100,50", "1100.5 eur", "1100.50EUR"]) {
    expect([text, yield* search({ text })]).toEqual([text, [["101100"], 3]])
  }
  for (const text of ["1100", "1100.5 USD", "order", "nothing"]) {
    expect([text, yield* search({ text })]).toEqual([text, [[], 3]])
  }
  const second = { from: "1970-01-02T00:00:00.000Z", before: "1970-01-03T00:00:00.000Z" }
  const [ids = []] = yield* search(second)
  expect(ids).toHaveLength(600)
  expect(yield* search({ ...second, text: "599.5" })).toEqual([[], 3])
  expect(yield* search({ ...second, text: "600.5" })).toEqual([["100600"], 3])
  expect((yield* ask("/transactions?text=100003")).json).toEqual([
    {
      method: "apm",
      kind: "apm-payment",
      transactionId: "100003",
      status: "NEW",
      confirmed: true,
      told: null,
      createdAt: "1970-01-01T00:00:00.000Z",
      requestId: "order-3",
      amount: "3.50",
      currency: "EUR"
    }
  ])
  for (const from of ["yesterday", "1", "2026-02-30", "1970-01-01T00:00:00"]) {
    expect((yield* ask(`/transactions?from=${from}`)).status).toBe(400)
  }
  for (const from of ["1970-01-01", "1970-01-01T00:00Z", "1970-01-01T00:00:00.000%2B01:00"]) {
    expect((yield* ask(`/transactions?from=${from}`)).status).toBe(200)
  }
  // The first page in place of the next one would have no end.
  expect((yield* ask("/transactions?from=1970-01-01&after=100003")).status).toBe(400)
  expect((yield* ask("/transactions")).json).toEqual([])

  // A stored request names its transaction, so the store is not read through.
  yield* store.write(request("by-key"), { at: 0, until: 1 })
  const transaction = { method: "apm", transactionId: "9" } as const
  yield* store.settle(
    "by-key",
    { at: 1, outcome: { _tag: "Answered", text: undefined }, transaction },
    { kind: "apm-payment", transactionId: "9" }
  )
  expect(yield* search({ text: "by-key" })).toEqual([["9"], 1])
})
