/**
 * How the service answers about APM payments.
 *
 * @since 0.1.0
 */
import type { ApmPaymentResponse } from "@pawl/core/ApmPayment"
import * as Checksum from "@pawl/core/Checksum"
import { TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import type { Message } from "../Courier.ts"
import * as Scenario from "../Scenario.ts"
import type { Book, Transaction } from "./Book.ts"
import { type FieldFault, type Handlers, invalid, notFound } from "./Contract.ts"
import { address } from "./Posting.ts"

/**
 * Makes the handlers of the endpoints of APM payments.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  book: Book,
  sign: Checksum.Sign,
  separator: string
): Pick<Handlers, "createApmPayment" | "readApmPaymentStatus"> => ({
  createApmPayment: Effect.fnUntraced(function* ({ payload, sentAmount }) {
    const scenario = Scenario.parse(payload.metadata?.[Scenario.key] ?? "succeed")
    const faults: Array<FieldFault> = []
    if (!/^[0-9]+$/u.test(payload.accountId)) {
      faults.push({ field: "accountId", message: "Expected digits" })
    }
    if (scenario === undefined) {
      faults.push({
        field: `metadata.${Scenario.key}`,
        message: "Expected a scenario of the sandbox"
      })
    }
    if (faults.length > 0 || scenario === undefined) return yield* invalid(faults)
    const { accountId, amount, callbackUrl, currency, metadata, requestId } = payload
    const signed = { accountId, requestId, amount: sentAmount, currency }
    if (!Checksum.matches(Checksum.request(sign, separator, signed), payload.checksum)) {
      return yield* invalid([{ field: "checksum", message: "Does not match the request" }])
    }
    const transaction = yield* book.open({
      kind: "apm-payment",
      requestId,
      accountId,
      amount,
      currency,
      metadata,
      callbackUrl,
      redirectUrl:
        scenario.declineCode === undefined
          ? payload.successRedirectUrl
          : payload.failureRedirectUrl,
      apmType: payload.apmPayload.paymentMethod ?? "APM",
      scenario,
      message
    })
    return response(transaction)
  }),
  readApmPaymentStatus: ({ params }) =>
    Effect.flatMap(book.transaction(params.id), (transaction) =>
      transaction?.kind === "apm-payment"
        ? Effect.succeed(transaction.status)
        : Effect.fail(notFound)
    )
})

const response = (transaction: Transaction): ApmPaymentResponse => ({
  requestId: transaction.requestId,
  transactionId: TransactionId.make(transaction.transactionId),
  transactionStatus: transaction.status,
  ...(transaction.declineCode === undefined ? {} : { declineCode: transaction.declineCode }),
  apmResponseData: apmResponseData(transaction),
  createdTime: transaction.createdTime,
  paymentType: "APM",
  ...(transaction.metadata === undefined ? {} : { metadata: transaction.metadata })
})

const message = (transaction: Transaction): Message | undefined => {
  const {
    accountId,
    amount,
    apmType = "APM",
    callbackUrl,
    currency,
    metadata,
    transactionId
  } = transaction
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
      ...(metadata === undefined ? {} : { metadata })
    }
  }
}

/** There is no page of the provider's, so a customer who is redirected comes straight back. */
const apmResponseData = ({ apmType = "APM", redirectUrl, transactionId }: Transaction) => ({
  providerTransactionId: `provider-${transactionId}`,
  paymentMethod: apmType,
  ...(redirectUrl === undefined ? {} : { actionType: "REDIRECTION", redirectUrl })
})
