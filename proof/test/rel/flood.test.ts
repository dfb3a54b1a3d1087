import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { floodWith } from "../../src/rel/flood.ts"
import { shortRun } from "./support.ts"

it.live(
  "tiny chunks, idle sockets and captured callbacks cost no genuine callback and little memory",
  () =>
    Effect.gen(function* () {
      const { figures, misses } = yield* floodWith({ ...shortRun(1000, "sqlite"), isTimed: false })
      expect(misses).toEqual([])
      for (const attack of ["tiny", "forged", "alternating", "captured", "fat"]) {
        expect(figures[`sqlite.${attack}.sent`]).toBeGreaterThan(1)
        expect(figures[`sqlite.${attack}.genuine`]).toBeGreaterThan(0)
      }
      expect(figures["sqlite.tiny.answered413"]).toBeGreaterThan(0)
      expect(figures["sqlite.forged.answered401"]).toBe(1000)
    })
)
