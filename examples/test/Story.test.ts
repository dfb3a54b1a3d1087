import type { Transition } from "@pawl/core/Handler"
import type { Status } from "@pawl/core/Status"
import { describe, expect, it } from "vitest"
import { faults, faultsOfAll, type Story } from "../src/demo/Story.ts"
import { print, verdict } from "../src/demo/Timeline.ts"

const transition = (from: Status | null, to: Status, confirmed: boolean): Transition => ({
  id: `apm:100001:1:${to}`,
  method: "apm",
  kind: "apm-payment",
  transactionId: "100001",
  requestId: "order-1",
  from,
  to,
  confirmed,
  conflict: null,
  attempt: 1,
  signed: null,
  callback: null
})

const story = (history: ReadonlyArray<Status>, told: ReadonlyArray<Transition>): Story => ({
  truth: {
    transactionId: "100001",
    kind: "apm-payment",
    status: history.at(-1) ?? "NEW",
    isOver: true,
    requestId: "order-1",
    accountId: "4711",
    amount: "10.00",
    currency: "EUR",
    createdTime: "2026-01-01T00:00:00.000Z",
    history: history.map((status) => ({ status, at: "2026-01-01T00:00:00.000Z" }))
  },
  entries: history.map((claim, index) => ({
    _tag: "Accepted",
    claim,
    isNew: true,
    at: index * 100,
    method: "apm",
    transactionId: "100001"
  })),
  deliveries: [],
  accepted: 0,
  told
})

const right = story(
  ["NEW", "SUCCEED"],
  [transition(null, "NEW", false), transition("NEW", "SUCCEED", true)]
)

const delivery = (answer: number) => ({
  id: "1",
  transactionId: "100001",
  status: "SUCCEED" as const,
  at: "2026-01-01T00:00:00.000Z",
  attempt: 1,
  answer,
  forged: false
})

describe("the demo's verdict", () => {
  it("finds nothing wrong with the truth, told in order", () => {
    expect(faults(right)).toEqual([])
    expect(faultsOfAll([right], 1, right.told)).toEqual([])
    expect(verdict(1, [])).toContain("All 1 transactions ended right.")
  })

  it.each([
    [
      "a final status the service never had",
      story(["NEW", "FAILED"], [transition(null, "SUCCEED", true)])
    ],
    [
      "an unconfirmed final status",
      story(["NEW", "SUCCEED"], [transition(null, "SUCCEED", false)])
    ],
    ["another end than the service's", story(["NEW", "SUCCEED"], [transition(null, "NEW", true)])],
    ["nothing at all", story(["NEW"], [])],
    ["a callback that was not taken in", { ...right, deliveries: [delivery(503)], accepted: 1 }],
    ["a callback that was answered and not stored", { ...right, deliveries: [delivery(200)] }],
    [
      "a status told twice",
      story(
        ["NEW", "SUCCEED"],
        [transition(null, "SUCCEED", true), transition("SUCCEED", "SUCCEED", true)]
      )
    ],
    [
      "a rank below one told before",
      story(
        ["NEW", "SUCCEED", "NEW"],
        [transition(null, "SUCCEED", true), transition("SUCCEED", "NEW", true)]
      )
    ],
    ["a callback that is still to come", { ...right, entries: right.entries.slice(1) }],
    ["one that still moves", { ...right, truth: { ...right.truth, isOver: false } }]
  ])("finds fault with %s", (_what, wrong) => {
    const [first = ""] = faults(wrong)
    expect(faultsOfAll([wrong], 1, wrong.told)).toContain(`100001: ${first}`)
    expect(print([wrong])).toContain(`✗ ${first}`)
  })

  it("finds fault with what is told of a transaction that there is not", () => {
    const stranger = { ...transition(null, "SUCCEED", true), transactionId: "4" }
    expect(faultsOfAll([right], 1, [...right.told, stranger])).toEqual([
      "4: SUCCEED was told, and there is no such one"
    ])
  })

  it("finds fault with a charge too many", () => {
    expect(faultsOfAll([right], 0, right.told)).toEqual([
      "there are 1 transactions, and 0 were to be"
    ])
  })
})

it("says what happened in lanes, a time once, and counts what came again", () => {
  const at = (entry: Story["entries"][number], time: number) => ({ ...entry, at: time })
  const [first, second] = right.entries
  if (first === undefined || second === undefined) throw new Error("There are two")
  const entries = [first, at(first, 10), at(second, 20), at(second, 1500)]
  expect(print([{ ...right, entries }])).toBe(`Payments: 1 of 1 right

100001  succeed  order-1  ✓ right
  service      NEW → SUCCEED
  callbacks    0.0 NEW ×2, SUCCEED ×2
`)
})
