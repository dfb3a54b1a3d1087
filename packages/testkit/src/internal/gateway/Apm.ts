import type { ApmPaymentRequest, ApmPayoutRequest } from "@pawl/core/internal/RequestBodies"
import type { ApmPaymentResponse } from "@pawl/core/ApmPayment"
import type { ApmPayoutInfo } from "@pawl/core/ApmPayout"
import type * as Checksum from "@pawl/core/Checksum"
import { RequestId, TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ScenarioMetadata, withoutUndefined, scenarioOf, apmStatusFields } from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"
import type { Transactions } from "./Transactions.ts"
import { type Handlers, invalid, reader } from "./Contract.ts"
import type { ResponseData } from "./MethodPage.ts"
import { type PageUrls, returnUrlsOf } from "./PageUrls.ts"
import type { Behaviour } from "../Behaviour.ts"
import type { Writes } from "./Writes.ts"

/** The contract requires the checksum of a payment; that of a payout is checked if there is one. */
interface Checksums extends Pick<Behaviour, "isChecksum" | "paymentChecksum" | "payoutChecksum"> {
  readonly sign: Checksum.Sign
  readonly separator: string
}

export const make = (
  transactions: Transactions,
  writes: Writes,
  pageUrls: PageUrls,
  responseData: ResponseData,
  { isChecksum, paymentChecksum, payoutChecksum, separator, sign }: Checksums
): Pick<
  Handlers,
  | "createApmPayment"
  | "createApmPayout"
  | "readApmPaymentStatus"
  | "readApmPayout"
  | "readApmPayoutStatus"
> => {
  const create = (kind: "apm-payment" | "apm-payout") =>
    Effect.fnUntraced(function* ({ payload, sentAmount }: ApmCreate) {
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
  const status = (kind: "apm-payment" | "apm-payout") => (request: ApmRead) =>
    Effect.map(transactions.find(kind, request.params.id), ({ status }) => status)

  return {
    createApmPayment: create("apm-payment"),
    createApmPayout: create("apm-payout"),
    readApmPaymentStatus: status("apm-payment"),
    readApmPayout: ({ params }) =>
      Effect.map(transactions.find("apm-payout", params.id), (payout) =>
        info(payout, responseData)
      ),
    readApmPayoutStatus: status("apm-payout")
  }
}

interface ApmCreate {
  readonly payload: ApmPaymentRequest | ApmPayoutRequest
  readonly sentAmount: string
}
interface ApmRead {
  readonly params: { readonly id: string }
}

const misplaced = Effect.fail(
  invalid([{ field: "checksum", message: "Required, or not accepted, for a payout" }])
)

const read = reader(Schema.Struct({ metadata: ScenarioMetadata }))

const response = (transaction: Transaction, responseData: ResponseData): ApmPaymentResponse => ({
  requestId: transaction.requestId,
  transactionId: TransactionId.make(transaction.transactionId),
  ...apmStatusFields(transaction),
  apmResponseData: responseData(transaction),
  createdTime: transaction.createdTime,
  paymentType: "APM"
})

const info = (transaction: Transaction, responseData: ResponseData): ApmPayoutInfo => {
  const { accountId = "", apmPayload, billingDetails, callbackUrl, order } = transaction
  return {
    transactionId: TransactionId.make(transaction.transactionId),
    requestId: RequestId.make(transaction.requestId),
    // The contract has it as an integer.
    ...(/^[0-9]+$/u.test(accountId) && { accountId: accountId.replace(/^0+(?=[0-9])/u, "") }),
    ...apmStatusFields(transaction),
    apmResponseData: responseData(transaction),
    createdAt: transaction.createdTime,
    ...withoutUndefined({ apmRequestPayload: apmPayload, billingDetails, callbackUrl, order })
  }
}
