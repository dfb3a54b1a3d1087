import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MinimumLogLevel } from "effect/References"
import { foreign } from "../../src/rel/merchants.ts"
import { start } from "../../src/rel/merchants/World.ts"
import { shortRun } from "./support.ts"

const memory = { _tag: "memory", url: "memory" } as const
const options = { ...shortRun(400), stores: ["memory" as const] }

describe("callbacks that another merchant signed", () => {
  it.live("are never accepted, and genuine ones are", () =>
    Effect.gen(function* () {
      const { figures, misses } = yield* foreign(yield* start(memory), options)
      expect(misses).toEqual([])
      expect(figures).toMatchObject({ accepted: 0, genuine: 100, ledgersWithRows: 0 })
      expect(figures["answered400"]).toBeGreaterThan(50)
      expect(figures["answered401"]).toBeGreaterThan(200)
    }).pipe(Effect.provideService(MinimumLogLevel, "None"))
  )

  it.live("are accepted where all merchants have one secret", () =>
    Effect.gen(function* () {
      const world = yield* start(memory, () => "common secret")
      const { figures, misses } = yield* foreign(world, options)
      expect(misses.join()).toContain("was answered 200")
      expect(figures["ledgersWithRows"]).toBeGreaterThan(50)
    }).pipe(Effect.provideService(MinimumLogLevel, "None"))
  )
})
