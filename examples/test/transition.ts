import * as Service from "@pawl/test-support/Service"

const statuses = ["NEW", "PENDING", "PROCESSING", "SUCCEED", "REFUNDED"] as const

/** Returns transition number `sequence`, from 1 to 5, of a card payment. */
export const transition = (
  transactionId: string,
  sequence: number,
  attempt = 1
): typeof Service.transition => {
  const to = statuses[sequence - 1] ?? "CHARGEBACK"
  return {
    ...Service.transition,
    id: `card-payment:${transactionId}:${sequence}:${to}`,
    transactionId,
    requestId: `order-${transactionId}`,
    from: statuses[sequence - 2] ?? null,
    to,
    confirmed: sequence > 3,
    sequence,
    attempt
  }
}
