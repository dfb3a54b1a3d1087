import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { clockWith } from "../../src/rel/clock.ts"
import { shortRun, stores } from "./support.ts"

it.live("clocks that are set and a receiver that is stopped mislead no consumer (R27, R28)", () =>
  Effect.gen(function* () {
    // Processes take seconds to start, so only one store is used.
    const store = stores("sqlite", "postgres").at(-1) ?? "sqlite"
    const { figures, misses } = yield* clockWith({
      ...shortRun(4, store),
      slow: 1500,
      wait: 500,
      pauseTime: 1000
    })
    expect(misses).toEqual([])
    expect(figures[`${store}.answered200`]).toBeGreaterThan(200)
    expect(figures[`${store}.pause`]).toBeGreaterThan(0)
    expect(figures[`${store}.effects`]).toBeGreaterThan(50)
  })
)
