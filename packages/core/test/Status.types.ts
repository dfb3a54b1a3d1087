/** A transaction is CANCELLED, a subscription CANCELED. */
import { advance, type Status } from "@pawl/core/Status"
import type { SubscriptionStatus } from "@pawl/core/Subscription"
import type { OpenStatus } from "@pawl/core/Transaction"

export const cancelled: Status = "CANCELLED"
export const canceled: SubscriptionStatus = "CANCELED"

// @ts-expect-error: with one L it is a status of a subscription
export const misspelt: Status = "CANCELED"

// @ts-expect-error: with two Ls it is a status of a transaction
export const misspeltToo: SubscriptionStatus = "CANCELLED"

/** An unknown text is a valid `OpenStatus`, and not a `Status`. */
export const unknown: OpenStatus = "SETTLED"

// @ts-expect-error: an unknown status has no rank
export const advanced = advance("NEW", unknown)
