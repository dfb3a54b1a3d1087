/**
 * What proves it: the payments service itself, as a state machine behind every door.
 *
 * @since 0.1.0
 */
export * as Courier from "./Courier.ts"
export * as Fake from "./Fake.ts"
export * as Gateway from "./Gateway.ts"
export * as GatewayConfig from "./GatewayConfig.ts"
export * as Sandbox from "./Sandbox.ts"
export * as Scenario from "./Scenario.ts"
