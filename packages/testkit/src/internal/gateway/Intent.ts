/**
 * An intent as the service holds it: where it is on its way, and what people are shown of it.
 */
import type { Amount, Currency } from "@pawl/core/Amount"
import type { PaymentIntentRequest } from "@pawl/core/PaymentIntent"
import type { Metadata } from "@pawl/core/Transaction"
import { present } from "./Asked.ts"
import type { Transaction } from "./Book.ts"
import type { Pages } from "./Pages.ts"

/** Where an intent is on its way. */
export type State = "open" | "declined" | "challenged" | "underway" | "paid" | "cancelled"

/**
 * An intent as it is.
 *
 * - `request`: as it was created; what it leaves open is in `amount` and `currency`.
 * - `tries`: the transactions made on its page, in order; `declineCode` is that of the last.
 * - `isEarly`: the customer is sent on before the payment has ended, because a redirect confirms nothing.
 */
export interface Intent {
  readonly intentId: string
  readonly state: State
  readonly request: PaymentIntentRequest
  readonly amount: Amount | undefined
  readonly currency: Currency
  readonly tries: ReadonlyArray<string>
  readonly declineCode?: number | undefined
  readonly isEarly: boolean
  readonly createdTime: string
}

/**
 * What people are shown of an intent: nothing of its customer. `amount` is empty until the customer
 * has said it, if that was left to them.
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
  readonly transactionIds: ReadonlyArray<string>
}

/** Tells whether the customer can still pay. */
export const isOpen = (state: State): boolean => state === "open" || state === "declined"

/** Returns where an intent is, which is what its last transaction says. */
export const stateOf = ({ history, isOver, status }: Transaction): State => {
  if (history.some(({ status }) => status === "SUCCEED")) return "paid"
  if (status === "CUSTOMER_VERIFICATION") return "challenged"
  if (status === "CANCELLED") return "cancelled"
  return status === "FAILED" && isOver ? "declined" : "underway"
}

/** Makes the function that returns what people are shown of an intent. */
export const listing =
  (pages: Pages) =>
  ({ amount, createdTime, currency, intentId, request, state, tries }: Intent): Listed => ({
    intentId,
    type: request.type,
    status: state,
    ...pages.ofIntent(intentId),
    requestId: request.requestId,
    mid: request.mid,
    amount: amount ?? "",
    currency,
    callbackUrl: request.callbackUrl,
    createdTime,
    transactionIds: tries,
    ...present({
      orderId: request.order.orderId,
      title: request.order.title,
      metadata: request.metadata
    })
  })
