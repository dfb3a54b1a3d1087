/**
 * How the service answers about APM payouts.
 */
import type { ApmPayoutInfo } from "@pawl/core/ApmPayout"
import { RequestId, TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import { apmResponseData, type Create } from "./Apm.ts"
import { present, told } from "./Asked.ts"
import type { Book, Transaction } from "./Book.ts"
import type { Handlers } from "./Contract.ts"

/** Makes the handlers of the endpoints of APM payouts. */
export const make = (
  book: Book,
  create: Create
): Pick<Handlers, "createApmPayout" | "readApmPayout" | "readApmPayoutStatus"> => ({
  createApmPayout: create("apm-payout"),
  readApmPayout: ({ params }) => Effect.map(book.find("apm-payout", params.id), info),
  readApmPayoutStatus: ({ params }) =>
    Effect.map(book.find("apm-payout", params.id), ({ status }) => status)
})

const info = (transaction: Transaction): ApmPayoutInfo => {
  const { accountId = "", apmPayload, billingDetails, callbackUrl, order } = transaction
  return {
    transactionId: TransactionId.make(transaction.transactionId),
    requestId: RequestId.make(transaction.requestId),
    // As an integer it has no leading zeros.
    accountId: accountId.replace(/^0+(?=[0-9])/u, ""),
    ...told(transaction),
    apmResponseData: apmResponseData(transaction),
    createdAt: transaction.createdTime,
    ...present({ apmRequestPayload: apmPayload, billingDetails, callbackUrl, order })
  }
}
