import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { describe, expect } from "vitest"
import * as Admin from "../src/Admin.ts"
import { askAdmin } from "./askAdmin.ts"
import * as Merchants from "../src/Merchants.ts"
import { callback, make, type Shop } from "@pawl/test-support/MerchantWorld"
import { hourly, pass, planted } from "@pawl/test-support/World"
import * as NodeAdminPage from "../src/internal/admin/NodeAdminPage.ts"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { test } from "@pawl/test-support/Tests"

const shops: ReadonlyArray<Shop> = [
  { id: "shop-a", accounts: ["1001"] },
  { id: "shop-b", accounts: ["1002"], handle: () => Effect.fail("broken") }
]

const started = Effect.fnUntraced(function* (
  options: Merchants.AdminOptions = {},
  all: ReadonlyArray<Shop> = shops
) {
  const world = yield* make(all)
  const admin = yield* Layer.build(
    Layer.provide(Merchants.layerAdmin(options), Layer.succeedContext(world.built))
  )
  const askAs = askAdmin(Context.get(admin, Admin.Admin))
  const ask = (url: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    askAs(url, method, { host: "127.0.0.1:4020", ...headers })
  return { ask, send: world.send, world }
})

describe("the admin API of several merchants", () => {
  test("lists the merchants, and responds about the merchant in the path", function* () {
    const { ask, send } = yield* started()
    yield* send(shops[0]!, "100001")
    yield* send(shops[1]!, "200001")
    yield* pass("1 hour")
    expect((yield* ask("/merchants")).json).toMatchObject([
      {
        id: "shop-a",
        accounts: ["1001"],
        backlog: { deadLetters: 0 },
        condition: { ready: true }
      },
      { id: "shop-b", accounts: ["1002"], backlog: { deadLetters: 0 } }
    ])
    expect((yield* ask("/")).json).toEqual((yield* ask("/merchants")).json)
    expect((yield* ask("/merchants")).json).toHaveLength(2)
    expect((yield* ask("/merchants/shop-a/transactions/apm/100001")).json).toMatchObject({
      status: "SUCCEED",
      told: "SUCCEED"
    })
    expect((yield* ask("/merchants/shop-b/transactions/apm/200001")).json).toMatchObject({
      told: null
    })
    expect((yield* ask("/merchants/shop-b/transactions/apm/100001")).status).toBe(404)
    expect((yield* ask("/merchants/shop-b/overview")).json).toMatchObject({
      failing: [{ transactionId: "200001" }]
    })
    expect((yield* ask("/merchants/shop-a/overview")).json).toMatchObject({ failing: [] })
    for (const path of ["/merchants/shop-c/overview", "/overview", "/transactions/apm/100001"]) {
      expect((yield* ask(path)).status).toBe(404)
    }
  })

  test("names the next page of a merchant's dead letters, and redrives his alone", function* () {
    const shop: Shop = { ...shops[1]!, options: { retrySchedule: hourly } }
    const { ask, send } = yield* started({}, [shops[0]!, shop])
    for (const id of ["200001", "200002"]) yield* send(shop, id)
    yield* pass("27 hours")
    const { headers, json } = yield* ask("/merchants/shop-b/dead-letters?limit=1")
    expect(json).toHaveLength(1)
    const next = /^<(.+)>; rel="next"$/u.exec(headers["link"] ?? "")?.[1] ?? ""
    expect(next).toMatch(/^\/merchants\/shop-b\/dead-letters\?/u)
    expect((yield* ask(next)).json).toHaveLength(1)
    expect((yield* ask("/merchants/shop-a/dead-letters")).json).toEqual([])
    const redrive = (id: string) =>
      ask(`/merchants/${id}/dead-letters/apm/200001/redrive`, {}, "POST")
    expect((yield* redrive("shop-a")).status).toBe(404)
    expect((yield* redrive("shop-b")).status).toBe(200)
  })

  test("gives access to nobody without the token, and tells him of no merchant", function* () {
    const page = new Map([["/", { status: 200, headers: {}, body: "page" } as const]])
    const { ask } = yield* started({ token: Redacted.make("t0ken"), page })
    for (const path of ["/", "/merchants", "/metrics", "/merchants/shop-a/overview", "/x"]) {
      expect((yield* ask(path)).status).toBe(401)
    }
    expect(yield* ask("/merchants/shop-a")).toEqual(yield* ask("/merchants/shop-c"))
    expect((yield* ask("/merchants", { authorization: "Bearer t0ken" })).status).toBe(200)
    expect((yield* ask("/merchants", { host: "elsewhere.example" })).status).toBe(404)
  })

  test("has a page with the list of the merchants, and one of each", function* () {
    const { ask } = yield* started({ page: yield* NodeAdminPage.files })
    const { body } = yield* ask("/")
    expect(body).toContain("/page/merchants.js")
    expect((yield* ask("/page/merchants.js")).status).toBe(200)
    const page = (yield* ask("/merchants/shop-a/")).body
    expect(page).toContain("/page/main.js")
    expect((yield* ask("/merchants/shop-a")).body).toBe(page)
    expect((yield* ask("/merchants")).json).toHaveLength(2)
  })

  test("shows the merchants while the store of one is not available", function* () {
    const fail = Effect.fail(new StoreUnavailable({}))
    const ledger = planted(() => ({ backlog: () => fail, checkWritable: fail }))
    const down: Shop = { id: "shop-b", accounts: ["1002"], ledger }
    const { ask } = yield* started({}, [{ id: "shop-a" }, down])
    expect((yield* ask("/merchants")).json).toMatchObject([
      { id: "shop-a", condition: { ready: true } },
      { id: "shop-b", backlog: null, condition: { ready: false } }
    ])
    const { body } = yield* ask("/metrics")
    expect(body).toContain('pawl_webhook_transactions_due{merchant="shop-a"}')
    expect(body).not.toContain('pawl_webhook_transactions_due{merchant="shop-b"')
  })
})

describe("the metrics of several merchants", () => {
  test("are those of one merchant under his path, and leave no series without a merchant", function* () {
    const { ask, send } = yield* started({ token: Redacted.make("t0ken") })
    const access = { authorization: "Bearer t0ken" }
    yield* send(shops[0]!, "100001")
    yield* send(shops[1]!, "200001")
    yield* pass("10 seconds")
    expect((yield* ask("/merchants/shop-b/metrics")).status).toBe(401)
    const { body } = yield* ask("/merchants/shop-b/metrics", access)
    expect(body).toMatch(/^pawl_webhook_transactions_due\{merchant="shop-b"/mu)
    expect(body).toMatch(/^pawl_webhook_handler_failures_total\{merchant="shop-b"/mu)
    const series = body.split("\n").filter((line) => line.startsWith("pawl"))
    expect(series.filter((line) => !line.includes('merchant="shop-b"'))).toEqual([])
    const all = (yield* ask("/metrics", access)).body
    expect(all).toContain('merchant="shop-a"')
    expect(all).not.toMatch(/^pawl_webhook_dead_letters\{(?![^}]*merchant)/mu)
    expect(all).not.toMatch(/^pawl_webhook_dead_letters /mu)
  })

  test("have the merchant as a label", function* () {
    const { ask, send, world } = yield* started()
    yield* send(shops[0]!, "100001")
    yield* send(shops[1]!, "200001")
    yield* world.receive(callback({ id: "shop-a" }, { accountId: "1002", transactionId: "1" }))
    yield* world.receive(callback({ id: "shop-a" }, { accountId: "9009", transactionId: "1" }))
    yield* pass("10 seconds")
    const { body } = yield* ask("/metrics")
    const valueOf = (name: string, merchant: string) =>
      body
        .split("\n")
        .filter((line) => line.startsWith(`${name}{`) && line.includes(`merchant="${merchant}"`))
        .map((line) => Number(line.split(" ").at(-1)))
        .reduce((sum, value) => sum + value, 0)
    expect(valueOf("pawl_webhook_callbacks_accepted_total", "shop-a")).toBe(1)
    expect(valueOf("pawl_webhook_callbacks_accepted_total", "shop-b")).toBe(1)
    expect(valueOf("pawl_webhook_transitions_told_total", "shop-a")).toBe(1)
    expect(valueOf("pawl_webhook_transitions_told_total", "shop-b")).toBe(0)
    expect(valueOf("pawl_webhook_handler_failures_total", "shop-b")).toBeGreaterThan(1)
    expect(valueOf("pawl_webhook_callbacks_refused_total", "shop-b")).toBe(1)
    expect(valueOf("pawl_webhook_callbacks_refused_total", "shop-a")).toBe(0)
    expect(body).toMatch(/^pawl_webhook_callbacks_refused_total\{[^}]*"401"[^}]*\} 1$/mu)
  })
})
