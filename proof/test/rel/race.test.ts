import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { race } from "../../src/rel/race.ts"
import { short, stores } from "./support.ts"

it.live("has one effect for each key that 8 processes take at once (R15, R24)", () =>
  Effect.gen(function* () {
    // Eight processes take seconds to start, so there is one store: the one that many machines share.
    const store = stores("sqlite", "postgres").at(-1) ?? "sqlite"
    const { figures, misses } = yield* race.make(short(25, store))
    expect(misses).toEqual([])
    expect(figures).toMatchObject({ [`${store}.processes`]: 8, [`${store}.effects`]: 25 })
  })
)
