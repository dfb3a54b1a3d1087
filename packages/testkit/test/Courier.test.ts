import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import * as Courier from "../src/Courier.ts"
import * as Gateway from "../src/Gateway.ts"
import { test, testAnswering } from "@pawl/test-support/GatewayTests"
import { create, Receiver, run, stories } from "@pawl/test-support/TestGateway"
import { forAll } from "@pawl/test-support/Properties"
import type { Status } from "@pawl/core/Status"
import * as fc from "fast-check"
import * as Scenario from "../src/Scenario.ts"
import { repeats } from "@pawl/test-support/Repeats"

const minutes = (...all: ReadonlyArray<number>) => all.map((one) => one * 60_000)

const attempts = (status: string) =>
  Effect.gen(function* () {
    const { deliveries } = yield* Courier.Courier
    return (yield* deliveries).filter((delivery) => delivery.status === status)
  })

const times = (deliveries: ReadonlyArray<Courier.Delivery>) =>
  deliveries.map(({ at }) => Date.parse(at))

describe("a callback", () => {
  test("keeps the query of its URL byte for byte, and drops the fragment", function* () {
    const urls = [
      ["http://127.0.0.1:1/cb?t=a%2Fb+c%20d&t=&x", "http://127.0.0.1:1/cb?t=a%2Fb+c%20d&t=&x&"],
      ["http://localhost:1/cb?", "http://localhost:1/cb?&"],
      ["http://127.0.0.1:1?a=1#top", "http://127.0.0.1:1/?a=1&"],
      ["http://[::1]:1/cb", "http://[::1]:1/cb?"]
    ] as const
    for (const [index, [callbackUrl]] of urls.entries()) {
      yield* create({
        requestId: `r-${index}`,
        callbackUrl,
        scenario: "stuck",
        apmPayload: { paymentMethod: "QR & more" }
      })
    }
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(
      (yield* Receiver).received.map(({ url }) => url),
      urls.map(([, start]) => `${start}paymentMethod=apm&apmType=QR%20%26%20more`)
    )
  })

  test("is sent only to this machine", function* () {
    const elsewhere = [
      "http://shop.example/cb",
      "http://0.0.0.0:80/",
      "http://user@127.0.0.1/",
      "http://:password@127.0.0.1/",
      "http://shop.example#@127.0.0.1/"
    ]
    for (const [index, callbackUrl] of elsewhere.entries()) {
      yield* create({ requestId: `r-${index}`, callbackUrl, scenario: "stuck" })
    }
    yield* TestClock.adjust("2 hours")
    assert.deepStrictEqual((yield* Receiver).received, [])
    const { deliveries } = yield* Courier.Courier
    assert.lengthOf(yield* deliveries, elsewhere.length * 3)
    assert.isTrue((yield* deliveries).every(({ answer }) => answer === "refused"))
  })
})

