import { expect } from "vitest"
import { descriptors } from "../../src/rel/descriptors.ts"
import { holds, shortRun } from "./support.ts"

holds(
  "A40: 700 connections of one byte under 256 descriptors keep no callback out",
  descriptors.make(shortRun(40, "sqlite"), [256], 700),
  (figures) => {
    expect(figures["256.callbacks"]).toBe(40)
    expect(figures["256.closed"]).toBeGreaterThan(400)
  }
)
