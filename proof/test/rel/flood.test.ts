import { expect } from "vitest"
import { flood } from "../../src/rel/flood.ts"
import { holds, shortRun } from "./support.ts"

holds(
  "tiny chunks, idle sockets and captured callbacks cost no genuine callback and little memory",
  flood.make({ ...shortRun(1000, "sqlite"), isTimed: false }),
  (figures) => {
    for (const attack of ["tiny", "forged", "alternating", "captured", "fat"]) {
      expect(figures[`sqlite.${attack}.sent`]).toBeGreaterThan(1)
      expect(figures[`sqlite.${attack}.genuine`]).toBeGreaterThan(0)
    }
    expect(figures["sqlite.tiny.answered413"]).toBeGreaterThan(0)
    expect(figures["sqlite.forged.answered401"]).toBe(1000)
  }
)
