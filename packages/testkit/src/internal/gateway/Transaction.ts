/**
 * A transaction of the gateway, with its true status.
 */
import type { ApmPayload } from "@pawl/core/ApmPayload"
import type { ApmBillingDetails } from "@pawl/core/Billing"
import type { Kind } from "@pawl/core/Kind"
import type { Order } from "@pawl/core/Order"
import type { Status } from "@pawl/core/Status"
import type { Metadata } from "@pawl/core/Transaction"

/**
 * A transaction. Times are ISO 8601; `status` is the last of `history`.
 *
 * - `accountId`, `mid`: the merchant account, of an APM transaction and of a card transaction.
 * - `isOver`: the scenario moves the transaction no further.
 * - `paymentId`: the payment of a refund.
 * - `subscriptionId`: the subscription that a card payment charges.
 * - `intentId`: the intent on whose page the customer made the payment.
 * - `returnUrls`: the URLs to which the pages send the customer back.
 * - `isApproved`: the customer has approved it on the page of its method.
 */
export interface Transaction {
  readonly transactionId: string
  readonly kind: Kind
  readonly status: Status
  readonly isOver: boolean
  readonly declineCode?: number | undefined
  readonly declineSubReason?: string | undefined
  readonly requestId: string
  readonly accountId?: string | undefined
  readonly mid?: string | undefined
  readonly amount: string
  readonly currency: string
  readonly metadata?: Metadata | undefined
  readonly callbackUrl?: string | undefined
  readonly apmType?: string | undefined
  readonly apmPayload?: ApmPayload | undefined
  readonly billingDetails?: ApmBillingDetails | undefined
  readonly order?: Order | undefined
  readonly cardMask?: string | undefined
  readonly cardHolder?: string | undefined
  readonly paymentId?: string | undefined
  readonly subscriptionId?: string | undefined
  readonly intentId?: string | undefined
  readonly returnUrls?: ReturnUrls | undefined
  readonly isApproved?: boolean | undefined
  readonly createdTime: string
  readonly history: ReadonlyArray<{ readonly status: Status; readonly at: string }>
}

/** The URLs to which a page sends the customer back. */
export interface ReturnUrls {
  readonly success?: string | undefined
  readonly failure?: string | undefined
}
