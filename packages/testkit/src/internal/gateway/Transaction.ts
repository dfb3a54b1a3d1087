import type { ApmPayload } from "@pawl/core/ApmPayload"
import type { ApmBillingDetails } from "@pawl/core/Billing"
import type { Kind } from "@pawl/core/Kind"
import type { Order } from "@pawl/core/Order"
import type { Status } from "@pawl/core/Status"
import type { Metadata } from "@pawl/core/Transaction"

/** A transaction. Times are ISO 8601. */
export interface Transaction {
  /** The id, unique in its gateway. */
  readonly transactionId: string
  /** The operation that created it. */
  readonly kind: Kind
  /** The last status of `history`. */
  readonly status: Status
  /** Whether the scenario moves it no further. */
  readonly isOver: boolean
  /** The reason of FAILED. */
  readonly declineCode?: number | undefined
  /** The decline sub-reason, which only an APM transaction has. */
  readonly declineSubReason?: string | undefined
  /** The requestId of the create. */
  readonly requestId: string
  /** The merchant account of an APM transaction. */
  readonly accountId?: string | undefined
  /** The merchant account of a card transaction. */
  readonly mid?: string | undefined
  /** The amount, rounded to two decimals. */
  readonly amount: string
  /** The currency, ISO 4217. */
  readonly currency: string
  /** The metadata of the create. */
  readonly metadata?: Metadata | undefined
  /** The URL of its callbacks; without one no callback is sent. */
  readonly callbackUrl?: string | undefined
  /** The name of the payment method. */
  readonly apmType?: string | undefined
  /** The payload of an APM create. */
  readonly apmPayload?: ApmPayload | undefined
  /** The customer of an APM create. */
  readonly billingDetails?: ApmBillingDetails | undefined
  /** The order of an APM create. */
  readonly order?: Order | undefined
  /** The mask of the card number, the only part of it that is stored. */
  readonly cardMask?: string | undefined
  /** The name on the card. */
  readonly cardHolder?: string | undefined
  /** The payment of a refund. */
  readonly paymentId?: string | undefined
  /** The subscription that a card payment charges. */
  readonly subscriptionId?: string | undefined
  /** The intent on whose page the customer made the payment. */
  readonly intentId?: string | undefined
  /** The URLs to which the pages send the customer back. */
  readonly returnUrls?: ReturnUrls | undefined
  /** Whether the customer approved it on the page of its method. */
  readonly isApproved?: boolean | undefined
  /** The time of the create. */
  readonly createdTime: string
  /** Every status and its time, in order. */
  readonly history: ReadonlyArray<{ readonly status: Status; readonly at: string }>
}

/** The URLs to which a page sends the customer back. */
export interface ReturnUrls {
  /** The URL after a payment. */
  readonly success?: string | undefined
  /** The URL after a decline or a cancellation. */
  readonly failure?: string | undefined
}
