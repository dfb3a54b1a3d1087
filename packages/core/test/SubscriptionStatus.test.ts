import {
  isCharged,
  isSubscriptionStatus,
  put,
  remove,
  subscriptionStatuses
} from "@pawl/core/SubscriptionStatus"
import { statuses } from "@pawl/core/Status"
import { expect, it } from "vitest"

it("a PUT changes a subscription in any status but CANCELED", () => {
  for (const from of subscriptionStatuses) {
    for (const to of ["ACTIVE", "PAUSED", "CANCELED"] as const) {
      expect(put(from, to)).toBe(from === "CANCELED" ? undefined : to)
    }
  }
})

it("a DELETE cancels a subscription in any status", () => {
  expect(subscriptionStatuses.map(remove)).toEqual(subscriptionStatuses.map(() => "CANCELED"))
})

it("only ACTIVE and TRIALING subscriptions are charged", () => {
  expect(subscriptionStatuses.filter(isCharged)).toEqual(["TRIALING", "ACTIVE"])
})

it("subscriptions and transactions share only the status name PENDING", () => {
  expect(statuses.filter(isSubscriptionStatus)).toEqual(["PENDING"])
  expect(isSubscriptionStatus("CANCELLED")).toBe(false)
})

it("a subscription has one of five statuses", () => {
  expect(subscriptionStatuses).toEqual(["PENDING", "TRIALING", "ACTIVE", "PAUSED", "CANCELED"])
})
