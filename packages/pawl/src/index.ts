/**
 * Payments with promises.
 *
 * @since 0.1.0
 */
export { type ListenOptions, open, type Pawl } from "./Pawl.ts"
export type { Logger, Options } from "./internal/Options.ts"
export type { Transition } from "@pawl/core/Handler"
export * from "@pawl/core/PaymentsError"
export { type NextAction, of as nextAction } from "@pawl/core/NextAction"
export { StoreUnavailable } from "@pawl/core/CallbackError"
export { InvalidConfig } from "@pawl/http/PawlConfig"
export { CannotListen } from "@pawl/webhook/NodeReceiver"
export { InvalidCallbackUrl } from "@pawl/webhook/CallbackUrl"
export { StoreUnusable } from "@pawl/webhook/NodeStore"
export * from "@pawl/webhook/RequestsError"
export { value as reveal } from "effect/Redacted"
