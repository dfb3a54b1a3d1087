/**
 * Shows how to test a merchant's program: the real client runs over the in-memory service in
 * virtual time, and calls of the gateway replace the customer on the hosted page.
 */
import { live } from "@pawl/test-support/Tests"
import * as Fake from "@pawl/testkit/Fake"
import { Gateway } from "@pawl/testkit/Gateway"
import { Requests } from "@pawl/webhook/Requests"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect } from "vitest"
import * as Customer from "../src/demo/Customer.ts"
import * as Shop from "../src/shop/Shop.ts"
import { pay, sandboxed, start } from "./processes.ts"

const shop = Fake.layerReceiver.pipe(
  Layer.provideMerge(Shop.layer(":memory:", Redacted.make("sandbox-secret"))),
  Layer.provideMerge(Fake.layer({ pace: "10 seconds" })),
  Layer.provideMerge(TestClock.layer())
)

const test = live.with(() => shop)

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

describe("the shop", () => {
  test("ships only after the payment is confirmed", function* () {
    yield* pay(yield* place)
    yield* TestClock.adjust("20 seconds")
    expect(yield* Shop.shippedBy("order-1")).toBeUndefined()
    yield* TestClock.adjust("20 seconds")
    expect(yield* Shop.shippedBy("order-1")).toBe("100001")
  })

  test("sends a customer who orders again to the same page", function* () {
    expect(yield* place).toBe(yield* place)
    const { checkout } = yield* Gateway
    expect(yield* checkout.intents).toHaveLength(1)
  })

  test("refuses another article for an order, and keeps the first one", function* () {
    yield* place
    const dearer = Shop.place({ ...order, item: "teapot" }, "https://shop.example")
    expect((yield* Effect.flip(dearer))._tag).toBe("RequestConflict")
    const sql = yield* SqlClient
    expect(yield* sql`SELECT amount FROM orders`).toEqual([{ amount: "10.00" }])
  })

  test("writes neither an order nor its request if the order cannot be written", function* () {
    const sql = yield* SqlClient
    yield* sql`ALTER TABLE orders RENAME TO away`
    yield* Effect.flip(Shop.place(order, "https://shop.example"))
    yield* TestClock.adjust("2 minutes")
    expect(yield* (yield* Requests).get("order-1")).toBeUndefined()
    expect(yield* (yield* Gateway).checkout.intents).toEqual([])
  })

  for (const status of ["REFUNDED", "CHARGEBACK"] as const)
    test(`stops a shipment after ${status}`, function* () {
      yield* pay(yield* place)
      yield* TestClock.adjust("1 minute")
      expect(yield* Shop.shippedBy("order-1")).toBe("100001")
      yield* (yield* Gateway).move("100001", status)
      yield* TestClock.adjust("1 minute")
      expect(yield* Shop.shippedBy("order-1")).toBeUndefined()
    })

  test("ships an order whose second payment attempt succeeds", function* () {
    const page = yield* place
    yield* pay(page, "4000000000000002")
    yield* TestClock.adjust("1 minute")
    expect(yield* Shop.shippedBy("order-1")).toBeUndefined()
    yield* pay(page, "4242424242424242", "1")
    yield* TestClock.adjust("1 minute")
    expect(yield* Shop.shippedBy("order-1")).toBe("100002")
  })

  test("does not ship a cancelled order", function* () {
    const page = yield* place
    yield* Effect.flatMap(Gateway, ({ checkout }) =>
      checkout.submit(page.split("/").at(-1) ?? "", { act: "cancel", attempts: "0" })
    )
    yield* TestClock.adjust("2 minutes")
    expect(yield* Shop.shippedBy("order-1")).toBeUndefined()
  })

  test("ships after a failed write to its database", function* () {
    const sql = yield* SqlClient
    yield* pay(yield* place)
    yield* sql`ALTER TABLE shipments RENAME TO away`
    yield* TestClock.adjust("31 seconds")
    yield* sql`ALTER TABLE away RENAME TO shipments`
    expect(yield* Shop.shippedBy("order-1")).toBeUndefined()
    yield* TestClock.adjust("1 minute")
    expect(yield* Shop.shippedBy("order-1")).toBe("100001")
  })
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