describe("the retries", () => {
  testAnswering(() => 503)(
    "X01: are made 2, 4, 8, 16 and 32 minutes after the previous attempt; then the callback is dropped",
    function* () {
      yield* create()
      yield* TestClock.adjust("62 minutes")
      assert.deepStrictEqual(times(yield* attempts("NEW")), minutes(0, 2, 6, 14, 30, 62))
      assert.deepStrictEqual(
        (yield* attempts("NEW")).map(({ answer, attempt }) => [attempt, answer]),
        [1, 2, 3, 4, 5, 6].map((attempt) => [attempt, 503])
      )
      yield* TestClock.adjust("30 days")
      assert.lengthOf(yield* attempts("NEW"), 6)
      // Every callback is retried independently.
      assert.deepStrictEqual(
        times(yield* attempts("SUCCEED")),
        minutes(0, 2, 6, 14, 30, 62).map((at) => at + 600)
      )
      assert.lengthOf((yield* Receiver).received, 24)
    }
  )

  testAnswering((_, { at, url }) => (at < Number(new URL(url).pathname.slice(1)) ? 500 : 204))(
    "end with the first 2xx response",
    function* () {
      for (const [at, due] of minutes(0, 2, 6, 14, 30, 62).entries()) {
        yield* create({
          requestId: `r-${at}`,
          scenario: "stuck",
          callbackUrl: `http://127.0.0.1:9/${due}`
        })
      }
      yield* TestClock.adjust("1 day")
      const { received } = yield* Receiver
      for (const [at, due] of minutes(0, 2, 6, 14, 30, 62).entries()) {
        const arrived = received.filter(({ url }) => url.includes(`:9/${due}?`))
        assert.lengthOf(arrived, 3 * (at + 1))
      }
    }
  )

  testAnswering(() => "never")(
    "a response after more than 10 seconds does not count and does not delay the next attempt",
    function* () {
      yield* create({ scenario: "stuck" })
      yield* TestClock.adjust("9999 millis")
      assert.lengthOf(yield* attempts("NEW"), 0)
      yield* TestClock.adjust("1 millis")
      const answers = (yield* attempts("NEW")).map(({ answer }) => answer)
      assert.deepStrictEqual(answers, ["timeout"])
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(times(yield* attempts("NEW")), minutes(0, 2, 6, 14, 30, 62))
    }
  )

  for (const answer of [300, 301, 302, 307, 400, 404, 410, 500]) {
    testAnswering(() => answer)(`${answer} is not a delivery`, function* () {
      yield* create({ scenario: "stuck" })
      yield* TestClock.adjust("3 minutes")
      assert.lengthOf(yield* attempts("NEW"), 2)
    })
  }

  testAnswering((_, { url }) => (url.includes("/slow/") ? "never" : 200))(
    "X06: a thousand receivers that hang delay no other",
    function* () {
      const slow = Array.from({ length: 1000 }, (_, at) =>
        create({ requestId: `slow-${at}`, callbackUrl: `http://127.0.0.1:9/slow/${at}` })
      )
      yield* Effect.all(slow, { discard: true })
      yield* create({ callbackUrl: "http://127.0.0.1:8/quick" })
      yield* TestClock.adjust("601 millis")
      const { deliveries } = yield* Courier.Courier
      const statuses = (yield* deliveries).map(({ status }) => status)
      assert.deepStrictEqual(statuses, ["NEW", "PENDING", "PROCESSING", "SUCCEED"])
    }
  )
})

test("changes streams the log as it grows", function* () {
  const { changes, deliveries } = yield* Courier.Courier
  const following = yield* changes.pipe(
    Stream.take(4),
    Stream.runCollect,
    Effect.forkChild({ startImmediately: true })
  )
  yield* create()
  yield* TestClock.adjust("1 minute")
  assert.deepStrictEqual([...(yield* Fiber.join(following))], [...(yield* deliveries)])
})

testAnswering(() => 500)(
  "a reset drops callbacks in progress, and clears the log and the transactions",
  function* () {
    const courier = yield* Courier.Courier
    yield* create()
    yield* create({ requestId: "r-2", scenario: "succeed+shuffle" })
    yield* TestClock.adjust("1 minute")
    const { received } = yield* Receiver
    const before = received.length
    yield* (yield* Gateway.Gateway).reset
    yield* TestClock.adjust("1 day")
    assert.lengthOf(received, before)
    assert.deepStrictEqual(yield* courier.deliveries, [])
    assert.deepStrictEqual(yield* (yield* Gateway.Gateway).transactions, [])
  }
)

test("a reset during a shuffle does not hold back later callbacks", function* () {
  yield* create({ scenario: "succeed+shuffle" })
  yield* TestClock.adjust("300 millis")
  yield* (yield* Gateway.Gateway).reset
  yield* create({ scenario: "succeed+shuffle" })
  yield* TestClock.adjust("1 minute")
  assert.lengthOf((yield* Receiver).received, 4)
})

const delivered = (scenario: string, seed: number) =>
  run(
    function* () {
      yield* create({ scenario })
      yield* TestClock.adjust("1 minute")
      const { received } = yield* Receiver
      const { deliveries } = yield* Courier.Courier
      return { received: [...received], deliveries: yield* deliveries }
    },
    { seed, pace: "1 second" }
  )

