import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { follow } from "../../src/rel/poll.ts"
import { short } from "./support.ts"

it.live(
  "settles operations without a callback at the instants of the ladder (R17, R18, P1, P2)",
  () =>
    Effect.gen(function* () {
      const { figures, misses } = yield* follow(short(500))
      expect(misses).toEqual([])
      expect(figures.refundedFound).toBeGreaterThan(10)
      expect(figures.chargebackFound).toBeGreaterThan(10)
    })
)

it.live("finds out a ladder with other gaps, and one that is off", () =>
  Effect.gen(function* () {
    for (const gap of [Duration.minutes(6), Duration.days(400)]) {
      const { misses } = yield* follow(short(50), { pollGaps: [gap] })
      expect(misses.length).toBeGreaterThan(10)
    }
  })
)
