import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { descriptorsWith } from "../../src/rel/descriptors.ts"
import { shortRun } from "./support.ts"

it.live("A40: 700 connections of one byte under 256 descriptors keep no callback out", () =>
  Effect.gen(function* () {
    const { figures, misses } = yield* descriptorsWith(shortRun(40, "sqlite"), [256], 700)
    expect(misses).toEqual([])
    expect(figures["256.callbacks"]).toBe(40)
    expect(figures["256.closed"]).toBeGreaterThan(400)
  })
)
