import { expect } from "vitest"
import { longOutage } from "../../src/rel/longOutage.ts"
import { night } from "../../src/rel/night.ts"
import { onStore } from "../../src/rel/Run.ts"
import { holds, shortRun, stores } from "./support.ts"

for (const store of stores("sqlite", "postgres").filter((name) => name !== "memory")) {
  holds(
    `each incident of a night on call is seen, and mended by one step: ${store}`,
    night.make(shortRun(20, store), ["secret", "disk", "handler"]),
    (figures) => expect(Object.keys(figures)).toContain(`${store}.handler.mendedMs`)
  )

  holds(
    `an outage passes in virtual time, and the read budget bounds its reads (R53): ${store}`,
    onStore(store, shortRun(40, store), (part) => longOutage(part, 20_000)),
    (figures) => expect(figures["mostReadsPerSecond"]).toBeGreaterThan(5)
  )
}
