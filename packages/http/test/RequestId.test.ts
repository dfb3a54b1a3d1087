import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "vitest"
import * as Pawl from "../src/Pawl.ts"

it("a requestId is a UUIDv7: the time of the clock, and never the same twice", async () => {
  const now = 0x0191_2345_6789
  const ids = await TestClock.setTime(now).pipe(
    Effect.andThen(Effect.replicateEffect(Pawl.makeRequestId, 1000)),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )
  for (const id of ids)
    expect(id).toMatch(/^01912345-6789-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
  expect(new Set(ids).size).toBe(1000)
})
