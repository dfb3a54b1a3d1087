import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { nightWith } from "../../src/rel/night.ts"
import { shortRun } from "./support.ts"

it.live("each incident of a night on call is seen, and mended by one step", () =>
  Effect.gen(function* () {
    const { figures, misses } = yield* nightWith(shortRun(20, "sqlite"), ["secret", "handler"])
    expect(misses).toEqual([])
    expect(Object.keys(figures)).toContain("handler.mendedMs")
  })
)
