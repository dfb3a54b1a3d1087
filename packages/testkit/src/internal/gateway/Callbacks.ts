/**
 * The callbacks of transactions (`spec.md`, "Events").
 */
import type { Message } from "../../Courier.ts"
import { withRouting } from "../courier/CallbackPost.ts"
import type { ResponseData } from "./MethodPage.ts"
import { withoutUndefined } from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"

/** `named` selects the transactionId of a refund's callback (`Profile.refundCallbackId`). */
export const make =
  (named: "refund" | "payment", responseData: ResponseData) =>
  (transaction: Transaction): Message | undefined => {
    const { accountId, amount, apmType = "APM", callbackUrl, currency, mid = "" } = transaction
    const { kind, metadata, paymentId = "", transactionId } = transaction
    if (callbackUrl === undefined) return undefined
    const more = withoutUndefined({ metadata })
    if (accountId !== undefined) {
      const apmResponseData = responseData(transaction)
      return {
        url: withRouting(callbackUrl, { paymentMethod: "apm", apmType }),
        transactionId,
        signed: { account: accountId, amount, currency, transactionId },
        body: { transactionId, accountId, amount, currency, apmType, apmResponseData, ...more }
      }
    }
    const isRefund = kind === "refund"
    const id = isRefund && named === "payment" ? paymentId : transactionId
    const refund = isRefund ? { refundId: transactionId } : {}
    const order = { orderAmount: amount, orderCurrency: currency }
    return {
      url: withRouting(callbackUrl, { paymentMethod: "card" }),
      transactionId,
      signed: { account: mid, amount, currency, transactionId: id },
      body: { transactionId: id, ...refund, mid, ...order, ...more }
    }
  }
