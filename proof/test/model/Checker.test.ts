import { expect, it } from "vitest"
import { check } from "../../src/model/Checker.ts"
import { mutants, type Scope, settingOf } from "../../src/model/Mutants.ts"
import { goal, invariants } from "../../src/model/Protocol.ts"

const paid: Scope = { path: ["SUCCEED"], forged: ["CHARGEBACK"], faults: 1 }
const changed: Scope = { path: ["FAILED", "SUCCEED"], forged: [], faults: 0 }

it("every invariant holds in every state of the model, and every end is told", () => {
  for (const scope of [paid, changed]) {
    const { broken, states } = check(settingOf(scope), scope.faults)
    expect(broken).toBeUndefined()
    expect(states).toBeGreaterThan(1000)
  }
}, 120_000)

it("the model makes every kind of step", () => {
  const { stepNames } = check(settingOf(paid), 1)
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
    "a person redrives the dead letter"
  ])
    expect(stepNames).toContain(name)
}, 120_000)

const large = new Set(["no reads follow an end", "the status is read only after a claim"])

for (const [name, { breaks, change, scope }] of Object.entries(mutants)) {
  if (large.has(name)) continue
  it(`a mutant is caught: ${name}`, () => {
    const { broken } = check(settingOf(scope, change), scope.faults)
    expect(broken?.name).toBe(breaks)
    expect(broken?.path.length).toBeGreaterThan(3)
  }, 120_000)
}

it("every invariant and the goal have a mutant that breaks them", () => {
  const broken = new Set(Object.values(mutants).map(({ breaks }) => breaks))
  expect([...broken].toSorted()).toEqual([...Object.keys(invariants), goal].toSorted())
})
