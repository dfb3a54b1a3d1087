/**
 * What the service posts about card payments, card payouts and refunds (`spec.md`, "Events").
 */
import type { Message } from "../../Courier.ts"
import { present } from "./Asked.ts"
import type { Transaction } from "./Book.ts"
import { address } from "./Posting.ts"

/** Writes the callback of a card payment or payout. */
export const message = (transaction: Transaction): Message | undefined =>
  write(transaction, transaction.transactionId, {})

/**
 * Makes the function that writes the callback of a refund. `named` says whose identifier its
 * transactionId is, its own or the payment's (`Profile.refundCallbackId`).
 */
export const ofRefund =
  (named: "refund" | "payment") =>
  (refund: Transaction): Message | undefined => {
    const { paymentId = "", transactionId: refundId } = refund
    return write(refund, named === "refund" ? refundId : paymentId, { refundId })
  }

const write = (
  transaction: Transaction,
  transactionId: string,
  more: { readonly refundId?: string }
): Message | undefined => {
  const { amount, callbackUrl, currency, metadata, mid = "" } = transaction
  if (callbackUrl === undefined) return undefined
  return {
    url: address(callbackUrl, { paymentMethod: "card" }),
    transactionId: transaction.transactionId,
    signed: { account: mid, amount, currency, transactionId },
    body: {
      transactionId,
      ...more,
      mid,
      orderAmount: amount,
      orderCurrency: currency,
      ...present({ metadata })
    }
  }
}
