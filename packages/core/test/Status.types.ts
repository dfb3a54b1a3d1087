/**
 * Two vocabularies that look alike are not one: a transaction is CANCELLED, a subscription CANCELED.
 */
import { advance, type Status } from "@pawl/core/Status"
import type { SubscriptionStatus } from "@pawl/core/SubscriptionStatus"
import type { OpenStatus } from "@pawl/core/Transaction"

export const cancelled: Status = "CANCELLED"
export const canceled: SubscriptionStatus = "CANCELED"

// @ts-expect-error: spelled with one L it is the status of a subscription
export const misspelt: Status = "CANCELED"

// @ts-expect-error: spelled with two it is the status of a transaction
export const misspeltToo: SubscriptionStatus = "CANCELLED"

/** A text nobody knows yet travels, and does not come to stand. */
export const unknown: OpenStatus = "SETTLED"

// @ts-expect-error: what may be unknown has no rank
export const advanced = advance("NEW", unknown)
