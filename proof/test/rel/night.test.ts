import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { longOutage } from "../../src/rel/longOutage.ts"
import { nightWith } from "../../src/rel/night.ts"
import { onStore } from "../../src/rel/Run.ts"
import { shortRun, stores } from "./support.ts"

for (const store of stores("sqlite", "postgres").filter((name) => name !== "memory")) {
  it.live(`each incident of a night on call is seen, and mended by one step: ${store}`, () =>
    Effect.gen(function* () {
      const options = shortRun(20, store)
      const { figures, misses } = yield* nightWith(options, ["secret", "disk", "handler"])
      expect(misses).toEqual([])
      expect(Object.keys(figures)).toContain(`${store}.handler.mendedMs`)
    })
  )

  it.live(`an outage passes in virtual time, and the read budget bounds its reads: ${store}`, () =>
    Effect.gen(function* () {
      const { figures, misses } = yield* onStore(store, shortRun(40, store), (part) =>
        longOutage(part, 20_000)
      )
      expect(misses).toEqual([])
      expect(figures["mostReadsPerSecond"]).toBeGreaterThan(5)
    })
  )
}
