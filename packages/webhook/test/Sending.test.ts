import type { RequestSender } from "@pawl/core/RequestSender"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect } from "vitest"
import { isLeased, type Outcome, type ParkReason } from "../src/internal/rule/RequestRow.ts"
import { card, type Options, sendAndLeave, start, stores } from "./requestProcess.ts"
import { payment } from "./requestService.ts"
import { test } from "@pawl/test-support/Tests"
import { aheadOf, pass } from "@pawl/test-support/World"

const transaction = { method: "apm", transactionId: "100001" } as const

/** A process whose first request has left, and is never answered. */
const inFlight = Effect.gen(function* () {
  const shop = yield* start({ fates: ["hang"] })
  yield* Effect.forkScoped(shop.send("apm-payment", payment("order-1")))
  yield* pass("1 second")
  return shop
})

describe("the outcome of a request that was sent before", () => {
  test.each<[outcome: Outcome, transaction: typeof transaction | undefined, error: object]>([
    [
      { _tag: "Answered", text: undefined },
      transaction,
      { _tag: "ResponseLost", transactionId: "100001" }
    ],
    [{ _tag: "Answered", text: undefined }, undefined, { _tag: "ResponseLost", transactionId: "" }],
    [{ _tag: "Found" }, transaction, { _tag: "ResponseLost", transactionId: "100001" }],
    [{ _tag: "Answered", text: "x" }, transaction, { _tag: "RequestParked", reason: "unreadable" }],
    [{ _tag: "Refused", text: "x" }, undefined, { _tag: "RequestParked", reason: "unreadable" }],
    [{ _tag: "NotSent", reason: "cancelled" }, undefined, { _tag: "RequestNotSent" }],
    [{ _tag: "NotSent", reason: "expired" }, undefined, { _tag: "RequestNotSent" }]
  ])("%j of %j is %j", function* (outcome, found, error) {
    const shop = yield* inFlight
    const lease = (yield* shop.get("order-1"))?.lease?.id
    yield* shop.store.settle("order-1", { outcome, at: 0, lease, transaction: found })
    const send = shop.send("apm-payment", payment("order-1"))
    const reason = outcome._tag === "NotSent" ? { reason: outcome.reason } : {}
    expect(yield* Effect.flip(send)).toMatchObject({ requestId: "order-1", ...reason, ...error })
    expect(shop.service.seen).toHaveLength(1)
  })

  test("is decoded with the kind and the requestId of the request", function* () {
    const decoded: Array<unknown> = []
    const decodeOutcome: RequestSender["Service"]["decodeOutcome"] = (request, text) => {
      decoded.push([request, text])
      return Effect.succeed({ transactionId: "decoded" } as never)
    }
    const shop = yield* start({ sender: { decodeOutcome } })
    yield* shop.send("apm-payment", payment("order-1"))
    const again = yield* shop.send("apm-payment", payment("order-1"))
    expect(again).toEqual({ transactionId: "decoded" })
    expect(decoded).toEqual([
      [
        { kind: "apm-payment", requestId: "order-1" },
        '{"transactionId":"100001","transactionStatus":"PENDING"}'
      ]
    ])
  })
})

