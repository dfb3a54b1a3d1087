/**
 * Payments in tests, with any test runner: `open` over a fake needs the development dependency
 * `@pawl/testkit`, and `sandbox` `@pawl/sandbox`.
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
import type { Faults } from "@pawl/testkit/Faults"
import type { Gateway, Options as GatewayOptions, ServiceOptions } from "@pawl/testkit/Gateway"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as timers from "node:timers"
import * as Missing from "./internal/Missing.ts"
import type { LocalOptions, Options } from "./internal/Options.ts"
import type { Promised as Methods } from "./internal/Promised.ts"
import type { Pawl } from "./Pawl.ts"

/**
 * A clock that follows the wall clock and can be advanced.
 *
 * @category models
 * @since 0.1.0
 */
export interface Clock {
  /**
   * Advances by milliseconds or text such as `"62 minutes"`. Resolves when everything due is done, with
   * its calls of `onChange`.
   */
  readonly advance: (duration: Duration.Input) => Promise<void>
}

/**
 * The service behind the test. An action on an unknown id rejects.
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  /** Resolves with the true transactions, in the order of their creates. */
  readonly transactions: () => Promise<Effect.Success<Fake["transactions"]>>
  /** Resolves with a true transaction. */
  readonly transaction: Methods<Fake>["transaction"]
  /** Gives a transaction a status, which it keeps. */
  readonly move: Methods<Fake>["move"]
  /** Presses the customer's button on the page of a method. */
  readonly confirm: Methods<Fake["checkout"]>["confirm"]
  /** Presses the customer's button in a 3-D Secure challenge. */
  readonly decide: Methods<Fake["checkout"]>["decide"]
  /** Presses the customer's button on a hosted page. */
  readonly submit: Methods<Fake["checkout"]>["submit"]
  /** Makes requests fail; see `@pawl/testkit/Faults`. */
  readonly addFault: Methods<Faults["Service"]>["add"]
  /** Ends all faults. */
  readonly clearFaults: () => Promise<void>
}

type Fake = Gateway["Service"]

/**
 * A `Pawl` over a fake.
 *
 * @category models
 * @since 0.1.0
 */
export interface TestPawl extends Pawl {
  /** Clock of the test. */
  readonly clock: Clock
  /** Service behind the test. */
  readonly service: Service
  /** Transitions that `onChange` was called with, in order. */
  readonly transitions: ReadonlyArray<Transition>
}

/**
 * The service on a port of this machine, for `open({ ...sandbox, onChange })`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Sandbox extends AsyncDisposable {
  /** Base URL of the service. */
  readonly baseUrl: string
  /** Key of the merchant: `sandbox-key`. */
  readonly merchantKey: string
  /** Secret of the merchant: `sandbox-secret`. */
  readonly merchantSecret: string
  /** Clock of the service. */
  readonly clock: Clock
  /** The service. */
  readonly service: Service
  /** Stops the service. `await using` calls it. */
  readonly close: () => Promise<void>
}

/**
 * The options of a `Pawl` over a fake. It has no connection, and so no credentials, headers, hooks,
 * time-outs and attempts. It reads no variable of the environment.
 *
 * @category models
 * @since 0.1.0
 */
export interface TestOptions extends LocalOptions {
  /** Handles each transition; without it they are only listed. */
  readonly onChange?: Options["onChange"] | undefined
  /** Settings of the fake, such as its `seed`. */
  readonly fake?: GatewayOptions | undefined
}

/**
 * The options of a sandbox.
 *
 * @category models
 * @since 0.1.0
 */
export interface SandboxOptions extends ServiceOptions {
  /** Readings of a real service where its specification is silent. */
  readonly readings?: Readonly<Record<string, string>> | undefined
  /** Style of its bodies; default: `plain`. */
  readonly style?: "plain" | "jvm" | undefined
  /** Address; default: `127.0.0.1`. */
  readonly host?: string | undefined
  /** Port; default: a free one. */
  readonly port?: number | undefined
  /** Hosts besides this machine that get callbacks, with or without a port. */
  readonly allowCallbacks?: ReadonlyArray<string> | undefined
  /** SQLite file of its state; without it the state is in memory. */
  readonly filename?: string | undefined
}

/**
 * Opens a `Pawl` over a fake in this process. Callbacks reach its receiver.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = (options: TestOptions = {}): Promise<TestPawl> =>
  import("./internal/Fakes.ts").then((fakes) => fakes.open(options, real), missing)

/** The timers of Node as they are before a test replaces them. */
const real = { ...timers }

/**
 * Starts the service on a port.
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
