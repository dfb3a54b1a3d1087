/**
 * Handlers of card payouts. The specification gives a card payout no currency, and its callback
 * one: EUR, unless the request has a `currency`.
 */
import { Currency } from "@pawl/core/Amount"
import type { CardPayoutInfo } from "@pawl/core/CardPayout"
import { RequestId, TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  flat,
  ScenarioMetadata,
  withoutUndefined,
  scenarioOf,
  statusFields
} from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"
import type { Transactions } from "./Transactions.ts"
import { fromNumber, TestNumber } from "./Cards.ts"
import { type Handlers, reader } from "./Contract.ts"
import type { PageUrls } from "./PageUrls.ts"
import type { Writes } from "./Writes.ts"

export const make = (
  transactions: Transactions,
  writes: Writes,
  pageUrls: PageUrls
): Pick<Handlers, "createCardPayout" | "readCardPayout" | "readCardPayoutStatus"> => ({
  createCardPayout: Effect.fnUntraced(function* ({ payload }) {
    const { currency = "EUR" } = yield* read(flat(payload))
    const { amount, callbackUrl, metadata, mid, requestId } = payload
    const { cardMask, story } = fromNumber(payload.card.number)
    const opened = transactions.open({
      kind: "card-payout",
      requestId,
      mid,
      amount,
      currency,
      metadata,
      callbackUrl,
      cardMask,
      cardHolder: payload.card.cardHolderName,
      scenario: yield* scenarioOf(metadata, story)
    })
    return yield* writes.once(
      "createCardPayout",
      requestId,
      Effect.map(opened, (transaction) => ({
        transactionId: TransactionId.make(transaction.transactionId),
        ...statusFields(transaction),
        paymentType: "CARD",
        ...pageUrls.ofChallenge(transaction)
      }))
    )
  }),
  readCardPayout: ({ params }) => Effect.map(transactions.find("card-payout", params.id), info),
  readCardPayoutStatus: ({ params }) =>
    Effect.map(transactions.find("card-payout", params.id), ({ status }) => status)
})

const read = reader(
  Schema.Struct({
    card: Schema.Struct({ number: TestNumber }),
    currency: Schema.optionalKey(Currency),
    metadata: ScenarioMetadata
  })
)

const info = (transaction: Transaction): CardPayoutInfo => {
  const { amount, callbackUrl, cardHolder, cardMask, createdTime, mid = "" } = transaction
  return {
    transactionId: TransactionId.make(transaction.transactionId),
    requestId: RequestId.make(transaction.requestId),
    mid,
    ...statusFields(transaction),
    totalAmount: amount,
    createdAt: createdTime,
    ...withoutUndefined({ callbackUrl, cardHolder, cardMask })
  }
}
