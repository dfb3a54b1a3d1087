/**
 * Measures reducing one callback into the state of a transaction. The floor is the documented rule
 * in plain code, with immutable records.
 */
import * as Evidence from "@pawl/core/Evidence"
import { type Status, statuses } from "@pawl/core/Status"
import { createMachine, interpret, type Machine, state, transition } from "robot3"
import { createActor, createMachine as createStates, transition as next } from "xstate"
import { type Bench, type Costs, measure, type Variant } from "./harness.ts"

interface History {
  readonly statuses: ReadonlyArray<Status>
  readonly end: Status
}

const histories: ReadonlyArray<History> = [
  { statuses: ["NEW", "PENDING", "PROCESSING", "SUCCEED"], end: "SUCCEED" },
  { statuses: ["PENDING", "NEW", "FAILED", "FAILED", "PROCESSING"], end: "FAILED" },
  { statuses: ["NEW", "CUSTOMER_VERIFICATION", "SUCCEED", "PENDING"], end: "SUCCEED" },
  { statuses: ["SUCCEED", "NEW", "REFUNDED", "PENDING", "SUCCEED"], end: "REFUNDED" },
  { statuses: ["NEW", "NEW", "PENDING", "CANCELLED"], end: "CANCELLED" },
  { statuses: ["PROCESSING", "SUCCEED", "CHARGEBACK", "REFUNDED"], end: "CHARGEBACK" }
]
const callbacks = histories.reduce((sum, { statuses }) => sum + statuses.length, 0)

const rank = (status: Status): number => {
  switch (status) {
    case "NEW":
      return 1
    case "PENDING":
      return 2
    case "PROCESSING":
    case "CUSTOMER_VERIFICATION":
      return 3
    case "SUCCEED":
    case "FAILED":
    case "CANCELLED":
      return 10
    case "REFUNDED":
      return 11
    case "CHARGEBACK":
      return 12
  }
}

interface Stored {
  readonly status: Status
  readonly rank: number
  readonly confirmed: boolean
}

const handWritten = ({ statuses }: History): Status | undefined => {
  let stored: Stored | undefined
  for (const status of statuses) {
    const next = rank(status)
    if (stored === undefined || next > stored.rank)
      stored = { status, rank: next, confirmed: false }
  }
  return stored?.status
}

const pawl = ({ statuses }: History): Status | undefined => {
  let evidence = Evidence.none
  let status: Status | undefined
  for (const claim of statuses) {
    evidence = Evidence.join(evidence, Evidence.claimed(claim))
    status = Evidence.standing(evidence, undefined, "never").status
  }
  return status
}

const later = (from: Status | undefined) =>
  statuses.filter((status) => from === undefined || rank(status) > rank(from))
const states = [undefined, ...statuses]

const robot: Machine<any, any, any, any> = createMachine(
  "none",
  Object.fromEntries(
    states.map((from) => [from ?? "none", state(...later(from).map((to) => transition(to, to)))])
  )
)
const robot3 = ({ statuses }: History): string => {
  const service = interpret(robot, () => {})
  for (const status of statuses) service.send(status)
  return service.machine.current
}

const machine = createStates({
  initial: "none",
  states: Object.fromEntries(
    states.map((from) => [
      from ?? "none",
      { on: Object.fromEntries(later(from).map((to) => [to, to])) }
    ])
  )
})
const actor = ({ statuses }: History): unknown => {
  const actor = createActor(machine).start()
  for (const type of statuses) actor.send({ type })
  return actor.getSnapshot().value
}
const initial = createActor(machine).getSnapshot()
const pure = ({ statuses }: History): unknown => {
  let at = initial
  for (const type of statuses) [at] = next(machine, at, { type })
  return at.value
}

const variant = (name: string, fold: (history: History) => unknown): Variant => ({
  name,
  check: () => {
    for (const history of histories) {
      const end = fold(history)
      if (end !== history.end) throw new Error(`${name}: ${history.end}, not ${String(end)}`)
    }
  },
  run: (times) => {
    let right = 0
    for (let time = 0; time < times; time += callbacks) {
      for (const history of histories) if (fold(history) === history.end) right++
    }
    // Keeps the compiler from removing the work.
    if (right === 0) throw new Error(name)
  }
})

export const reducer: Bench = {
  what: "one callback reduced into the state of a transaction",
  floor: "hand-written",
  goals: [
    { variant: "pawl", against: "robot3", atMost: 1 / 20 },
    { variant: "pawl", against: "XState, pure transition", atMost: 1 / 300 }
  ],
  run: (): Promise<Costs> =>
    measure(
      [
        variant("hand-written", handWritten),
        variant("pawl", pawl),
        variant("robot3", robot3),
        variant("XState, pure transition", pure),
        variant("XState, actor", actor)
      ],
      { synchronous: true }
    )
}
