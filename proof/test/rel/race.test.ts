import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { raceWith } from "../../src/rel/race.ts"
import { shortRun, stores } from "./support.ts"

it.live("calls the handler once for each key that 3 processes accept at once (R15, R24)", () =>
  Effect.gen(function* () {
    // Processes take seconds to start, so only one store is used.
    const store = stores("sqlite", "postgres").at(-1) ?? "sqlite"
    const { figures, misses } = yield* raceWith({ ...shortRun(25, store), processes: 3 })
    expect(misses).toEqual([])
    expect(figures).toMatchObject({ [`${store}.processes`]: 3, [`${store}.effects`]: 25 })
  })
)
