/**
 * Callbacks of card payments, card payouts and refunds (`spec.md`, "Events").
 */
import type { Message } from "../../Courier.ts"
import { withoutUndefined } from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"
import { withRouting } from "../courier/CallbackPost.ts"

/** Returns the callback of a card payment or payout without its status. */
export const message = (transaction: Transaction): Message | undefined =>
  write(transaction, transaction.transactionId, {})

/**
 * Makes the function that returns the callback of a refund. `named` selects the identifier in its
 * transactionId: the refund's or the payment's (`Profile.refundCallbackId`).
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
    url: withRouting(callbackUrl, { paymentMethod: "card" }),
    transactionId: transaction.transactionId,
    signed: { account: mid, amount, currency, transactionId },
    body: {
      transactionId,
      ...more,
      mid,
      orderAmount: amount,
      orderCurrency: currency,
      ...withoutUndefined({ metadata })
    }
  }
}
