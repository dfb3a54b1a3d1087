import * as Effect from "effect/Effect"
import { MinimumLogLevel } from "effect/References"
import { expect, it } from "vitest"
import { foreign } from "../../src/rel/merchants.ts"
import { start } from "../../src/rel/merchants/World.ts"
import { holds, shortRun } from "./support.ts"

const run = (secretOf?: () => string) =>
  Effect.flatMap(start({ _tag: "memory", url: "memory" }, secretOf), (world) =>
    foreign(world, shortRun(400, "memory"))
  ).pipe(Effect.scoped, Effect.provideService(MinimumLogLevel, "None"))

holds(
  "callbacks that another merchant signed are never accepted, and genuine ones are",
  run(),
  (figures) => {
    expect(figures).toMatchObject({ accepted: 0, genuine: 100, ledgersWithRows: 0 })
    expect(figures["answered400"]).toBeGreaterThan(50)
    expect(figures["answered401"]).toBeGreaterThan(200)
  }
)

it("callbacks that another merchant signed are accepted where all merchants have one secret", async () => {
  const { figures, misses } = await Effect.runPromise(run(() => "common secret"))
  expect(misses.join()).toContain("was answered 200")
  expect(figures["ledgersWithRows"]).toBeGreaterThan(50)
})
