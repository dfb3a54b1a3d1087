/**
 * How the service answers about card payouts.
 *
 * **Details**
 *
 * The spec gives a card payout no currency, and its callback one: EUR, unless the request has a
 * `currency` all the same.
 */
import { Currency } from "@pawl/core/Amount"
import type { CardPayoutInfo } from "@pawl/core/CardPayout"
import { RequestId, TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AskedMetadata, Mid, present, scenarioOf, told } from "./Asked.ts"
import type { Book, Transaction } from "./Book.ts"
import { fromNumber, TestNumber } from "./Cards.ts"
import { type Handlers, reader } from "./Contract.ts"
import type { Pages } from "./Pages.ts"
import type { Requests } from "./Requests.ts"

/** Makes the handlers of the endpoints of card payouts. */
export const make = (
  book: Book,
  requests: Requests,
  pages: Pages
): Pick<Handlers, "createCardPayout" | "readCardPayout" | "readCardPayoutStatus"> => ({
  createCardPayout: Effect.fnUntraced(function* ({ payload }) {
    const { currency = "EUR", mid } = yield* read(payload)
    const { amount, callbackUrl, metadata, requestId } = payload
    const { cardMask, story } = fromNumber(payload.card.number)
    const opened = book.open({
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
    return yield* requests.once(
      "createCardPayout",
      requestId,
      Effect.map(opened, (transaction) => ({
        transactionId: TransactionId.make(transaction.transactionId),
        ...told(transaction),
        paymentType: "CARD",
        ...pages.ofChallenge(transaction)
      }))
    )
  }),
  readCardPayout: ({ params }) => Effect.map(book.find("card-payout", params.id), info),
  readCardPayoutStatus: ({ params }) =>
    Effect.map(book.find("card-payout", params.id), ({ status }) => status)
})

const read = reader(
  Schema.Struct({
    mid: Mid,
    card: Schema.Struct({ number: TestNumber }),
    currency: Schema.optionalKey(Currency),
    metadata: AskedMetadata
  })
)

const info = (transaction: Transaction): CardPayoutInfo => {
  const { amount, callbackUrl, cardHolder, cardMask, createdTime, mid = "" } = transaction
  return {
    transactionId: TransactionId.make(transaction.transactionId),
    requestId: RequestId.make(transaction.requestId),
    mid,
    ...told(transaction),
    totalAmount: amount,
    createdAt: createdTime,
    ...present({ callbackUrl, cardHolder, cardMask })
  }
}
