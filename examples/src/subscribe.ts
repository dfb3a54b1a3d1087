/**
 * Shows a monthly subscription: exchanges the card for a token and creates a subscription with the token.
 *
 * The service makes the charges. Each charge is a card payment of its own, and its callbacks go to the
 * callbackUrl of the subscription. Each subscription has an id of its own, the requestId: with the id of the member, one
 * who cancelled and comes back would get the cancelled subscription again. `Subscriptions` also has `pause`, `resume`, `update` and `cancel`.
 *
 * `examples/test/subscribe.test.ts` runs a year of charges in virtual time.
 */
import * as NextAction from "@pawl/core/NextAction"
import { CardPayments } from "@pawl/http/CardPayments"
import { Subscriptions } from "@pawl/http/Subscriptions"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** A new member. `goTo` is the next page: the challenge of the bank if there is one, else the welcome page. */
export interface Membership {
  readonly subscriptionId: string
  readonly goTo: string
}

export const subscribe = Effect.fn("subscribe")(function* (id: string, number: string) {
  const cards = yield* CardPayments
  const subscriptions = yield* Subscriptions
  const { cardToken } = yield* cards.tokenize({ mid: "shop-1", card: { number } })
  const successRedirectUrl = "https://shop.example/welcome"
  const created = yield* subscriptions.create({
    requestId: id,
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
