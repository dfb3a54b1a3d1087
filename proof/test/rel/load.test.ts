/** Runs whose receiver is flooded, or waits for others. */
import { expect } from "vitest"
import { descriptors } from "../../src/rel/descriptors.ts"
import { flood } from "../../src/rel/flood.ts"
import { slow } from "../../src/rel/slow.ts"
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

holds(
  "unrelated transactions are told while reads hang (R34)",
  slow.make({ ...shortRun(100, "sqlite"), parts: ["polls", "claims"], isTimed: false }),
  (figures) => expect(figures["sqlite.claims.hangingReads"]).toBe(24)
)

holds(
  "A40: 700 connections of one byte under 256 descriptors keep no callback out",
  descriptors.make(shortRun(40, "sqlite"), [256], 700),
  (figures) => {
    expect(figures["256.callbacks"]).toBe(40)
    expect(figures["256.closed"]).toBeGreaterThan(400)
  }
)
