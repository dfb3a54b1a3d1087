import {
  OutcomeUnknown,
  Unauthorized,
  Unreachable,
  ValidationFailed
} from "@pawl/core/PaymentsError"
import * as Profile from "@pawl/core/Profile"
import type { RequestSender } from "@pawl/core/RequestSender"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { sendAndLeave, start, watched } from "./requestProcess.ts"
import { payment } from "./requestService.ts"
import { test } from "@pawl/test-support/Tests"
import { day, minute, pass, run, second } from "@pawl/test-support/World"

type Send = RequestSender["Service"]["send"]

const unsent = Array<"unsent">(20).fill("unsent")

describe("an enqueue of a request that is over", () => {
  test("makes it due again after a send that surely had no effect", function* () {
    const shop = yield* start({ fates: ["unsent"] })
    const error = yield* Effect.flip(shop.send("apm-payout", payment("p-1")))
    expect(error._tag).toBe("Unreachable")
    expect(yield* shop.enqueue("apm-payout", payment("p-1"))).toEqual({ requestId: "p-1" })
    yield* pass("1 minute")
    expect(yield* shop.get("p-1")).toMatchObject({ outcome: { _tag: "Answered" } })
  })

  test("fails when the request expired or was cancelled", function* () {
    const shop = yield* start({ fates: unsent })
    yield* shop.enqueue("apm-payout", payment("p-1"), { expiresAt: minute })
    yield* pass("2 minutes")
    const again = { expiresAt: 1e12 }
    const expired = yield* Effect.flip(shop.enqueue("apm-payout", payment("p-1"), again))
    expect(expired).toMatchObject({ _tag: "RequestNotSent", reason: "expired" })
    const row = { ...(yield* shop.get("p-1"))!, requestId: "p-2", expiresAt: undefined }
    yield* shop.store.write(row, { at: 0 })
    yield* shop.cancel("p-2")
    expect((yield* shop.get("p-2"))?.outcome).toMatchObject({ reason: "cancelled" })
  })

  test("fails as the send did that was refused, and when a person has to decide", function* () {
    const refused = new ValidationFailed({
      sent: true,
      status: 400,
      fields: [{ path: "accountId", message: "unknown account" }]
    })
    const shop = yield* start({ sender: { send: () => Effect.fail(refused) } })
    yield* Effect.flip(shop.send("apm-payout", payment("p-1")))
    const again = yield* Effect.flip(shop.enqueue("apm-payout", payment("p-1")))
    expect(again).toMatchObject({ _tag: "ValidationFailed", fields: refused.fields })
    yield* shop.enqueue("apm-payout", payment("p-2"))
    for (let n = 0; n < 4; n++) yield* pass("10 minutes")
    const parked = yield* Effect.flip(shop.enqueue("apm-payout", payment("p-2")))
    expect(parked).toMatchObject({ _tag: "RequestParked", reason: "refused" })
  })

  test("fails when it has expired already, such as with seconds for milliseconds", function* () {
    const shop = yield* start()
    yield* pass("1 minute")
    const late = shop.enqueue("apm-payout", payment("p-1"), { expiresAt: minute })
    for (const call of [late, late]) {
      const isExpired = { _tag: "RequestNotSent", reason: "expired" }
      expect(yield* Effect.flip(call)).toMatchObject(isExpired)
    }
    yield* shop.enqueue("apm-payout", payment("p-2"), { expiresAt: 2 * minute })
    yield* pass("1 minute")
    yield* shop.enqueue("apm-payout", payment("p-2"), { expiresAt: 2 * minute })
    expect([...shop.service.effects.keys()]).toEqual(["p-2"])
  })

  test("does not fail while a worker may be sending it, although it has expired", function* () {
    const shop = yield* start({
      plant: ({ begin }) => ({ begin: (...call) => Effect.delay(begin(...call), "20 seconds") })
    })
    const call = shop.enqueue("apm-payout", payment("p-1"), { expiresAt: 10 * second })
    yield* call
    yield* pass("15 seconds")
    const again = yield* Effect.exit(call)
    yield* pass("15 seconds")
    expect([again._tag, shop.service.effects.size]).toEqual(["Success", 1])
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1.5])(
    "fails when it is to expire at %s, and writes nothing",
    function* (expiresAt) {
      const shop = yield* start()
      const call = shop.enqueue("apm-payment", payment("o-1"), { expiresAt })
      const error = yield* Effect.flip(call)
      expect(error).toMatchObject({ _tag: "ValidationFailed", fields: [{ path: "expiresAt" }] })
      expect(yield* shop.get("o-1")).toBeUndefined()
    }
  )
})

