/**
 * All modules of `@pawl/http`.
 *
 * @since 0.1.0
 */
export * as ApmPayments from "./ApmPayments.ts"
export * as ApmPayouts from "./ApmPayouts.ts"
export * as CallOptions from "./CallOptions.ts"
export * as CardPayments from "./CardPayments.ts"
export * as CardPayouts from "./CardPayouts.ts"
export * as Hooks from "./Hooks.ts"
export * as NodeTransport from "./NodeTransport.ts"
export * as Pawl from "./Pawl.ts"
export * as PawlConfig from "./PawlConfig.ts"
export * as PawlPortable from "./PawlPortable.ts"
export * as PaymentIntents from "./PaymentIntents.ts"
export * as Refunds from "./Refunds.ts"
export * as StatusPoller from "./StatusPoller.ts"
export * as Subscriptions from "./Subscriptions.ts"
export * as Transport from "./Transport.ts"
