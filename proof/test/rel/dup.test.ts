import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { dup } from "../../src/rel/dup.ts"
import { shortRun } from "./support.ts"

it.live("calls the handler once for a callback that comes 300 times (R13)", () =>
  Effect.gen(function* () {
    const { figures, misses } = yield* dup.make(shortRun(300, "sqlite"))
    expect(misses).toEqual([])
    expect(figures["sqlite.handlerCalls"]).toBe(1)
  })
)