describe("after it expired, a request is not sent", () => {
  test("by a send, although one before surely had no effect", function* () {
    const shop = yield* start({ fates: ["unsent"] })
    yield* shop.enqueue("apm-payment", payment("o-1"), { expiresAt: 5 * minute })
    yield* Effect.flip(shop.send("apm-payment", payment("o-1")))
    yield* pass("3 hours")
    const enqueued = shop.enqueue("apm-payment", payment("o-1"), { expiresAt: 5 * minute })
    const sent = shop.send("apm-payment", payment("o-1"))
    const isExpired = { _tag: "RequestNotSent", reason: "expired" }
    expect(yield* Effect.flip(sent)).toMatchObject(isExpired)
    expect(yield* Effect.flip(enqueued)).toMatchObject(isExpired)
    expect(shop.service.effects.size).toBe(0)
  })

  test("by a send before its next attempt is due, which learns it at once", function* () {
    const shop = yield* start({ fates: unsent })
    yield* shop.enqueue("apm-payment", payment("o-1"), { expiresAt: 5 * minute })
    for (let n = 0; n < 6; n++) yield* pass("1 minute")
    const call = yield* Effect.forkChild(Effect.flip(shop.send("apm-payment", payment("o-1"))))
    yield* pass("1 second")
    expect(call.pollUnsafe()).toMatchObject({ value: { reason: "expired" } })
  })

  test("by the retries of the client, which are told how long they may send it", function* () {
    const told: Array<unknown> = []
    const send: Send = ({ requestId }, options) =>
      Effect.suspend(() => {
        told.push([requestId, options?.sendWithin])
        return new OutcomeUnknown({
          requestId,
          cause: new Unreachable({ reason: "reset", sent: true, attempts: 2 })
        })
      })
    const shop = yield* Effect.provideService(start({ sender: { send } }), Profile.Profile, {
      ...Profile.defaults,
      requestIdWindow: Duration.seconds(25)
    })
    yield* shop.enqueue("apm-payment", payment("o-1"), { expiresAt: 2 * second })
    yield* pass("0 millis")
    yield* pass("10 seconds")
    // The attempt in doubt has the rest of the window.
    expect(told.slice(0, 2)).toEqual([
      ["o-1", 2000],
      ["o-1", 24_000]
    ])
  })
})

const alarmsIn = (lines: ReadonlyArray<unknown>) =>
  (lines as ReadonlyArray<[{ _tag?: string; reason?: string }, { requestId: string }]>).flatMap(
    ([alarm, { requestId }]) => (alarm._tag === "Alarm" ? [[requestId, alarm.reason]] : [])
  )

it("an alarm says that a request is given up which nobody waits for", async () => {
  const send: Send = () => Effect.fail(new Unauthorized({ sent: false }))
  const { lines } = await watched(function* () {
    const shop = yield* start({ sender: { send } })
    yield* shop.enqueue("apm-payout", payment("p-1"))
    yield* shop.enqueue("apm-payment", payment("o-1"), { expiresAt: minute })
    for (let n = 0; n < 25; n++) yield* pass("1 hour")
    for (const requestId of ["p-1", "o-1"])
      expect((yield* shop.get(requestId))?.outcome).toMatchObject({ reason: "expired" })
  })
  expect(alarmsIn(lines)).toEqual([["p-1", expect.stringContaining("it is given up")]])
})

it("an alarm says that the service answered one requestId with two transactions, or made one that was given up", async () => {
  let number = 0
  const send: Send = ({ requestId }) =>
    Effect.delay(
      Effect.sync(
        () => ({ transactionId: requestId === "twice" ? `${++number}` : requestId }) as never
      ),
      "10 seconds"
    )
  const { lines } = await watched(function* () {
    const shop = yield* start({ sender: { send } })
    const calls = yield* Effect.forEach(["twice", "same", "given-up", "found"], (id) =>
      Effect.forkChild(shop.send("apm-payment", payment(id)))
    )
    yield* pass("5 seconds")
    // Another process finds that the lease has ended.
    for (const id of ["twice", "same"]) {
      yield* shop.store.release((yield* shop.get(id)) as never, { at: 5000, dueAt: 5000 })
    }
    const lease = (yield* shop.get("given-up"))?.lease?.id
    const outcome = { _tag: "NotSent", reason: "no-effect" } as const
    yield* shop.store.settle("given-up", { outcome, at: 5000, lease })
    const transaction = { method: "apm", transactionId: "1" } as const
    yield* shop.store.settle("found", { outcome: { _tag: "Found" }, at: 5000, transaction })
    yield* pass("20 seconds")
    for (const call of calls) yield* Fiber.join(call)
  })
  const alarms = alarmsIn(lines)
  expect(alarms).toHaveLength(3)
  for (const id of ["twice", "found"])
    expect(alarms).toContainEqual([id, expect.stringContaining("with two transactions")])
  expect(alarms).toContainEqual(["given-up", expect.stringContaining("took effect")])
})

it("a merchant's function that hangs does not stop the other requests", () =>
  run(
    // This scope stays open, because its end waits 15 virtual seconds.
    Effect.flatMap(Scope.make(), (scope) =>
      Effect.gen(function* () {
        let calls = 0
        const rebuild = () =>
          Effect.suspend(() => {
            calls++
            return Effect.never
          })
        const shop = yield* start({ fates: ["hang"], rebuild })
        yield* sendAndLeave(shop, "order-1")
        for (let n = 0; n < 20; n++) yield* pass("31 seconds")
        yield* shop.enqueue("apm-payout", payment("p-1"))
        yield* pass("1 minute")
        expect(yield* shop.get("p-1")).toMatchObject({ outcome: { _tag: "Answered" } })
        expect(calls).toBeGreaterThan(1)
        yield* pass(2 * day)
      }).pipe(Effect.provideService(Scope.Scope, scope))
    )
  ))
