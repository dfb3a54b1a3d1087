import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deployWith } from "../../src/rel/deploy.ts"
import { shortRun } from "./support.ts"

it.live("no call begins during another one over 2 restarts with slow calls (R25)", () =>
  Effect.gen(function* () {
    const { figures, misses } = yield* deployWith({
      ...shortRun(2, "sqlite"),
      slow: 1500,
      tooSlow: undefined
    })
    expect(misses).toEqual([])
    expect(figures["sqlite.answered200"]).toBeGreaterThan(100)
    expect(figures["sqlite.repeated"]).toBe(0)
  })
)
