/**
 * Creates and callbacks of APM payments and payouts, which differ only in their kind.
 */
import type { ApmPaymentRequest } from "@pawl/core/internal/RequestBodies"
import type { ApmPaymentResponse } from "@pawl/core/ApmPayment"
import type { ApmPayoutRequest } from "@pawl/core/internal/RequestBodies"
import type * as Checksum from "@pawl/core/Checksum"
import { TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Message } from "../../Courier.ts"
import { ScenarioMetadata, withoutUndefined, scenarioOf, apmStatusFields } from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"
import type { Transactions } from "./Transactions.ts"
import { invalid, reader, type Refusal } from "./Contract.ts"
import type { ResponseData } from "./MethodPage.ts"
import { type PageUrls, returnUrlsOf } from "./PageUrls.ts"
import type { Behaviour } from "../readings/Behaviour.ts"
import { withRouting } from "../courier/CallbackPost.ts"
import type { Writes } from "./Writes.ts"

/** Returns the handler that creates transactions of a kind. */
export type Create = (
  kind: "apm-payment" | "apm-payout"
) => (request: {
  readonly payload: ApmPaymentRequest | ApmPayoutRequest
  readonly sentAmount: string
}) => Effect.Effect<ApmPaymentResponse, Refusal>

/**
 * Makes the handlers of APM creates. A payment must have a checksum by the contract; a payout's is checked
 * if it has one.
 */
export const make =
  (
    transactions: Transactions,
    writes: Writes,
    pageUrls: PageUrls,
    responseData: ResponseData,
    sign: Checksum.Sign,
    separator: string,
    {
      isChecksum,
      paymentChecksum,
      payoutChecksum
    }: Pick<Behaviour, "isChecksum" | "paymentChecksum" | "payoutChecksum">
  ): Create =>
  (kind) =>
    Effect.fnUntraced(function* ({ payload, sentAmount }) {
      yield* read(payload)
      const { accountId, amount, apmPayload, callbackUrl, checksum, currency, requestId } = payload
      const signed = { accountId, requestId, amount: sentAmount, currency }
      const rule = kind === "apm-payment" ? paymentChecksum : payoutChecksum
      if (rule === (checksum === undefined ? "required" : "refused")) return yield* misplaced
      if (
        checksum !== undefined &&
        rule !== "ignored" &&
        !isChecksum(checksum, sign, separator, signed)
      ) {
        return yield* invalid([
          {
            field: "checksum",
            message: `Does not match: expected the lower-case hex of HMAC-SHA256 over accountId, requestId, amount and currency as sent, joined with "${separator}", keyed with the merchantSecret`
          }
        ])
      }
      const { billingDetails, metadata, order } = payload
      const opened = transactions.open({
        kind,
        requestId,
        accountId,
        amount,
        currency,
        metadata,
        callbackUrl,
        returnUrls: returnUrlsOf(payload),
        apmType: apmPayload.paymentMethod ?? "APM",
        apmPayload,
        billingDetails,
        order,
        scenario: yield* scenarioOf(metadata)
      })
      const create = Effect.map(opened, (transaction) => ({
        ...response(transaction, responseData),
        ...pageUrls.ofChallenge(transaction)
      }))
      return yield* writes.once(kind, requestId, create, sentAmount)
    })

const misplaced = Effect.fail(
  invalid([{ field: "checksum", message: "Required, or not accepted, for a payout" }])
)

const read = reader(
  Schema.Struct({
    // Digits, because the info endpoint returns it as an integer.
    accountId: Schema.String.check(
      Schema.isPattern(/^[0-9]{1,64}$/u, { message: "Expected 1 to 64 digits" })
    ),
    metadata: ScenarioMetadata
  })
)

const response = (transaction: Transaction, responseData: ResponseData): ApmPaymentResponse => ({
  requestId: transaction.requestId,
  transactionId: TransactionId.make(transaction.transactionId),
  ...apmStatusFields(transaction),
  apmResponseData: responseData(transaction),
  createdTime: transaction.createdTime,
  paymentType: "APM"
})

/** Returns the callback of an APM payment or payout without its status. */
export const message = (
  transaction: Transaction,
  responseData: ResponseData
): Message | undefined => {
  const { accountId = "", amount, apmType = "APM", callbackUrl, currency } = transaction
  const { transactionId } = transaction
  if (callbackUrl === undefined) return undefined
  return {
    url: withRouting(callbackUrl, { paymentMethod: "apm", apmType }),
    transactionId,
    signed: { account: accountId, amount, currency, transactionId },
    body: {
      transactionId,
      accountId,
      amount,
      currency,
      apmType,
      apmResponseData: responseData(transaction),
      ...withoutUndefined({ metadata: transaction.metadata })
    }
  }
}