const statuses = (deliveries: ReadonlyArray<Courier.Delivery>): ReadonlyArray<Status> =>
  deliveries.map(({ status }) => status)

it("X02: with any suffixes and story, the callbacks are the history plus or minus the effect of the suffixes", () =>
  forAll(
    [fc.constantFrom(...stories), fc.shuffledSubarray([...Scenario.suffixes]), fc.nat()],
    {
      numRuns: repeats(300),
      // Only two equal copies would swap here, which is not another order.
      examples: [["cancel", ["shuffle", "duplicate", "lost"], 1_710_493_338]]
    },
    async (story, suffixes, seed) => {
      const scenario = Scenario.parse([story, ...suffixes].join("+"))
      assert.isDefined(scenario)
      const { duplicate, forged, late, lost, shuffle, silent } = scenario.suffixes
      const { deliveries, received } = await delivered([story, ...suffixes].join("+"), seed)
      assert.strictEqual(received.length, deliveries.length)

      const genuine = deliveries.filter((delivery) => !delivery.forged)
      const sent = silent
        ? []
        : scenario.statuses.filter((_, at) => !lost || at + 1 < scenario.statuses.length)
      const expected = duplicate ? sent.flatMap((status) => [status, status]) : sent
      assert.sameMembers([...statuses(genuine)], [...expected])

      const forgeries = deliveries.filter((delivery) => delivery.forged)
      assert.lengthOf(forgeries, forged ? genuine.length : 0)
      for (const { status } of forgeries) assert.notInclude(scenario.statuses, status)
      // The checksum does not cover the status, so a forged callback has a genuine one.
      assert.isAtMost(new Set(received.map(({ checksum }) => checksum)).size, 1)

      const isOrdered = JSON.stringify(statuses(genuine)) === JSON.stringify(expected)
      if (!shuffle) assert.isTrue(isOrdered)
      else if (new Set(expected).size > 1) assert.isFalse(isOrdered)

      const first = received[0]?.at
      if (first !== undefined) {
        assert.strictEqual(first, (late ? 10_000 : 0) + (shuffle ? 5_000 : 0))
      }
    }
  ))

it("equal seeds shuffle alike, and different seeds differ", () =>
  forAll([fc.nat()], { numRuns: repeats(20) }, async (seed) => {
    const order = async (seed: number) =>
      statuses((await delivered("refund+shuffle", seed)).deliveries).join()
    assert.strictEqual(await order(seed), await order(seed))
    const others = new Set(
      await Promise.all(Array.from({ length: 12 }, (_, at) => order(seed + at)))
    )
    assert.isAbove(others.size, 1)
  }))

it("after a reset the same random choices are repeated", () =>
  run(
    function* () {
      const courier = yield* Courier.Courier
      const order = Effect.gen(function* () {
        for (const requestId of ["a", "b", "c"]) {
          yield* create({ requestId, scenario: "refund+shuffle" })
        }
        yield* TestClock.adjust("1 minute")
        return (yield* courier.deliveries).map(({ status, transactionId }) => [
          transactionId,
          status
        ])
      })
      const before = yield* order
      yield* (yield* Gateway.Gateway).reset
      assert.deepStrictEqual(yield* order, before)
    },
    { seed: 1 }
  ))

it("a forged callback claims SUCCEED for a failure and FAILED for a success", async () => {
  for (const [story, claim] of [
    ["decline:5", "SUCCEED"],
    ["stuck", "SUCCEED"],
    ["succeed", "FAILED"],
    ["refund", "FAILED"],
    ["conflict", "CANCELLED"]
  ] as const) {
    const { deliveries } = await delivered(`${story}+forged`, 1)
    const forgeries = deliveries.filter(({ forged }) => forged)
    assert.deepStrictEqual([...new Set(statuses(forgeries))], [claim])
  }
})
