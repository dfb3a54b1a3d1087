/**
 * Handlers of APM payouts.
 */
import type { ApmPayoutInfo } from "@pawl/core/ApmPayout"
import { RequestId, TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import type { Create } from "./Apm.ts"
import type { ResponseData } from "./MethodPage.ts"
import { withoutUndefined, apmStatusFields } from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"
import type { Transactions } from "./Transactions.ts"
import type { Handlers } from "./Contract.ts"

/** Makes the handlers of the APM payout endpoints. */
export const make = (
  transactions: Transactions,
  create: Create,
  responseData: ResponseData
): Pick<Handlers, "createApmPayout" | "readApmPayout" | "readApmPayoutStatus"> => ({
  createApmPayout: create("apm-payout"),
  readApmPayout: ({ params }) =>
    Effect.map(transactions.find("apm-payout", params.id), (payout) => info(payout, responseData)),
  readApmPayoutStatus: ({ params }) =>
    Effect.map(transactions.find("apm-payout", params.id), ({ status }) => status)
})

const info = (transaction: Transaction, responseData: ResponseData): ApmPayoutInfo => {
  const { accountId = "", apmPayload, billingDetails, callbackUrl, order } = transaction
  return {
    transactionId: TransactionId.make(transaction.transactionId),
    requestId: RequestId.make(transaction.requestId),
    // The contract has it as an integer, without leading zeros.
    accountId: accountId.replace(/^0+(?=[0-9])/u, ""),
    ...apmStatusFields(transaction),
    apmResponseData: responseData(transaction),
    createdAt: transaction.createdTime,
    ...withoutUndefined({ apmRequestPayload: apmPayload, billingDetails, callbackUrl, order })
  }
}
