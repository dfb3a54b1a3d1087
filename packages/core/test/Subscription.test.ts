import { statuses } from "@pawl/core/Status"
import { isSubscriptionStatus, subscriptionStatuses } from "@pawl/core/Subscription"
import { expect, it } from "vitest"

it("subscriptions and transactions share only the status name PENDING", () => {
  expect(statuses.filter(isSubscriptionStatus)).toEqual(["PENDING"])
  expect(isSubscriptionStatus("CANCELLED")).toBe(false)
})

it("a subscription has one of five statuses", () => {
  expect(subscriptionStatuses).toEqual(["PENDING", "TRIALING", "ACTIVE", "PAUSED", "CANCELED"])
})
