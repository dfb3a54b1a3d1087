import * as Profile from "@pawl/core/Profile"
import { ApmPayments } from "@pawl/http/ApmPayments"
import { CardPayments } from "@pawl/http/CardPayments"
import { Refunds } from "@pawl/http/Refunds"
import { Transport } from "@pawl/http/Transport"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe } from "vitest"
import * as Courier from "../src/Courier.ts"
import * as Fake from "../src/Fake.ts"
import { Faults, kinds } from "../src/Faults.ts"
import { Gateway } from "../src/Gateway.ts"
import { test as virtual } from "@pawl/test-support/Tests"
import * as Clock from "effect/Clock"
import * as Fiber from "effect/Fiber"

const test = virtual.with(() => Fake.layer())

const callbackUrl = "https://shop.example/callback"
const apm = {
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" },
  callbackUrl
}
const card = { number: "4242424242424242", expMonth: "04", expYear: "2030" }
const paid = { mid: "m-1", amount: "10.00", currency: "EUR" }

const answers = Courier.Courier.use(({ deliveries }) =>
  Effect.map(deliveries, (all) => all.map(({ answer }) => answer))
)

test("the callbacks of a fake reach no receiver before deliverTo, and the last one after it", function* () {
  const { deliverTo } = yield* Fake.Fake
  yield* ApmPayments.use(({ create }) => create(apm))
  yield* TestClock.adjust("1 minute")
  assert.deepStrictEqual(yield* answers, Array(4).fill("unreachable"))
  yield* deliverTo(() => Effect.die("nobody asks this one any more"))
  yield* deliverTo(() => Effect.succeed(202))
  yield* TestClock.adjust("2 minutes")
  assert.deepStrictEqual((yield* answers).slice(4), [202, 202, 202, 202])
})

virtual.with(() => Layer.provide(Fake.layer(), Profile.layer({ refundCallbackId: "payment" })))(
  "a fake follows its profile",
  function* () {
    const { deliverTo } = yield* Fake.Fake
    const bodies: Array<string> = []
    yield* deliverTo(({ body }) =>
      Effect.sync(() => {
        bodies.push(new TextDecoder().decode(body))
        return 200
      })
    )
    const { transactionId } = yield* CardPayments.use(({ create }) => create({ ...paid, card }))
    yield* TestClock.adjust("1 second")
    const request = { mid: "m-1", amount: "10", reason: "x", transactionId, callbackUrl }
    yield* Refunds.use(({ create }) => create(request))
    yield* TestClock.adjust("1 second")
    assert.lengthOf(bodies, 4)
    for (const body of bodies) assert.include(body, `"transactionId":"${transactionId}"`)
  }
)

for (const [failure, receive] of [
  ["throws", () => assert.fail("failed")],
  ["dies", () => Effect.die("failed")],
  ["rejects", () => Effect.promise(() => Promise.reject(new Error("failed")))],
  ["is interrupted", () => Effect.interrupt],
  ["returns no status", () => Effect.succeed(99)]
] satisfies ReadonlyArray<readonly [string, Fake.Receive]>) {
  test(`a receiver of the fake that fails has answered 500, and gets the callback again, when it ${failure}`, function* () {
    yield* (yield* Fake.Fake).deliverTo(receive)
    const metadata = { "sandbox.scenario": "steps:NEW,NEW" }
    yield* ApmPayments.use(({ create }) => create({ ...apm, metadata }))
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(yield* answers, [500, 500, 500, 500, 500])
  })
}

class Other extends Context.Service<Other, { readonly gateway: Gateway["Service"] }>()(
  "test/Other"
) {}

const other = Layer.effect(
  Other,
  Effect.map(Gateway, (gateway) => ({ gateway }))
)

describe("two fakes", () => {
  test("share nothing, even in one program", function* () {
    const own = yield* Gateway
    const { gateway } = yield* Effect.provide(
      Other,
      Layer.provide(other, Fake.layer({ merchantKey: "another" }))
    )
    assert.notStrictEqual(gateway, own)
  })

  const fake = Fake.layer()
  virtual.with(() => Layer.merge(fake, Layer.provide(other, fake)))(
    "are the same fake if one layer value is used twice",
    function* () {
      assert.strictEqual((yield* Other).gateway, yield* Gateway)
    }
  )
})

test("a delayed response fails at the time limit of its request", function* () {
  yield* (yield* Faults).add({ endpoint: "*", fault: "delay" })
  const path = "/api/v1/payments/apm/status/100001"
  const request = { method: "GET", url: `http://localhost${path}`, headers: {} } as const
  const { send } = yield* Transport
  const sent = yield* send({ ...request, body: undefined }, Duration.seconds(2)).pipe(
    Effect.flip,
    Effect.forkChild({ startImmediately: true })
  )
  yield* TestClock.adjust("1999 millis")
  assert.isUndefined(sent.pollUnsafe())
  yield* TestClock.adjust("1 millis")
  const exit = sent.pollUnsafe()
  assert.include(exit && Exit.isSuccess(exit) ? exit.value : undefined, {
    _tag: "Unreachable",
    reason: "no response in time",
    sent: true
  })
})

const endpoint = "POST /v1/payments/apm"

const transactions = Gateway.use((gateway) => gateway.transactions)

describe("a fault in memory", () => {
  const test = virtual.with(() => Fake.layer({ seed: 1 }))

  const create = ApmPayments.use(({ create }) => create(apm)).pipe(
    Effect.andThen(Clock.currentTimeMillis),
    Effect.forkChild({ startImmediately: true }),
    Effect.flatMap((fiber) => Effect.andThen(TestClock.adjust("1 minute"), Fiber.join(fiber)))
  )

  test("a delay is 5 seconds of virtual time, and the client recovers from any other fault by a retry", function* () {
    const faults = yield* Faults
    for (const [at, fault] of kinds.entries()) {
      const before = yield* Clock.currentTimeMillis
      yield* faults.add({ endpoint, fault, times: 1 })
      const answered = yield* create
      if (fault === "delay") assert.strictEqual(answered - before, 5000)
      assert.deepStrictEqual(yield* faults.list, [])
      assert.lengthOf(yield* transactions, at + 1)
    }
  })

  virtual("a fault strikes at its rate, and a seed repeats the strikes", function* () {
    const strikes = (seed: number) =>
      Effect.gen(function* () {
        const faults = yield* Faults
        yield* faults.add({ endpoint, fault: "500", rate: 0.3 })
        return yield* Effect.forEach(Array.from({ length: 2000 }), () =>
          faults.strike("POST", "/api/v1/payments/apm")
        )
      }).pipe(Effect.provide(Fake.layer({ seed }), { local: true }))
    const [one, again, other] = [yield* strikes(1), yield* strikes(1), yield* strikes(2)]
    assert.deepStrictEqual(one, again)
    assert.notDeepEqual(one, other)
    assert.closeTo(one.filter((fault) => fault === "500").length / one.length, 0.3, 0.05)
  })
})
