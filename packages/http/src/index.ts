/**
 * All modules of `@pawl/http`: the client of the payments service.
 *
 * @since 0.1.0
 */
export * as AccessToken from "./internal/token/AccessToken.ts"
export * as Api from "./Api.ts"
export * as ApmPayments from "./ApmPayments.ts"
export * as ApmPayouts from "./ApmPayouts.ts"
export * as Caller from "./internal/call/Caller.ts"
export * as CallOptions from "./CallOptions.ts"
export * as CardPayments from "./CardPayments.ts"
export * as CardPayouts from "./CardPayouts.ts"
export * as Endpoint from "./internal/wire/Endpoint.ts"
export * as Hooks from "./Hooks.ts"
export * as Metrics from "./internal/wire/Metrics.ts"
export * as NodeTransport from "./NodeTransport.ts"
export * as Pawl from "./Pawl.ts"
export * as PawlConfig from "./PawlConfig.ts"
export * as PawlPortable from "./PawlPortable.ts"
export * as PaymentIntents from "./PaymentIntents.ts"
export * as Refunds from "./Refunds.ts"
export * as RequestSender from "./internal/call/RequestSender.ts"
export * as StatusPoller from "./StatusPoller.ts"
export * as StatusReader from "./internal/call/StatusReader.ts"
export * as SubscriptionEndpoint from "./internal/wire/SubscriptionEndpoint.ts"
export * as Subscriptions from "./Subscriptions.ts"
export * as Transport from "./Transport.ts"
