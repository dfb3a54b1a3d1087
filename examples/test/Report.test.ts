import type { Transition } from "@pawl/core/Handler"
import type { Status } from "@pawl/core/Status"
import { transition as firstTransition } from "@pawl/test-support/Service"
import { describe, expect, it } from "vitest"
import { problems, problemsOfAll, type Report } from "../src/demo/Report.ts"
import { print, verdict } from "../src/demo/Timeline.ts"
import * as UsualHandler from "../src/demo/UsualHandler.ts"

const transition = (from: Status | null, to: Status, confirmed: boolean): Transition => ({
  ...firstTransition,
  from,
  to,
  confirmed
})

const report = (history: ReadonlyArray<Status>, told: ReadonlyArray<Transition>): Report => ({
  transaction: {
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

const right = report(
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
  it("finds no problem when the true statuses are told in order", () => {
    expect(problems(right)).toEqual([])
    expect(problemsOfAll([right], 1, right.told)).toEqual([])
    expect(verdict(1, [])).toContain("All 1 transactions ended right.")
  })

  it.each([
    [
      "a final status that the service never had",
      report(["NEW", "FAILED"], [transition(null, "SUCCEED", true)])
    ],
    [
      "an unconfirmed final status",
      report(["NEW", "SUCCEED"], [transition(null, "SUCCEED", false)])
    ],
    [
      "another final status than the service's",
      report(["NEW", "SUCCEED"], [transition(null, "NEW", true)])
    ],
    ["a transaction that is not told", report(["NEW"], [])],
    ["a callback that was not accepted", { ...right, deliveries: [delivery(503)], accepted: 1 }],
    ["a callback that got a 200 and was not stored", { ...right, deliveries: [delivery(200)] }],
    [
      "a status told twice",
      report(
        ["NEW", "SUCCEED"],
        [transition(null, "SUCCEED", true), transition("SUCCEED", "SUCCEED", true)]
      )
    ],
    [
      "a rank below one told before",
      report(
        ["NEW", "SUCCEED", "NEW"],
        [transition(null, "SUCCEED", true), transition("SUCCEED", "NEW", true)]
      )
    ],
    ["a callback that has not arrived", { ...right, entries: right.entries.slice(1) }],
    [
      "a transaction that is not over",
      { ...right, transaction: { ...right.transaction, isOver: false } }
    ]
  ])("finds a problem in %s", (_name, wrong) => {
    const [first = ""] = problems(wrong)
    expect(problemsOfAll([wrong], 1, wrong.told)).toContain(`100001: ${first}`)
    expect(print([wrong])).toContain(`✗ ${first}`)
  })

  it("finds a problem in a transition of a transaction that does not exist", () => {
    const unknown = { ...transition(null, "SUCCEED", true), transactionId: "4" }
    expect(problemsOfAll([right], 1, [...right.told, unknown])).toEqual([
      "4: SUCCEED was delivered, but the service has no such transaction"
    ])
  })

  it("finds a problem in a wrong number of transactions", () => {
    expect(problemsOfAll([right], 0, right.told)).toEqual(["there are 1 transactions instead of 0"])
  })
})

it("prints one line for each kind of event, each time once, and counts repeats", () => {
  const at = (entry: Report["entries"][number], time: number) => ({ ...entry, at: time })
  const [first, second] = right.entries
  if (first === undefined || second === undefined) throw new Error("The report has two entries")
  const entries = [first, at(first, 10), at(second, 20), at(second, 1500)]
  expect(print([{ ...right, entries }])).toBe(`Payments: 1 of 1 right

100001  order-1  succeeds  ✓ right
  service      NEW → SUCCEED
  callbacks    0.0 NEW ×2, SUCCEED ×2
`)
})

describe("the usual handler", () => {
  const of = (
    kind: Report["transaction"]["kind"],
    actual: Status,
    claims: ReadonlyArray<Status>
  ) => {
    const { entries, transaction, ...rest } = report(claims, [])
    return UsualHandler.outcomeOf({
      ...rest,
      entries,
      transaction: { ...transaction, kind, status: actual }
    })
  }

  it.each([
    ["card-payment", "SUCCEED", ["SUCCEED", "NEW"], "SUCCEED", undefined],
    ["card-payment", "SUCCEED", ["NEW"], "NEW", "never ships a paid order"],
    ["card-payment", "SUCCEED", ["FAILED", "SUCCEED"], "FAILED", "cancels a paid order"],
    ["card-payment", "FAILED", ["SUCCEED", "FAILED"], "SUCCEED", "ships an unpaid order"],
    ["card-payment", "CHARGEBACK", ["SUCCEED"], "SUCCEED", "misses that the money went back"],
    ["card-payment", "PENDING", ["SUCCEED"], "SUCCEED", "ends an order that is still open"],
    ["apm-payout", "SUCCEED", ["FAILED"], "FAILED", "pays twice"],
    ["refund", "FAILED", ["SUCCEED"], "SUCCEED", "books money that never left"],
    ["card-payment", "PROCESSING", ["PENDING"], "PENDING", undefined]
  ] as const)(
    "of a %s that is %s after %j believes %s: %s",
    (kind, actual, claims, believed, mistake) => {
      const cents = mistake === undefined ? 0 : 1000
      expect(of(kind, actual, claims)).toEqual({ believed, mistake, cents })
    }
  )

  it.each([
    ["card-payment", "CANCELLED", []],
    ["card-payout", "SUCCEED", ["NEW"]]
  ] as const)("waits for ever at no cost for a %s that is %s after %j", (kind, actual, claims) => {
    expect(of(kind, actual, claims)).toMatchObject({ mistake: "waits for ever", cents: 0 })
  })

  it("is summed up under its table", () => {
    const table = UsualHandler.print([right, { ...right, entries: [] }])
    expect(table).toContain("1 of 2 transactions wrong, at a cost of 10.00 EUR:")
    expect(table).toContain("  1 × never ships a paid order, 10.00 EUR")
  })
})
