/**
 * Shows how to test a merchant's program: the real client runs over the in-memory service in
 * virtual time, and calls of the gateway replace the customer on the hosted page.
 */
import * as Fake from "@pawl/testkit/Fake"
import { Gateway } from "@pawl/testkit/Gateway"
import { Requests } from "@pawl/webhook/Requests"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { MinimumLogLevel } from "effect/References"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import * as Customer from "../src/demo/Customer.ts"
import * as Shop from "../src/shop/Shop.ts"
import { sandboxed, start } from "./processes.ts"

const shop = Fake.layerReceiver.pipe(
  Layer.provideMerge(Shop.layer(":memory:", Redacted.make("sandbox-secret"))),
  Layer.provideMerge(Fake.layer({ pace: "10 seconds" })),
  Layer.provideMerge(TestClock.layer())
)

const test = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof shop>>) =>
  effect.pipe(
    Effect.provide(shop),
    Effect.provideService(MinimumLogLevel, "None"),
    Effect.runPromise
  )

const order = { orderId: "order-1", item: "tea" } as const

/**
 * Places an order. Returns the address of its page. The worker may be sending the request already.
 */
const place = Effect.gen(function* () {
  const placed = yield* Effect.forkChild(Shop.place(order, "https://shop.example"), {
    startImmediately: true
  })
  yield* TestClock.adjust("1 second")
  return yield* Fiber.join(placed)
})

const visit = Effect.map(place, (page) => new URL(page).pathname.split("/").at(-1) ?? "")

const card = { act: "card", expiry: "04/30", cvc: "737", name: "Ada Lovelace" }

/** Pays with a card. `attempts` is the number of earlier attempts on the page. */
const pay = (intentId: string, number = "4242424242424242", attempts = "0") =>
  Effect.flatMap(Gateway, ({ checkout }) =>
    checkout.submit(intentId, { ...card, attempts, number })
  )

describe("the shop", () => {
  it("ships only after the payment is confirmed", () =>
    test(
      Effect.gen(function* () {
        yield* pay(yield* visit)
        yield* TestClock.adjust("20 seconds")
        expect(yield* Shop.shippedBy("order-1")).toBeUndefined()
        yield* TestClock.adjust("20 seconds")
        expect(yield* Shop.shippedBy("order-1")).toBe("100001")
      })
    ))

  it("sends a customer who orders again to the same page", () =>
    test(
      Effect.gen(function* () {
        expect(yield* place).toBe(yield* place)
        const { checkout } = yield* Gateway
        expect(yield* checkout.intents).toHaveLength(1)
      })
    ))

  it("refuses another article for an order, and keeps the first one", () =>
    test(
      Effect.gen(function* () {
        yield* visit
        const dearer = Shop.place({ ...order, item: "teapot" }, "https://shop.example")
        expect((yield* Effect.flip(dearer))._tag).toBe("RequestConflict")
        const sql = yield* SqlClient
        expect(yield* sql`SELECT amount FROM orders`).toEqual([{ amount: "10.00" }])
      })
    ))

  it("writes neither an order nor its request if the order cannot be written", () =>
    test(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`ALTER TABLE orders RENAME TO away`
        yield* Effect.flip(Shop.place(order, "https://shop.example"))
        yield* TestClock.adjust("2 minutes")
        expect(yield* (yield* Requests).get("order-1")).toBeUndefined()
        expect(yield* (yield* Gateway).checkout.intents).toEqual([])
      })
    ))

  it.each(["REFUNDED", "CHARGEBACK"] as const)("stops a shipment after %s", (status) =>
    test(
      Effect.gen(function* () {
        yield* pay(yield* visit)
        yield* TestClock.adjust("1 minute")
        expect(yield* Shop.shippedBy("order-1")).toBe("100001")
        yield* (yield* Gateway).move("100001", status)
        yield* TestClock.adjust("1 minute")
        expect(yield* Shop.shippedBy("order-1")).toBeUndefined()
      })
    )
  )

  it("ships an order whose second payment attempt succeeds", () =>
    test(
      Effect.gen(function* () {
        const page = yield* visit
        yield* pay(page, "4000000000000002")
        yield* TestClock.adjust("1 minute")
        expect(yield* Shop.shippedBy("order-1")).toBeUndefined()
        yield* pay(page, "4242424242424242", "1")
        yield* TestClock.adjust("1 minute")
        expect(yield* Shop.shippedBy("order-1")).toBe("100002")
      })
    ))

  it("does not ship a cancelled order", () =>
    test(
      Effect.gen(function* () {
        const page = yield* visit
        yield* Effect.flatMap(Gateway, ({ checkout }) =>
          checkout.submit(page, { act: "cancel", attempts: "0" })
        )
        yield* TestClock.adjust("2 minutes")
        expect(yield* Shop.shippedBy("order-1")).toBeUndefined()
      })
    ))

  it("ships after a failed write to its database", () =>
    test(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* pay(yield* visit)
        yield* sql`ALTER TABLE shipments RENAME TO away`
        yield* TestClock.adjust("31 seconds")
        yield* sql`ALTER TABLE away RENAME TO shipments`
        expect(yield* Shop.shippedBy("order-1")).toBeUndefined()
        yield* TestClock.adjust("1 minute")
        expect(yield* Shop.shippedBy("order-1")).toBe("100001")
      })
    ))
})

sandboxed("sells over HTTP, from the order over the hosted page to the shipment", function* () {
  const url = yield* start("shop.ts", /Listening on (http:\S+?)[,"]?$/mu, {
    SHOP_FILE: ":memory:"
  })
  const request = HttpClientRequest.post(`${url}/orders`)
  const ordered = yield* HttpClient.execute(HttpClientRequest.bodyJsonUnsafe(request, order))
  expect(ordered.status).toBe(303)
  const page = yield* Customer.open(ordered.headers["location"] ?? "")
  const paid = yield* Customer.press(page, "pay", Customer.card())
  expect((yield* Customer.untilBack(paid)).url).toBe(`${url}/orders/order-1`)
  yield* HttpClient.get(`${url}/orders/order-1`).pipe(
    Effect.flatMap(({ text }) => text),
    Effect.repeat({
      until: (text) => /^\{"orderId":"order-1","shippedBy":"\d+"\}$/u.test(text),
      schedule: Schedule.spaced("50 millis")
    })
  )
})
