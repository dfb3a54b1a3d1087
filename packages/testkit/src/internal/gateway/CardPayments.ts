/**
 * Handlers of card payments, whose fields the specification does not list.
 *
 * A payment is `{ requestId, mid, amount, currency, card | cardToken, callbackUrl?, metadata? }`; a
 * charge is the same with a `cardToken`; a tokenize is `{ requestId, mid, card }`. Only the
 * `number` of a card is read.
 */
import * as Amount from "@pawl/core/Amount"
import type { CardPaymentRequest } from "@pawl/core/internal/RequestBodies"
import type { CardPaymentResponse } from "@pawl/core/CardPayment"
import { RequestId, TransactionId } from "@pawl/core/Transaction"
import { Url } from "@pawl/core/internal/SharedFields"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { flat, ScenarioMetadata, scenarioOf, statusFields } from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"
import type { Transactions } from "./Transactions.ts"
import { type Card, fromNumber, TestNumberFromText, type Vault } from "./Cards.ts"
import { type Handlers, invalid, reader } from "./Contract.ts"
import { type PageUrls, returnUrlsOf } from "./PageUrls.ts"
import type { Writes } from "./Writes.ts"

export const make = (
  transactions: Transactions,
  writes: Writes,
  vault: Vault,
  pageUrls: PageUrls
): Pick<
  Handlers,
  "createCardPayment" | "tokenizeCard" | "chargeCard" | "readCardPaymentStatus"
> => {
  const pay = Effect.fnUntraced(function* (
    { callbackUrl, metadata, requestId }: CardPaymentRequest,
    { amount, currency, mid, ...urls }: Schema.Struct.Type<typeof paymentFields>,
    card: Card
  ) {
    const transaction = yield* transactions.open({
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
    return { ...response(transaction), ...pageUrls.ofChallenge(transaction) }
  })

  const charge = Effect.fnUntraced(function* (endpoint: string, payload: CardPaymentRequest) {
    const { cardToken, ...fields } = yield* readCharge(flat(payload))
    return yield* writes.once(
      endpoint,
      payload.requestId,
      Effect.flatMap(vault.find(cardToken), (card) => pay(payload, fields, card))
    )
  })

  return {
    createCardPayment: Effect.fnUntraced(function* ({ payload }) {
      if (payload.cardToken === undefined) {
        const { card, ...fields } = yield* readPayment(flat(payload))
        const payment = pay(payload, fields, fromNumber(card.number))
        return yield* writes.once("createCardPayment", payload.requestId, payment)
      }
      if (payload.unknownFields?.["card"] === undefined)
        return yield* charge("createCardPayment", payload)
      return yield* invalid([
        { field: "card", message: "Expected a card or a cardToken, not both" }
      ])
    }),
    tokenizeCard: Effect.fnUntraced(function* ({ payload }) {
      const { card } = yield* readCard(flat(payload))
      const { requestId } = payload
      const token = vault.store(fromNumber(card.number))
      return yield* writes.once(
        "tokenizeCard",
        requestId,
        Effect.map(token, (cardToken) => ({ requestId, cardToken }))
      )
    }),
    chargeCard: ({ payload }) => charge("chargeCard", payload),
    readCardPaymentStatus: ({ params }) =>
      Effect.map(transactions.find("card-payment", params.id), ({ status }) => status)
  }
}

const paymentFields = {
  mid: RequestId,
  amount: Amount.Amount,
  currency: Amount.Currency,
  metadata: ScenarioMetadata,
  successRedirectUrl: Schema.optionalKey(Url),
  failureRedirectUrl: Schema.optionalKey(Url)
}

const card = Schema.Struct({ number: TestNumberFromText })

const readCard = reader(Schema.Struct({ mid: RequestId, card }))
const readPayment = reader(Schema.Struct({ ...paymentFields, card }))
const readCharge = reader(
  Schema.Struct({ ...paymentFields, cardToken: Schema.Redacted(Schema.String) })
)

const response = (transaction: Transaction): CardPaymentResponse => ({
  requestId: transaction.requestId,
  transactionId: TransactionId.make(transaction.transactionId),
  ...statusFields(transaction),
  paymentType: "CARD",
  unknownFields: { createdTime: transaction.createdTime }
})
