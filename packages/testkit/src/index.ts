/**
 * The payments service for tests: a fake, generators of test data, and laws.
 *
 * @since 0.1.0
 */
export * as Courier from "./Courier.ts"
export * as Fake from "./Fake.ts"
export * as Faults from "./Faults.ts"
export * as Gateway from "./Gateway.ts"
export * as Generators from "./Generators.ts"
export * as Laws from "./Laws.ts"
export * as Merchant from "./Merchant.ts"
export * as Scenario from "./Scenario.ts"
export * as VirtualClock from "./VirtualClock.ts"
