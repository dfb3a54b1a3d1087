/** All operations of the demo, which run concurrently, each with its scenario. */
import * as Effect from "effect/Effect"
import * as Customer from "./Customer.ts"
import * as HandlerLog from "./HandlerLog.ts"
import * as Merchant from "./Merchant.ts"

const concurrently = { concurrency: "unbounded" } as const

const payments = Effect.forEach(
  [
    "succeed",
    "succeed+duplicate",
    "succeed+shuffle+duplicate",
    "succeed+late",
    "succeed+lost",
    "succeed+silent",
    "succeed+forged",
    "decline:51+forged+shuffle",
    "challenge+shuffle+duplicate",
    "cancel+forged",
    "refund+shuffle",
    "chargeback+shuffle+duplicate",
    "conflict+duplicate",
    "stuck+duplicate"
  ],
  (scenario, index) => Merchant.pay(`payment-${index + 1}`, scenario),
  concurrently
)

const payouts = Effect.all(
  [
    Merchant.payOut("payout-1", "succeed+shuffle+duplicate"),
    Merchant.payOut("payout-2", "decline:14+forged"),
    Merchant.payOut("payout-3", "succeed+lost"),
    Merchant.payOutToCard("payout-4", "succeed+forged"),
    Merchant.payOutToCard("payout-5", "cancel+silent")
  ],
  concurrently
)

const cardPayments = Effect.all(
  [
    Merchant.payByCard("card-1", "succeed+duplicate", "4000000000000002"),
    Merchant.payByCard("card-2", "succeed+shuffle", "4000000000003220")
  ],
  concurrently
)

/** Creates a hosted page, opens it as a customer, and acts on it. */
const visit = <E, R>(
  requestId: string,
  scenario: string,
  act: (page: Customer.Page) => Effect.Effect<unknown, E, R>,
  type: "PAYMENT" | "PAYOUT" = "PAYMENT"
) => Effect.flatMap(Effect.flatMap(Merchant.sell(requestId, scenario, type), Customer.open), act)

/** A card payment that is refunded in three parts. One of the refunds is declined. */
const refunds = Effect.gen(function* () {
  const { transactionId } = yield* Merchant.payByCard("card-3", "succeed+shuffle+duplicate")
  yield* HandlerLog.untilTold(transactionId, "SUCCEED")
  const refund = (requestId: string, amount: string, scenario: string) =>
    Merchant.refund(requestId, scenario, { transactionId, amount })
  yield* Effect.all(
    [
      refund("refund-1", "4.00", "succeed+shuffle+duplicate"),
      refund("refund-2", "3.00", "decline:51+forged"),
      refund("refund-3", "3.50", "succeed+lost")
    ],
    concurrently
  )
})

const visits = Effect.all(
  [
    visit("page-card", "succeed+shuffle+duplicate", (page) =>
      Customer.press(page, "pay", Customer.card())
    ),
    visit("page-declined-then-challenged", "succeed+duplicate", (page) =>
      Customer.press(page, "pay", Customer.card("4000000000000002")).pipe(
        Effect.flatMap((again) => Customer.press(again, "pay", Customer.card("4000000000003220"))),
        Effect.flatMap((challenge) => Customer.press(challenge, "challenge-approve"))
      )
    ),
    visit("page-wallet", "chargeback+shuffle", (page) => Customer.press(page, "pay-WALLET")),
    visit("page-cancel", "succeed+forged", (page) => Customer.press(page, "cancel")),
    visit(
      "page-payout",
      "succeed+lost",
      (page) => Customer.press(page, "pay-BANK_TRANSFER", { account: "DE89370400440532013000" }),
      "PAYOUT"
    )
  ],
  concurrently
)

export const transactionCount = 32

/** Runs all operations and returns the created subscription. */
export const runAll = Effect.map(
  Effect.all(
    [
      Merchant.subscribe("subscription-1", "succeed+shuffle+duplicate"),
      payments,
      payouts,
      cardPayments,
      refunds,
      visits
    ],
    concurrently
  ),
  ([subscription]) => subscription
)
