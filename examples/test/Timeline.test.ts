import type { Transition } from "@pawl/core/Handler"
import type { Status } from "@pawl/core/Status"
import { describe, expect, it } from "vitest"
import { faults, type Story, verdict } from "../src/demo/Timeline.ts"

const transition = (from: Status | null, to: Status, confirmed: boolean): Transition => ({
  id: `apm:100001:1:${to}`,
  method: "apm",
  kind: "apm-payment",
  transactionId: "100001",
  from,
  to,
  confirmed,
  conflict: null,
  attempt: 1,
  signed: null,
  callback: null
})

const story = (history: ReadonlyArray<Status>, told: ReadonlyArray<Transition>): Story => ({
  scenario: "succeed",
  answer: "NEW",
  startedAt: 0,
  answeredAt: 0,
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
  entries: [],
  deliveries: [],
  accepted: 0,
  told
})

const right = story(["NEW", "SUCCEED"], [transition(null, "SUCCEED", true)])

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
    const right = story(
      ["NEW", "SUCCEED"],
      [transition(null, "NEW", false), transition("NEW", "SUCCEED", true)]
    )
    expect(faults(right)).toEqual([])
    expect(verdict([right])).toContain("All 1 transactions ended right.")
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
    ]
  ])("finds fault with %s", (_what, wrong) => {
    expect(faults(wrong)).not.toEqual([])
    expect(verdict([wrong])).toContain("1 of 1 transactions ended wrong: 100001")
  })
})
