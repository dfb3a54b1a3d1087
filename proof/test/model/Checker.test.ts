import { expect, it } from "vitest"
import { check, type Faulty, type Machine, type Mutants } from "../../src/model/Checker.ts"
import { mutants } from "../../src/model/Models.ts"
import * as Protocol from "../../src/model/Protocol.ts"
import * as RequestRules from "../../src/model/RequestRules.ts"
import * as Requests from "../../src/model/Requests.ts"
import * as Rules from "../../src/model/Rules.ts"
import * as Store from "../../src/model/Store.ts"

const paid: Rules.Scope = { path: ["SUCCEED"], forged: ["CHARGEBACK"], faults: 1 }
const changed: Rules.Scope = { path: ["FAILED", "SUCCEED"], forged: [], faults: 0 }
const refused: RequestRules.Scope = { isLimited: true, refuses: true, faults: 0 }
const faulty: RequestRules.Scope = { isLimited: false, refuses: false, faults: 1 }

const names = new Set<string>()
const holds = <State extends Faulty>(machine: Machine<State>, leastStates: number) => {
  const { broken, states, stepNames } = check(machine)
  expect(broken).toBeUndefined()
  expect(states).toBeGreaterThan(leastStates)
  for (const name of stepNames) names.add(name)
}

it("every invariant of the three models holds in every state, and the models make every kind of step", () => {
  holds(Protocol.machine(paid), 1000)
  holds(Protocol.machine(changed), 1000)
  holds(Requests.machine(refused), 3000)
  holds(Requests.machine(faulty), 10_000)
  holds(Store.machine({ times: 2, faults: 2 }), 1000)
  holds(Store.machine({ times: 1, faults: 3 }), 100)
  for (const name of [
    "every callback with SUCCEED is lost",
    "arrived CHARGEBACK",
    "no answer to SUCCEED",
    "a worker finds nothing and sleeps",
    "a worker stalls",
    "a stalled worker goes on",
    "a worker that lost its lease stops",
    "the commit of SUCCEED is refused",
    "receiver 0 ended",
    "the store gave worker 0 no answer",
    "the time of a lease passed",
    "the service states an old status",
    "the service does not answer a read",
    "the handler fails at SUCCEED",
    "a worker parks the row at SUCCEED",
    "redriven",
    "a worker releases the row, and one more read is planned",
    "0 restart: leased",
    "0 take over: leased",
    "0 release: due in 0, begun",
    "0 release: nothing",
    "0 begin: nothing",
    "0 park: window",
    "0 settle: Refused",
    "0 settle: expired",
    "0 settle: no-effect",
    "an attempt comes too late",
    "a process is killed",
    "a process stalls",
    "a request without a process arrives",
    "the service forgets the requestId",
    "find: Found",
    "cancel: cancelled",
    "redrive: due in 0, begun"
  ])
    expect([...names]).toContainEqual(expect.stringContaining(name))
  // A person states that nothing happened.
  expect(names).toContain("0 redrive: due in 0")
})

/** Mutants that break their invariant in more than 20,000 states. `rel model` has them. */
const large = new Set<string>([
  "the status is read only after a claim",
  "no reads follow an end",
  "a release forgets that a callback made the row due meanwhile",
  "a repeat of a claim that is not confirmed makes no read due",
  "a redrive makes nothing due",
  "a redrive leaves a row to the worker that has it",
  "a redrive sends a request again after the window"
])

for (const { breaks, check, name } of mutants) {
  if (large.has(name)) continue
  it(`a mutant is caught: ${name}`, () => {
    expect(check().broken?.name).toBe(breaks)
  })
}

it("every invariant and every goal has a mutant that breaks it", () => {
  const brokenBy = (mutants: Mutants<unknown, unknown>) =>
    new Set(Object.values(mutants).map(([breaks]) => breaks))
  const lawsOf = <State>({ invariants }: Machine<State>) =>
    new Set([...Object.keys(invariants), "goal"])
  expect(brokenBy(Rules.mutants)).toEqual(lawsOf(Protocol.machine(paid)))
  expect(brokenBy(RequestRules.mutants)).toEqual(lawsOf(Requests.machine(faulty)))
  expect(brokenBy(Store.mutants)).toEqual(lawsOf(Store.machine({ times: 1, faults: 0 })))
})
