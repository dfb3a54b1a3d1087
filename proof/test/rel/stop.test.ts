import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { stop } from "../../src/rel/stop.ts"
import { shortRun } from "./support.ts"

it.live("R47: two stops reset none of twelve senders", () =>
  Effect.gen(function* () {
    const { figures, misses } = yield* stop.make(shortRun(2, "sqlite"))
    expect(misses).toEqual([])
    expect(figures["sqlite.answered200"]).toBeGreaterThan(24)
  })
)
