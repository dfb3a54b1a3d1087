import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { follow } from "../../src/rel/poll.ts"
import { holds, shortRun } from "./support.ts"

holds(
  "reads find every status at the times of the poll ladder, without a callback (R17, R18, P1, P2)",
  follow(shortRun(250)),
  (figures) => {
    expect(figures["refundedFound"]).toBeGreaterThan(10)
    expect(figures["chargebackFound"]).toBeGreaterThan(10)
  }
)

it.each([Duration.minutes(6), Duration.days(400)])(
  "a poll ladder with other gaps, or without reads, causes misses: %s",
  async (gap) => {
    const { misses } = await Effect.runPromise(follow(shortRun(50), { pollIntervals: [gap] }))
    expect(misses.length).toBeGreaterThan(10)
  }
)
