/**
 * What is true: the nouns of the service, its errors, and the state model.
 *
 * @since 0.1.0
 */
export * as Amount from "./Amount.ts"
export * as ApmPayment from "./ApmPayment.ts"
export * as Billing from "./Billing.ts"
export * as Callback from "./Callback.ts"
export * as CallbackError from "./CallbackError.ts"
export * as Checksum from "./Checksum.ts"
export * as Device from "./Device.ts"
export * as Evidence from "./Evidence.ts"
export * as Handler from "./Handler.ts"
export * as Hmac from "./Hmac.ts"
export * as Json from "./Json.ts"
export * as Order from "./Order.ts"
export * as PaymentsError from "./PaymentsError.ts"
export * as Profile from "./Profile.ts"
export * as Status from "./Status.ts"
export * as StatusReader from "./StatusReader.ts"
export * as Transaction from "./Transaction.ts"