describe("a call that takes a request over", () => {
  test("has it for 30 seconds from then on", function* () {
    const shop = yield* start({ fates: ["unsent", "hang"] })
    yield* Effect.flip(shop.send("apm-payment", payment("order-1")))
    yield* pass("5 seconds")
    const again = yield* Effect.forkChild(shop.send("apm-payment", payment("order-1")))
    yield* pass("1 second")
    expect((yield* shop.get("order-1"))?.lease?.until).toBe(35_000)
    yield* Fiber.interrupt(again)

    const other = yield* start({ fates: ["hang", "hang"] })
    yield* sendAndLeave(other, "order-2")
    const taken = yield* Effect.forkChild(other.send("card-payment", card("order-2")))
    yield* pass("1 second")
    expect((yield* other.get("order-2"))?.lease?.until).toBe(38_000)
    yield* Fiber.interrupt(taken)
    yield* pass("1 minute")
  })

  test("begins it, so that it is in doubt and cannot be cancelled", function* () {
    const plant: Options["plant"] = ({ claim }) => ({
      claim: (options) =>
        options.requestId === undefined
          ? Effect.succeed({ rows: [], dueAt: undefined })
          : claim(options)
    })
    const shop = yield* start({ fates: ["hang"], plant })
    yield* shop.enqueue("apm-payment", payment("order-1"))
    const { rows } = yield* shop.store.claim({ at: 0, until: 30_000, limit: 1 })
    for (const row of rows) yield* shop.store.release(row, { at: 0, dueAt: 60_000 })
    const call = yield* Effect.forkChild(shop.send("apm-payment", payment("order-1")))
    yield* pass("1 second")
    expect(yield* shop.get("order-1")).toMatchObject({ begunAt: 0, attempts: 2 })
    expect(yield* shop.store.cancel("order-1", 0)).toBe(false)
    yield* Fiber.interrupt(call)
  })

  test.each<ParkReason>(["refused", "window", "rebuilt-differently", "no-key", "unreadable"])(
    "leaves one in doubt to a person that is parked as %s",
    function* (reason) {
      const shop = yield* inFlight
      const row = yield* shop.get("order-1")
      if (row !== undefined && isLeased(row)) yield* shop.store.park(row, reason, 0)
      const parked = yield* Effect.flip(shop.send("apm-payment", payment("order-1")))
      expect(parked).toMatchObject({ _tag: "RequestParked", reason })
    }
  )

  test("leaves one with card data to a person once its window is over", function* () {
    const shop = yield* start({ fates: ["hang"] })
    yield* sendAndLeave(shop, "order-1")
    yield* pass("25 hours")
    const parked = yield* Effect.flip(shop.send("card-payment", card("order-1")))
    const reason = "card-data"
    expect(parked).toMatchObject({ _tag: "RequestParked", requestId: "order-1", reason })
    expect(shop.service.seen).toHaveLength(1)
  })
})

describe("a call while another one has its request in flight", () => {
  test.each([
    ["", 0],
    [", though the clock is set back (C17)", -5_000]
  ])("waits for a minute, and then does not know the outcome%s", function* (_, by) {
    const shop = yield* inFlight
    let isSet = false
    const clock = aheadOf(yield* Clock.Clock, () => (isSet ? by : 0))
    const second = yield* shop
      .send("apm-payment", payment("order-1"))
      .pipe(Effect.flip, Effect.provideService(Clock.Clock, clock), Effect.forkChild)
    yield* pass("1 second")
    isSet = true
    yield* pass("59249 millis")
    expect(second.pollUnsafe()).toBeUndefined()
    yield* pass("1 millis")
    expect(second.pollUnsafe()).toBeDefined()
    expect(yield* Fiber.join(second)).toMatchObject({
      _tag: "OutcomeUnknown",
      requestId: "order-1",
      cause: { reason: "another call with the requestId is in flight" }
    })
    expect(shop.service.seen).toHaveLength(1)
  })

  test("gets the outcome within 250 milliseconds", function* () {
    const built = yield* stores
    const send: RequestSender["Service"]["send"] = () =>
      Effect.delay(Effect.succeed({ transactionId: "1" } as never), "10 seconds")
    const shop = yield* start({ built, sender: { send } })
    const first = yield* Effect.forkChild(shop.send("apm-payment", payment("order-1")))
    yield* pass("1 second")
    const second = yield* Effect.forkChild(shop.send("apm-payment", payment("order-1")))
    yield* pass("9 seconds")
    expect(first.pollUnsafe()).toBeDefined()
    yield* pass("250 millis")
    expect(yield* Fiber.join(second)).toEqual({ transactionId: "1" })
  })
})
