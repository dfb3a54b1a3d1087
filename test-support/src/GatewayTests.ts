import * as vitest from "vitest"
import { run, type StatusForCallback } from "./TestGateway.ts"

/** Makes tests of a gateway in virtual time, whose receiver responds so to callbacks. */
export const testAnswering =
  (statusFor?: StatusForCallback) =>
  (name: string, body: Parameters<typeof run<void>>[0]): void =>
    vitest.it(name, () => run(body, {}, statusFor))

export const test = testAnswering()
