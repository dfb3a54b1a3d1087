import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { follow } from "../../src/rel/poll.ts"
import { shortRun } from "./support.ts"

it.live(
  "reads find every status at the times of the poll ladder, without a callback (R17, R18, P1, P2)",
  () =>
    Effect.gen(function* () {
      const { figures, misses } = yield* follow(shortRun(250))
      expect(misses).toEqual([])
      expect(figures.refundedFound).toBeGreaterThan(10)
      expect(figures.chargebackFound).toBeGreaterThan(10)
    })
)

it.live("a poll ladder with other gaps, and one without reads, cause misses", () =>
  Effect.gen(function* () {
    for (const gap of [Duration.minutes(6), Duration.days(400)]) {
      const { misses } = yield* follow(shortRun(50), { pollIntervals: [gap] })
      expect(misses.length).toBeGreaterThan(10)
    }
  })
)
