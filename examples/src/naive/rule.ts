/**
 * The rule of the usual handler: each callback whose checksum matches is believed if its status ranks later.
 */
const ranks: Readonly<Record<string, number>> = {
  NEW: 1,
  PENDING: 2,
  PROCESSING: 3,
  CUSTOMER_VERIFICATION: 3,
  SUCCEED: 10,
  FAILED: 10,
  CANCELLED: 10,
  REFUNDED: 11,
  CHARGEBACK: 12
}

/** Tells whether a handler that has stored a status stores this one after it. */
export const ranksLater = (status: string, stored: string | undefined): boolean =>
  (ranks[status] ?? 0) > (ranks[stored ?? ""] ?? 0)
