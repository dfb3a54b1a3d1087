import { forAll } from "@pawl/test-support/Properties"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import * as Courier from "../src/Courier.ts"
import * as Gateway from "../src/Gateway.ts"
import * as Scenario from "../src/Scenario.ts"
import { create, Receiver, run, stories } from "@pawl/test-support/TestGateway"
import { repeats } from "@pawl/test-support/Repeats"

const delivered = (
  scenario: string,
  seed: number | undefined,
  horizon: "1 minute" | "1 day" = "1 minute"
) =>
  run(
    function* () {
      yield* create({ scenario })
      yield* TestClock.adjust(horizon)
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
