import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { archive } from "../../src/rel/archive.ts"
import { shortRun } from "./support.ts"

it.live("loses nothing of transactions that are archived while processes are killed", () =>
  Effect.gen(function* () {
    const { figures, misses } = yield* archive.make(shortRun(5, "sqlite"))
    expect(misses).toEqual([])
    expect(figures["sqlite.killed"]).toBeGreaterThanOrEqual(5)
    expect(figures["sqlite.moved"]).toBeGreaterThan(60)
    expect(figures["sqlite.chargebacks"]).toBeGreaterThan(0)
  }).pipe(Effect.scoped)
)
