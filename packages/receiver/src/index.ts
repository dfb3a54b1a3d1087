/**
 * The receiver as a process: the operator's API, forwarding, and several merchants. `npx
 * pawl-receiver` puts them together.
 *
 * @since 0.1.0
 */
export * as Admin from "./Admin.ts"
export * as CloudEvent from "./CloudEvent.ts"
export * as Forwarder from "./Forwarder.ts"
export * as Merchants from "./Merchants.ts"
