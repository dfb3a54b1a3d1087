import {
  isCharged,
  isSubscriptionStatus,
  put,
  remove,
  subscriptionStatuses
} from "@pawl/core/SubscriptionStatus"
import { statuses } from "@pawl/core/Status"
import { expect, it } from "vitest"

it("a subscription moves by PUT from any status but CANCELED", () => {
  for (const from of subscriptionStatuses) {
    for (const to of ["ACTIVE", "PAUSED", "CANCELED"] as const) {
      expect(put(from, to)).toBe(from === "CANCELED" ? undefined : to)
    }
  }
})

it("a subscription is canceled by DELETE from any status", () => {
  expect(subscriptionStatuses.map(remove)).toEqual(subscriptionStatuses.map(() => "CANCELED"))
})

it("only ACTIVE and TRIALING are charged", () => {
  expect(subscriptionStatuses.filter(isCharged)).toEqual(["TRIALING", "ACTIVE"])
})

it("the statuses of a subscription are not those of a transaction, but for PENDING's name", () => {
  expect(statuses.filter(isSubscriptionStatus)).toEqual(["PENDING"])
  expect(isSubscriptionStatus("CANCELLED")).toBe(false)
})
