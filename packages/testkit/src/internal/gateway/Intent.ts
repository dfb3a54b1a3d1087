/**
 * A payment intent: its state, and its public form.
 */
import type { Amount, Currency } from "@pawl/core/Amount"
import type { PaymentIntentRequest } from "@pawl/core/internal/RequestBodies"
import type { Metadata } from "@pawl/core/Transaction"
import { withoutUndefined } from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"
import type { PageUrls } from "./PageUrls.ts"

/** The state of an intent. */
export type State =
  | "open"
  | "declined"
  | "challenged"
  | "underway"
  | "paid"
  | "cancelled"
  | "expired"

/**
 * A payment intent.
 *
 * - `request`: the create; `amount` and `currency` fill in the fields it leaves out.
 * - `attempts`: the transactions made on its page, in order; `declineCode` is that of the last.
 * - `expiresTime`: the time from which an unpaid intent cannot be paid, ISO 8601.
 * - `isEarly`: the customer is redirected before the payment has ended, because a redirect confirms nothing.
 */
export interface Intent {
  readonly intentId: string
  readonly state: State
  readonly request: PaymentIntentRequest
  readonly amount: Amount | undefined
  readonly currency: Currency
  readonly attempts: ReadonlyArray<string>
  readonly declineCode?: number | undefined
  readonly isEarly: boolean
  readonly createdTime: string
  readonly expiresTime: string
}

/**
 * The public form of an intent, without customer data. `amount` is empty until the customer has entered
 * it, where the intent leaves it open.
 */
export interface Listed {
  readonly intentId: string
  readonly type: "PAYMENT" | "PAYOUT"
  readonly status: State
  readonly redirectUrl: string
  readonly iframeUrl: string
  readonly requestId: string
  readonly mid: string
  readonly amount: string
  readonly currency: string
  readonly orderId?: string | null | undefined
  readonly title?: string | null | undefined
  readonly metadata?: Metadata | undefined
  readonly callbackUrl: string
  readonly createdTime: string
  readonly expiresTime: string
  readonly transactionIds: ReadonlyArray<string>
}

/** Tells whether the customer can still pay. */
export const isOpen = (state: State): boolean => state === "open" || state === "declined"

/** Returns the state of an intent by its last transaction. */
export const stateOf = ({ history, isOver, status }: Transaction): State => {
  if (history.some(({ status }) => status === "SUCCEED")) return "paid"
  if (status === "CUSTOMER_VERIFICATION") return "challenged"
  if (status === "CANCELLED") return "cancelled"
  return status === "FAILED" && isOver ? "declined" : "underway"
}

/** Makes the function that returns the public form of an intent. */
export const listing =
  (pageUrls: PageUrls) =>
  ({
    amount,
    createdTime,
    currency,
    expiresTime,
    intentId,
    request,
    state,
    attempts
  }: Intent): Listed => ({
    intentId,
    type: request.type,
    status: state,
    ...pageUrls.ofIntent(intentId),
    requestId: request.requestId,
    mid: request.mid,
    amount: amount ?? "",
    currency,
    callbackUrl: request.callbackUrl,
    createdTime,
    expiresTime,
    transactionIds: attempts,
    ...withoutUndefined({
      orderId: request.order.orderId,
      title: request.order.title,
      metadata: request.metadata
    })
  })
