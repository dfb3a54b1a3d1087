import { StoreUnavailable } from "@pawl/core/CallbackError"
import type { RequestSender } from "@pawl/core/RequestSender"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { expect, it } from "vitest"
import { newRequest } from "./memoryLedger.ts"
import { start, stores, watched } from "./requestProcess.ts"
import { payment } from "./requestService.ts"
import { test } from "@pawl/test-support/Tests"
import { pass } from "@pawl/test-support/World"

const slow = (seconds: number) => {
  const counts = { begun: 0, running: 0, most: 0 }
  const send: RequestSender["Service"]["send"] = () =>
    Effect.suspend(() => {
      counts.begun++
      counts.most = Math.max(counts.most, ++counts.running)
      return Effect.delay(Effect.succeed({ transactionId: "1" } as never), `${seconds} seconds`)
    }).pipe(Effect.ensuring(Effect.sync(() => counts.running--)))
  return { counts, sender: { send } }
}

test("16 requests are sent at a time, and each that ends makes room for another", function* () {
  const { counts, sender } = slow(5)
  const limits: Array<number> = []
  const shop = yield* start({
    sender,
    plant: (store) => ({
      claim: (options) => {
        limits.push(options.limit)
        return store.claim(options)
      }
    })
  })
  const ids = Array.from({ length: 40 }, (_, id) => `order-${id}`)
  yield* Effect.forEach(ids, (id) => shop.enqueue("apm-payment", payment(id)))
  yield* pass("4 seconds")
  expect(counts).toEqual({ begun: 16, running: 16, most: 16 })
  yield* pass("4 seconds")
  expect(counts).toEqual({ begun: 32, running: 16, most: 16 })
  yield* pass("20 seconds")
  expect(counts).toEqual({ begun: 40, running: 0, most: 16 })
  // Nothing is claimed while there is no room.
  expect(Math.min(...limits)).toBeGreaterThan(0)
})

it("a store that cannot be read is asked again every second, and then work goes on", async () => {
  let claims = 0
  const { lines } = await watched(function* () {
    const shop = yield* start({
      plant: (store) => ({
        claim: (options) =>
          Effect.suspend(() =>
            ++claims <= 3 ? Effect.fail(new StoreUnavailable({})) : store.claim(options)
          )
      })
    })
    yield* shop.enqueue("apm-payment", payment("order-1"))
    yield* pass("1999 millis")
    expect(claims).toBe(2)
    yield* pass("1001 millis")
    expect(shop.service.seen).toMatchObject([{ requestId: "order-1" }])
  })
  expect(lines).toHaveLength(1)
})

it("work on a request that dies is logged with the requestId, and makes room", async () => {
  const { lines } = await watched(function* () {
    const shop = yield* start({ sender: { send: () => Effect.die("bug") } })
    yield* shop.enqueue("apm-payment", payment("order-1"))
    yield* pass("1 second")
  })
  expect(lines.length).toBeGreaterThan(0)
  expect(new Set(lines.map((line) => JSON.stringify(line)))).toEqual(
    new Set([JSON.stringify(["A request could not be worked on", { requestId: "order-1" }])])
  )
})

test("at its end a worker claims nothing more, and its requests have 15 seconds", function* () {
  const built = yield* stores
  const ending = Effect.fnUntraced(function* (seconds: number) {
    const scope = yield* Scope.make()
    const { counts, sender } = slow(seconds)
    const shop = yield* Effect.provideService(start({ built, sender }), Scope.Scope, scope)
    yield* shop.enqueue("apm-payment", payment(`first-${seconds}`))
    yield* pass("1 second")
    const end = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* pass("1 second")
    yield* shop.store.write(newRequest("later", { body: "b" }), { at: 0 })
    return { counts, end, shop }
  })
  const short = yield* ending(10)
  yield* pass("8 seconds")
  yield* Fiber.join(short.end)
  expect(short.counts.begun).toBe(1)
  expect(yield* short.shop.get("first-10")).toMatchObject({ outcome: { _tag: "Answered" } })

  const long = yield* ending(100)
  yield* pass("13999 millis")
  expect(long.end.pollUnsafe()).toBeUndefined()
  yield* pass("1 millis")
  yield* Fiber.join(long.end)
  expect(yield* long.shop.get("first-100")).toMatchObject({ outcome: undefined })
})

test("at its end a worker leaves a rebuild that cannot be interrupted after 18 seconds", function* () {
  const scope = yield* Scope.make()
  const rebuild = () => Effect.uninterruptible(Effect.fail("later").pipe(Effect.delay("1 hour")))
  const shop = yield* Effect.provideService(start({ rebuild }), Scope.Scope, scope)
  yield* shop.store.write(newRequest("order-1", { hasCardData: true }), { at: 0 })
  yield* pass("1 second")
  const end = yield* Effect.forkChild(Scope.close(scope, Exit.void))
  yield* pass("15 seconds")
  expect(end.pollUnsafe()).toBeUndefined()
  yield* pass("3 seconds")
  expect(end.pollUnsafe()).toBeDefined()
  yield* pass("1 hour")
})
