import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { owner } from "../../src/rel/owner.ts"
import { shortRun } from "./support.ts"

it.live("sends nothing from a store of another merchant, nor from a row that was changed", () =>
  Effect.gen(function* () {
    const { figures, misses } = yield* owner.make(shortRun(5, "sqlite", "postgres"))
    expect(misses).toEqual([])
    expect(figures["sqlite.refused"]).toBe(2)
    expect(figures["sqlite.parked"]).toBe(3)
  })
)
