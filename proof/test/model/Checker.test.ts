import { expect, it } from "vitest"
import { check } from "../../src/model/Checker.ts"
import { machine } from "../../src/model/Protocol.ts"
import { law, mutants, type Rule, type Scope } from "../../src/model/Rules.ts"

const paid: Scope = { path: ["SUCCEED"], forged: ["CHARGEBACK"], faults: 1 }
const changed: Scope = { path: ["FAILED", "SUCCEED"], forged: [], faults: 0 }

it("every invariant holds in every state of the model, and every end is told", () => {
  for (const scope of [paid, changed]) {
    const { broken, states } = check(machine(scope))
    expect(broken).toBeUndefined()
    expect(states).toBeGreaterThan(1000)
  }
}, 120_000)

it("the model makes every kind of step", () => {
  const { stepNames } = check(machine(paid))
  for (const name of [
    "the shop crashes during the exchange",
    "every callback with SUCCEED is lost",
    "a forged callback with CHARGEBACK arrives",
    "the receiver of a callback with SUCCEED dies",
    "a worker stalls",
    "a stalled worker goes on",
    "a worker that lost its lease stops",
    "the commit of SUCCEED is refused",
    "the process of a worker is killed",
    "the lease runs out",
    "the service states an old status",
    "the service does not answer a read",
    "the handler fails at SUCCEED",
    "a worker parks the row at SUCCEED",
    "a person redrives the dead letter",
    "a worker finds nothing and sleeps",
    "a worker releases the row, and one more read is planned"
  ])
    expect(stepNames).toContain(name)
}, 120_000)

/** Mutants whose goal is checked in more than 20,000 states. `rel model` has them. */
const large = new Set(["readsUnasked", "watches", "keepsDue", "asksAgain", "redriveIsDue"])

for (const [rule, { breaks, mutant, scope }] of Object.entries(mutants)) {
  if (large.has(rule)) continue
  it(`a mutant is caught: ${mutant}`, () => {
    const { broken } = check(machine({ ...scope, without: rule as Rule }))
    expect(broken?.name).toBe(breaks)
    expect(broken?.path.length).toBeGreaterThan(3)
  }, 120_000)
}

it("every invariant and the goal have a mutant that breaks them", () => {
  const { goal, invariants } = machine(paid)
  const broken = new Set(Object.values(mutants).map(({ breaks }) => breaks))
  expect([...broken].toSorted()).toEqual([...Object.keys(invariants), goal].toSorted())
  expect(new Set(Object.values(law))).toEqual(broken)
})
