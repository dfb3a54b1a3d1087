/**
 * How the service starts an APM payment or payout; the two differ by their kind alone.
 */
import type { ApmPaymentRequest, ApmPaymentResponse } from "@pawl/core/ApmPayment"
import type { ApmPayoutRequest } from "@pawl/core/ApmPayout"
import * as Checksum from "@pawl/core/Checksum"
import { TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Message } from "../../Courier.ts"
import { AskedMetadata, present, scenarioOf, told } from "./Asked.ts"
import type { Book, Transaction } from "./Book.ts"
import { invalid, reader, type Refusal } from "./Contract.ts"
import { type Pages, returnUrlsOf } from "./Pages.ts"
import { address } from "./Posting.ts"
import type { Requests } from "./Requests.ts"

/** Starts a transaction of a kind. */
export type Create = (
  kind: "apm-payment" | "apm-payout"
) => (request: {
  readonly payload: ApmPaymentRequest | ApmPayoutRequest
  readonly sentAmount: string
}) => Effect.Effect<ApmPaymentResponse, Refusal>

/**
 * Makes the function that starts transactions. A checksum is checked where there is one; that a
 * payment has one, the contract sees to.
 */
export const make =
  (book: Book, requests: Requests, pages: Pages, sign: Checksum.Sign, separator: string): Create =>
  (kind) =>
    Effect.fnUntraced(function* ({ payload, sentAmount }) {
      yield* read(payload)
      const { accountId, amount, apmPayload, callbackUrl, checksum, currency, requestId } = payload
      const signed = { accountId, requestId, amount: sentAmount, currency }
      if (
        checksum !== undefined &&
        !Checksum.matches(Checksum.request(sign, separator, signed), checksum)
      ) {
        return yield* invalid([
          {
            field: "checksum",
            message: `Does not match: expected the lower-case hex of HMAC-SHA256 over accountId, requestId, amount and currency as sent, joined with "${separator}", keyed with the merchantSecret`
          }
        ])
      }
      const { billingDetails, failureRedirectUrl, metadata, order, successRedirectUrl } = payload
      const scenario = yield* scenarioOf(metadata)
      const opened = book.open({
        kind,
        requestId,
        accountId,
        amount,
        currency,
        metadata,
        callbackUrl,
        returnUrls: returnUrlsOf(payload),
        redirectUrl: scenario.declineCode === undefined ? successRedirectUrl : failureRedirectUrl,
        apmType: apmPayload.paymentMethod ?? "APM",
        apmPayload,
        billingDetails,
        order,
        scenario
      })
      const answered = Effect.map(opened, (transaction) => ({
        ...response(transaction),
        ...pages.ofChallenge(transaction)
      }))
      return yield* requests.once(kind, requestId, answered)
    })

const read = reader(
  Schema.Struct({
    // Digits, because an info gives it back as an integer.
    accountId: Schema.String.check(
      Schema.isPattern(/^[0-9]{1,64}$/u, { message: "Expected 1 to 64 digits" })
    ),
    metadata: AskedMetadata
  })
)

const response = (transaction: Transaction): ApmPaymentResponse => ({
  requestId: transaction.requestId,
  transactionId: TransactionId.make(transaction.transactionId),
  ...told(transaction),
  apmResponseData: apmResponseData(transaction),
  createdTime: transaction.createdTime,
  paymentType: "APM"
})

/** Writes the callback of an APM payment or payout. */
export const message = (transaction: Transaction): Message | undefined => {
  const { accountId = "", amount, apmType = "APM", callbackUrl, currency } = transaction
  const { transactionId } = transaction
  if (callbackUrl === undefined) return undefined
  return {
    url: address(callbackUrl, { paymentMethod: "apm", apmType }),
    transactionId,
    signed: { account: accountId, amount, currency, transactionId },
    body: {
      transactionId,
      accountId,
      amount,
      currency,
      apmType,
      apmResponseData: apmResponseData(transaction),
      ...present({ metadata: transaction.metadata })
    }
  }
}

/**
 * Returns what a method answers. There is no page of the provider's, so a customer who is redirected
 * comes straight back.
 */
export const apmResponseData = ({ apmType = "APM", redirectUrl, transactionId }: Transaction) => ({
  providerTransactionId: `provider-${transactionId}`,
  paymentMethod: apmType,
  ...(redirectUrl === undefined ? {} : { actionType: "REDIRECTION", redirectUrl })
})
