import { expect, it } from "vitest"
import * as OutageChecker from "../../src/simulation/OutageChecker.ts"
import type { Plan } from "../../src/simulation/Plan.ts"

const hour = 3_600_000

/** Judges an end that was reached after 2 hours, and told at a time. */
const judge = (
  outages: ReadonlyArray<{ readonly from: number; readonly to: number }>,
  toldAt: number
): ReadonlyArray<string> => {
  const violations: Array<string> = []
  const plan: Plan = {
    seed: 1,
    quietAt: 0,
    skews: {} as never,
    operations: [],
    faults: [],
    forgeries: []
  }
  const trace = { violation: (invariant: string) => void violations.push(invariant) }
  const checker = OutageChecker.make(trace as never, plan)
  for (const { from, to } of outages) checker.outage(from, to)
  checker.end("apm-payment 1", { acceptedAt: 0, reachedAt: 2 * hour, toldAt })
  return violations
}

const first = { from: hour, to: 4 * hour }

it("breaks P4 if it is told an hour after the outage", () => {
  expect(judge([first], 4 * hour + 1)).toEqual([])
  expect(judge([first], 5 * hour)).toEqual(["P4"])
})

it("may be told after the last of several outages that overlap (seed 1519543103)", () => {
  const second = { from: 1.5 * hour, to: 6 * hour }
  expect(judge([first, second], 6 * hour + 1)).toEqual([])
  expect(judge([first, second], 7 * hour)).toEqual(["P4"])
})
