/**
 * How the service answers about card payments, whose shapes are not documented.
 *
 * **Details**
 *
 * A payment is `{ requestId, mid, amount, currency, card | cardToken, callbackUrl?, metadata? }`, a
 * charge the same with a `cardToken`, a tokenize `{ requestId, mid, card }`. A payment and a charge may
 * have a `successRedirectUrl` and a `failureRedirectUrl`, where a challenge sends the customer back to.
 * Of a card its `number` is read, and whatever else there is passes unread and unkept.
 */
import * as Amount from "@pawl/core/Amount"
import type { CardPaymentRequest, CardPaymentResponse } from "@pawl/core/CardPayment"
import { TransactionId, Url } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AskedMetadata, Mid, scenarioOf, told } from "./Asked.ts"
import type { Book, Transaction } from "./Book.ts"
import { type Card, fromNumber, TestNumberFromText, type Vault } from "./Cards.ts"
import { type Handlers, invalid, reader } from "./Contract.ts"
import { type Pages, returnUrlsOf } from "./Pages.ts"
import type { Requests } from "./Requests.ts"

/** Makes the handlers of the endpoints of card payments. */
export const make = (
  book: Book,
  requests: Requests,
  vault: Vault,
  pages: Pages
): Pick<
  Handlers,
  "createCardPayment" | "tokenizeCard" | "chargeCard" | "readCardPaymentStatus"
> => {
  const pay = Effect.fnUntraced(function* (
    { callbackUrl, metadata, requestId }: CardPaymentRequest,
    { amount, currency, mid, ...urls }: Paid,
    card: Card
  ) {
    const transaction = yield* book.open({
      kind: "card-payment",
      requestId,
      mid,
      amount,
      currency,
      metadata,
      callbackUrl,
      cardMask: card.cardMask,
      returnUrls: returnUrlsOf(urls),
      scenario: yield* scenarioOf(metadata, card.story)
    })
    return { ...response(transaction), ...pages.ofChallenge(transaction) }
  })

  const charge = Effect.fnUntraced(function* (endpoint: string, payload: CardPaymentRequest) {
    const { cardToken, ...paid } = yield* readCharge(payload)
    return yield* requests.once(
      endpoint,
      payload.requestId,
      Effect.flatMap(vault.find(cardToken), (card) => pay(payload, paid, card))
    )
  })

  return {
    createCardPayment: Effect.fnUntraced(function* ({ payload }) {
      if (payload.cardToken === undefined) {
        const { card, ...paid } = yield* readPayment(payload)
        const paying = pay(payload, paid, fromNumber(card.number))
        return yield* requests.once("createCardPayment", payload.requestId, paying)
      }
      if (payload["card"] === undefined) return yield* charge("createCardPayment", payload)
      return yield* invalid([{ field: "card", message: "Expected no card beside a cardToken" }])
    }),
    tokenizeCard: Effect.fnUntraced(function* ({ payload }) {
      const { card } = yield* readCard(payload)
      const { requestId } = payload
      const keeping = vault.keep(fromNumber(card.number))
      return yield* requests.once(
        "tokenizeCard",
        requestId,
        Effect.map(keeping, (cardToken) => ({ requestId, cardToken }))
      )
    }),
    chargeCard: ({ payload }) => charge("chargeCard", payload),
    readCardPaymentStatus: ({ params }) =>
      Effect.map(book.find("card-payment", params.id), ({ status }) => status)
  }
}

const paid = {
  mid: Mid,
  amount: Amount.Amount,
  currency: Amount.Currency,
  metadata: AskedMetadata,
  successRedirectUrl: Schema.optionalKey(Url),
  failureRedirectUrl: Schema.optionalKey(Url)
}
interface Paid {
  readonly mid: string
  readonly amount: Amount.Amount
  readonly currency: Amount.Currency
  readonly successRedirectUrl?: string
  readonly failureRedirectUrl?: string
}

const card = Schema.Struct({ number: TestNumberFromText })

const readCard = reader(Schema.Struct({ mid: Mid, card }))
const readPayment = reader(Schema.Struct({ ...paid, card }))
const readCharge = reader(Schema.Struct({ ...paid, cardToken: Schema.Redacted(Schema.String) }))

const response = (transaction: Transaction): CardPaymentResponse => ({
  requestId: transaction.requestId,
  transactionId: TransactionId.make(transaction.transactionId),
  ...told(transaction),
  createdTime: transaction.createdTime,
  paymentType: "CARD"
})
