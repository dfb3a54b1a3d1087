/**
 * The modules of `@pawl/core` that run without Node: the data types of the service, its errors and the model of
 * transaction statuses.
 *
 * @since 0.1.0
 */
export * as Account from "./Account.ts"
export * as Amount from "./Amount.ts"
export * as ApmPayload from "./ApmPayload.ts"
export * as ApmPayment from "./ApmPayment.ts"
export * as ApmPayout from "./ApmPayout.ts"
export * as Billing from "./Billing.ts"
export * as Callback from "./Callback.ts"
export * as CallbackError from "./CallbackError.ts"
export * as Card from "./Card.ts"
export * as CardPayment from "./CardPayment.ts"
export * as CardPayout from "./CardPayout.ts"
export * as Checksum from "./Checksum.ts"
export * as Evidence from "./Evidence.ts"
export * as Handler from "./Handler.ts"
export * as Hmac from "./Hmac.ts"
export * as NextAction from "./NextAction.ts"
export * as Order from "./Order.ts"
export * as PaymentIntent from "./PaymentIntent.ts"
export * as PaymentsError from "./PaymentsError.ts"
export * as Profile from "./Profile.ts"
export * as Reducer from "./Reducer.ts"
export * as Refund from "./Refund.ts"
export * as RequestSender from "./RequestSender.ts"
export * as Kind from "./Kind.ts"
export * as Status from "./Status.ts"
export * as StatusReader from "./StatusReader.ts"
export * as Subscription from "./Subscription.ts"
export * as Transaction from "./Transaction.ts"
