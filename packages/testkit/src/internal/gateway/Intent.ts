import type { Amount, Currency } from "@pawl/core/Amount"
import type { PaymentIntentRequest } from "@pawl/core/internal/RequestBodies"
import type { Transaction } from "./Transaction.ts"

export type State =
  | "open"
  | "declined"
  | "challenged"
  | "underway"
  | "paid"
  | "cancelled"
  | "expired"

export interface Intent {
  readonly intentId: string
  readonly state: State
  readonly request: PaymentIntentRequest
  /** `amount` and `currency` fill in the fields that the request leaves out. */
  readonly amount: Amount | undefined
  readonly currency: Currency
  /** The transactions made on its page, in order; `declineCode` is that of the last. */
  readonly attempts: ReadonlyArray<string>
  readonly declineCode?: number | undefined
  /**
   * The customer is redirected before the payment has ended, because a redirect confirms nothing.
   */
  readonly isEarly: boolean
  readonly createdTime: string
  /** The time from which an unpaid intent cannot be paid, ISO 8601. */
  readonly expiresTime: string
}

export const isOpen = (state: State): boolean => state === "open" || state === "declined"

export const stateOf = ({ history, isOver, status }: Transaction): State => {
  if (history.some(({ status }) => status === "SUCCEED")) return "paid"
  if (status === "CUSTOMER_VERIFICATION") return "challenged"
  if (status === "CANCELLED") return "cancelled"
  return status === "FAILED" && isOver ? "declined" : "underway"
}
