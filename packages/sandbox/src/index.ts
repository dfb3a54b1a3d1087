/**
 * The payments service on a port: the sandbox, the laws at a URL, and the doctor with its readings.
 *
 * @since 0.1.0
 */
export * as Conformance from "./Conformance.ts"
export * as Doctor from "./Doctor.ts"
export * as Readings from "./Readings.ts"
export * as Sandbox from "./Sandbox.ts"
