import { forAll } from "@pawl/test-support/Properties"
import { advance, isStatus, isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isSubscriptionStatus, subscriptionStatuses } from "@pawl/core/Subscription"

const fold = (arrived: ReadonlyArray<Status>) =>
  arrived.reduce<Status | undefined>(
    (stored, incoming) => advance(stored, incoming).status,
    undefined
  )

describe("advance", () => {
  it("applies any first status", () => {
    for (const first of statuses) {
      expect(advance(undefined, first)).toEqual({ status: first, outcome: "advanced" })
    }
  })

  it("distinguishes repeated, late and tied", () => {
    expect(advance("SUCCEED", "SUCCEED").outcome).toBe("repeated")
    expect(advance("SUCCEED", "PROCESSING").outcome).toBe("late")
    expect(advance("SUCCEED", "FAILED").outcome).toBe("tied")
    expect(advance("PROCESSING", "CUSTOMER_VERIFICATION").outcome).toBe("tied")
  })

  it("ends differently by arrival order for 20 of the 255 sets of documented statuses, 16 of them SUCCEED against FAILED", () => {
    const documented = statuses.filter((each) => each !== "CANCELLED")
    const sets = Array.from({ length: 255 }, (_, index) =>
      documented.filter((_, bit) => ((index + 1) & (1 << bit)) !== 0)
    )
    const ambiguous = sets.filter((set) => fold(set) !== fold(set.toReversed()))
    const top = (set: ReadonlyArray<Status>) => Math.max(...set.map(rank))
    expect(ambiguous).toHaveLength(20)
    expect(ambiguous.filter((set) => top(set) === 10)).toHaveLength(16)
  })
})

const others = fc
  .oneof(fc.string(), fc.constantFrom("SETTLED", "constructor", "__proto__", "toString", ""))
  .filter((text) => !isStatus(text))

it("text that is none of the nine ranks below every status, is never terminal, and never advances", () =>
  forAll([others, fc.constantFrom(...statuses)], (text, stored) => {
    const other = text as Status
    expect(rank(other)).toBe(0)
    expect(isTerminal(other)).toBe(false)
    expect(advance(stored, other)).toEqual({ status: stored, outcome: "late" })
  }))

it("subscriptions and transactions share only the status name PENDING", () => {
  expect(statuses.filter(isSubscriptionStatus)).toEqual(["PENDING"])
  expect(isSubscriptionStatus("CANCELLED")).toBe(false)
})

it("a subscription has one of five statuses", () => {
  expect(subscriptionStatuses).toEqual(["PENDING", "TRIALING", "ACTIVE", "PAUSED", "CANCELED"])
})
