/**
 * The payments service on a port: the sandbox, its pages and console, the laws at a URL, and the doctor.
 *
 * @since 0.1.0
 */
export * as Conformance from "./Conformance.ts"
export * as Console from "./Console.ts"
export * as Doctor from "./Doctor.ts"
export * as HostedPage from "./HostedPage.ts"
export * as Readings from "./Readings.ts"
export * as Sandbox from "./Sandbox.ts"
