import type { Transition } from "@pawl/core/Handler"

const statuses = ["NEW", "PENDING", "PROCESSING", "SUCCEED", "REFUNDED"] as const

/** Returns transition number `sequence`, from 1 to 5, of a card payment. */
export const transition = (transactionId: string, sequence: number, attempt = 1): Transition => {
  const to = statuses[sequence - 1] ?? "CHARGEBACK"
  return {
    id: `card-payment:${transactionId}:${sequence}:${to}`,
    method: "card",
    kind: "card-payment",
    transactionId,
    requestId: `order-${transactionId}`,
    from: statuses[sequence - 2] ?? null,
    to,
    confirmed: sequence > 3,
    conflict: null,
    sequence,
    attempt,
    signed: null,
    callback: null
  }
}
