/**
 * Payments in tests: `pawl` over a fake of the service, and the service on a port. Any test runner can use them.
 *
 * **Details**
 *
 * `open` needs the package `@pawl/testkit`, and `sandbox` needs `@pawl/sandbox`. Both are development dependencies.
 *
 * **Example** (A payment in a test)
 *
 * ```ts
 * import { open } from "pawl/testing"
 *
 * await using pawl = await open()
 * await pawl.apmPayments.create({
 *   requestId: "order-17",
 *   accountId: "4711",
 *   amount: "10.00",
 *   currency: "EUR",
 *   apmPayload: { paymentMethod: "WALLET" }
 * })
 * await pawl.clock.advance("62 minutes")
 * pawl.transitions.at(-1)?.to // => "SUCCEED"
 * ```
 *
 * @since 0.1.0
 */
import type { Transition } from "@pawl/core/Handler"
import type { Options as GatewayOptions } from "@pawl/testkit/Gateway"
import type * as Duration from "effect/Duration"
import type { Controls } from "./internal/Controls.ts"
import * as Missing from "./internal/Missing.ts"
import type { Options } from "./internal/Options.ts"
import type { Pawl } from "./Pawl.ts"

/**
 * A clock that follows the wall clock and can be advanced: `await clock.advance("62 minutes")`. The promise resolves when
 * everything that fell due is done, with all calls of `onChange`. A number is in milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Clock {
  readonly advance: (duration: Duration.Input) => Promise<void>
}

/**
 * The service behind the test.
 *
 * - `transactions`, `transaction`: the true transactions.
 * - `move`: gives a transaction a status, which it keeps.
 * - `confirm`, `decide`, `submit`: the buttons of the customer, on the page of a payment method, in a 3-D Secure challenge,
 *   and on a hosted page.
 * - `addFault`: makes requests fail; see `@pawl/testkit/Faults`. `clearFaults` ends that.
 *
 * @category models
 * @since 0.1.0
 */
export type Service = Controls["service"]

/**
 * A `Pawl` over a fake.
 *
 * @category models
 * @since 0.1.0
 */
export interface TestPawl extends Pawl {
  readonly clock: Clock
  readonly service: Service
  /** The transitions that `onChange` was called with, in order. */
  readonly transitions: ReadonlyArray<Transition>
}

/**
 * The service on a port of this machine, as `pawl sandbox` starts it. `open({ ...sandbox, onChange })` uses it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Sandbox extends AsyncDisposable {
  readonly baseUrl: string
  readonly merchantKey: string
  readonly merchantSecret: string
  readonly clock: Clock
  readonly service: Service
  readonly close: () => Promise<void>
}

/**
 * The options of a `Pawl` over a fake, none of which is required. `fake` has the settings of the fake, such as its `seed`.
 *
 * **Details**
 *
 * The fake has its own credentials, and there is no connection to it. So there are no options for these, nor for headers,
 * hooks, time-outs and attempts: `open` of `pawl` over `sandbox` has them all.
 *
 * @category models
 * @since 0.1.0
 */
export interface TestOptions extends Partial<
  Pick<
    Options,
    "callbackPath" | "logger" | "onChange" | "profile" | "publicUrl" | "rebuild" | "store"
  >
> {
  readonly fake?: GatewayOptions | undefined
}

/**
 * The options of a sandbox. Its credentials are `sandbox-key` and `sandbox-secret`.
 *
 * - `port`, `host`: the address; the default is a free port of 127.0.0.1.
 * - `allowCallbacks`: hosts that callbacks may be sent to besides this machine, with or without a port.
 * - `readings`, `style`: the answers of a real service where its specification is silent, which the sandbox then has too.
 * - `filename`: the SQLite file for the state; without it the state is in memory.
 *
 * @category models
 * @since 0.1.0
 */
export interface SandboxOptions extends Omit<
  GatewayOptions,
  "behaviour" | "merchantKey" | "merchantSecret"
> {
  readonly readings?: Readonly<Record<string, string>> | undefined
  readonly style?: "plain" | "jvm" | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly allowCallbacks?: ReadonlyArray<string> | undefined
  readonly filename?: string | undefined
}

/**
 * Opens a `Pawl` over a fake in this process, without a port. Callbacks reach its receiver.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = (options: TestOptions = {}): Promise<TestPawl> =>
  import("./internal/Fakes.ts").then((fakes) => fakes.open(options), missing)

/**
 * Starts the service on a free port, or on `port`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sandbox = (options: SandboxOptions = {}): Promise<Sandbox> =>
  import("./internal/Sandboxes.ts").then((sandboxes) => sandboxes.start(options), missing)

const missing = (error: unknown): never => {
  const sentence = Missing.sentence(error, "pawl/testing")
  throw sentence === undefined ? error : new Error(sentence)
}
