import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { slowWith } from "../../src/rel/slow.ts"
import { shortRun } from "./support.ts"

it.live("unrelated transactions are told while reads hang (R34)", () =>
  Effect.gen(function* () {
    const { figures, misses } = yield* slowWith({
      ...shortRun(100, "sqlite"),
      parts: ["polls", "claims"],
      isTimed: false
    })
    expect(misses).toEqual([])
    expect(figures["sqlite.claims.hangingReads"]).toBe(24)
  })
)
