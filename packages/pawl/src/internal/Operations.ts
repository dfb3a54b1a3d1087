/**
 * The operations of a `Pawl`: the methods of the services with promises for effects. They are interfaces,
 * because an editor shows no sentence for a member of a mapped type.
 */
import type { ApmPayments as ApmPaymentsService } from "@pawl/http/ApmPayments"
import type { ApmPayouts as ApmPayoutsService } from "@pawl/http/ApmPayouts"
import type { CardPayments as CardPaymentsService } from "@pawl/http/CardPayments"
import type { CardPayouts as CardPayoutsService } from "@pawl/http/CardPayouts"
import type { PaymentIntents as PaymentIntentsService } from "@pawl/http/PaymentIntents"
import type { Refunds as RefundsService } from "@pawl/http/Refunds"
import type { Requests as RequestsService } from "@pawl/webhook/Requests"
import type { Subscriptions as SubscriptionsService } from "@pawl/http/Subscriptions"
import type { Promised } from "./Promised.ts"

type Methods<Service extends { readonly Service: object }> = Promised<Service["Service"]>

/** Payments by an alternative method, such as a wallet or a bank. */
export interface ApmPayments {
  /** Starts a payment. Rejects with `Declined` when the response is FAILED. */
  readonly create: Methods<ApmPaymentsService>["create"]
  /** Reads the status by the `transactionId` of the create. */
  readonly status: Methods<ApmPaymentsService>["status"]
}

/** Payouts by an alternative method. */
export interface ApmPayouts {
  /** Starts a payout. Rejects with `Declined` when the response is FAILED. */
  readonly create: Methods<ApmPayoutsService>["create"]
  /** Reads all fields by the `transactionId` of the create. */
  readonly info: Methods<ApmPayoutsService>["info"]
  /** Reads the status by the `transactionId` of the create. */
  readonly status: Methods<ApmPayoutsService>["status"]
}

/** Payments by card. */
export interface CardPayments {
  /** Starts a payment with a card. Rejects with `Declined` when the response is FAILED. */
  readonly create: Methods<CardPaymentsService>["create"]
  /** Starts a payment with the card token of `tokenize`. Its errors are those of `create`. */
  readonly charge: Methods<CardPaymentsService>["charge"]
  /** Exchanges a card for a token that `charge` and `subscriptions.create` accept. */
  readonly tokenize: Methods<CardPaymentsService>["tokenize"]
  /** Reads the status by the `transactionId` of the create. */
  readonly status: Methods<CardPaymentsService>["status"]
}

/** Payouts to a card. */
export interface CardPayouts {
  /** Starts a payout. Rejects with `Declined` when the response is FAILED. */
  readonly create: Methods<CardPayoutsService>["create"]
  /** Reads all fields by the `transactionId` of the create, with the card masked. */
  readonly info: Methods<CardPayoutsService>["info"]
  /** Reads the status by the `transactionId` of the create. */
  readonly status: Methods<CardPayoutsService>["status"]
}

/** Hosted pages, on which the customer pays. */
export interface PaymentIntents {
  /**
   * Creates an intent, and resolves with the addresses of its hosted page. Rejects with `IntentRejected` when
   * the response has an errorCode.
   */
  readonly create: Methods<PaymentIntentsService>["create"]
}

/** Refunds of card payments, in full or in part. */
export interface Refunds {
  /** Starts a refund of the payment `transactionId`. Rejects with `Declined` when the response is FAILED. */
  readonly create: Methods<RefundsService>["create"]
  /** Reads all fields by the `refundId` of the create. */
  readonly info: Methods<RefundsService>["info"]
  /** Reads the status by the `refundId` of the create. */
  readonly status: Methods<RefundsService>["status"]
}

/** Subscriptions, which charge a card token at intervals. */
export interface Subscriptions {
  /**
   * Creates a subscription with a card token, and makes its first charge unless `skipFirstCharge` is true.
   * Rejects with `Declined` when the charge is FAILED; `cancel` the `subscriptionId` of the error, because
   * the subscription may charge at its next date.
   */
  readonly create: Methods<SubscriptionsService>["create"]
  /** Reads a subscription. */
  readonly get: Methods<SubscriptionsService>["get"]
  /**
   * Changes fields of the plan, the status, or both, and resolves with the changed subscription. An absent
   * field stays unchanged.
   */
  readonly update: Methods<SubscriptionsService>["update"]
  /** Sets a status, and resolves with the changed subscription. */
  readonly setStatus: Methods<SubscriptionsService>["setStatus"]
  /** Sets the status PAUSED, and resolves with the changed subscription. */
  readonly pause: Methods<SubscriptionsService>["pause"]
  /** Sets the status ACTIVE, and resolves with the changed subscription. */
  readonly resume: Methods<SubscriptionsService>["resume"]
  /** Cancels a subscription at once; no charge follows. */
  readonly cancel: Methods<SubscriptionsService>["cancel"]
}

/** Durable requests: the creates that the store knows. */
export interface Requests {
  /** Resolves with the row of a request, undefined if it is unknown. Its texts are sealed. */
  readonly get: Methods<RequestsService>["get"]
  /** Resolves with parked requests, oldest first. `after` is the last one of the page before. */
  readonly parked: Methods<RequestsService>["parked"]
  /** Settles a request as not sent if its first byte cannot have left, and resolves with whether it did. */
  readonly cancel: Methods<RequestsService>["cancel"]
  /**
   * Makes a parked request due again, and resolves with whether it did. With `hadNoEffect` a person states
   * that the request had no effect; with `parkedAt`, its `parked.at`, only if it was neither sent nor found
   * since.
   */
  readonly redrive: Methods<RequestsService>["redrive"]
}
