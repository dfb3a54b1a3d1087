/**
 * Charges a card each month: the card becomes a token, and the token a subscription.
 *
 * The service makes the charges, each a card payment of its own; their callbacks come to the
 * callbackUrl of the subscription for as long as it lives. A subscription has statuses of its own, from
 * which `Subscriptions` leads on: `pause`, `resume`, `update`, `cancel`.
 *
 * `examples/test/subscribe.test.ts` lives through a year of it.
 */
import * as NextAction from "@pawl/core/NextAction"
import { CardPayments } from "@pawl/http/CardPayments"
import { Subscriptions } from "@pawl/http/Subscriptions"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** A member, and where to send them next: to their bank, if it wants to hear of it. */
export interface Membership {
  readonly subscriptionId: string
  readonly goTo: string
}

export const subscribe = Effect.fn("subscribe")(function* (memberId: string, number: string) {
  const cards = yield* CardPayments
  const subscriptions = yield* Subscriptions
  const { cardToken } = yield* cards.tokenize({ mid: "shop-1", card: { number } })
  const successRedirectUrl = "https://shop.example/welcome"
  const created = yield* subscriptions.create({
    requestId: memberId,
    mid: "shop-1",
    cardToken: Redacted.value(cardToken),
    plan: {
      amount: "10.00",
      currency: "EUR",
      frequency: "MONTHLY",
      interval: 1,
      startDate: DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
    },
    callbackUrl: "https://shop.example/callback",
    successRedirectUrl,
    failureRedirectUrl: "https://shop.example/sorry"
  })
  const next = NextAction.of(created)
  const goTo = next?._tag === "Challenge" ? next.url : successRedirectUrl
  const membership: Membership = { subscriptionId: created.subscriptionId, goTo }
  return membership
})
