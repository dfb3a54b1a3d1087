/**
 * The forms of the state that the control API and the events show. They have no data of customers.
 */
import { withoutUndefined } from "@pawl/testkit/internal/gateway/RequestRules"
import type { Intent } from "@pawl/testkit/internal/gateway/Intent"
import * as PageUrls from "@pawl/testkit/internal/gateway/PageUrls"
import type { ScheduledTransaction } from "@pawl/testkit/internal/gateway/ScheduledTransaction"
import type { SubscriptionState } from "@pawl/testkit/internal/gateway/SubscriptionBilling"
import * as DateTime from "effect/DateTime"

const names = ["transaction", "delivery", "subscription", "intent"] as const

/** The name of a collection whose items are shown, and of the events about it. */
export type Name = (typeof names)[number]

export const isShown = (name: string): name is Name => names.some((each) => each === name)

/**
 * Function that returns the public form of an item, and of anything else that an event has as it
 * is.
 */
export type Show = (name: string, item: unknown) => unknown

/** `pageUrl` is the origin of the pages of intents. */
export const make = (pageUrl: string): Show => {
  const pageUrls = PageUrls.make(pageUrl)
  return (name, item) => {
    if (name === "transaction") return (item as ScheduledTransaction).transaction
    if (name === "subscription") return subscription(item as SubscriptionState)
    return name === "intent" ? intent(pageUrls, item as Intent) : item
  }
}

const subscription = ({ card, createdAt, due, id, plan, request, status }: SubscriptionState) => ({
  subscriptionId: id,
  status,
  requestId: request.requestId,
  mid: request.mid,
  plan,
  cardMask: card.cardMask,
  ...withoutUndefined({ metadata: request.metadata }),
  callbackUrl: request.callbackUrl,
  createdAt,
  nextChargeDate: due === undefined ? null : DateTime.formatIso(DateTime.makeUnsafe(due))
})

export type ListedIntent = ReturnType<typeof intent>

/** The `amount` of an intent is empty until the customer has entered it. */
const intent = (
  pageUrls: PageUrls.PageUrls,
  { amount, attempts, createdTime, currency, expiresTime, intentId, request, state }: Intent
) => ({
  intentId,
  type: request.type,
  status: state,
  ...pageUrls.ofIntent(intentId),
  requestId: request.requestId,
  mid: request.mid,
  amount: amount ?? "",
  currency,
  callbackUrl: request.callbackUrl,
  createdTime,
  expiresTime,
  transactionIds: attempts,
  ...withoutUndefined({
    orderId: request.order.orderId,
    title: request.order.title,
    metadata: request.metadata
  })
})
