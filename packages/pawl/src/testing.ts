/**
 * Payments in tests: `pawl` over a fake of the service, and the service on a port. Any test runner can use them.
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
import type * as Client from "@pawl/http/Pawl"
import * as Fake from "@pawl/testkit/Fake"
import { Faults } from "@pawl/testkit/Faults"
import { Gateway, type Options as GatewayOptions } from "@pawl/testkit/Gateway"
import * as Sandboxed from "@pawl/sandbox/Sandbox"
import * as VirtualClock from "@pawl/testkit/VirtualClock"
import { Receiver } from "@pawl/webhook/Receiver"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Promised from "./internal/Promised.ts"
import type { Options } from "./Options.ts"
import { openOver, type Pawl } from "./Pawl.ts"
import * as Services from "./Services.ts"

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
export type Service = Promised.Promised<ReturnType<typeof serviceOf>>

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
export interface TestOptions extends Partial<Pick<Options, Shared>> {
  readonly fake?: GatewayOptions | undefined
}

/**
 * Opens a `Pawl` over a fake in this process, without a port. Callbacks reach its receiver.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = (options: TestOptions = {}): Promise<TestPawl> => {
  const runtime = ManagedRuntime.make(
    Fake.layer(options.fake).pipe(
      Layer.provideMerge(VirtualClock.layer()),
      Layer.provide(Services.references(options))
    )
  )
  const transitions: Array<Transition> = []
  const onChange = (transition: Transition) => {
    transitions.push(transition)
    return options.onChange?.(transition)
  }
  return runtime.runPromise(Effect.context<TestServices>()).then((context) => {
    const { outside } = Context.get(context, VirtualClock.VirtualClock)
    const { deliverTo } = Context.get(context, Fake.Fake)
    const settings = { merchantSecret, store: "memory", publicUrl: "https://shop.example" }
    return openOver(
      Layer.succeedContext(context),
      { ...settings, ...options, onChange },
      { outside, opened: (opened) => deliverTo(Context.get(opened, Receiver).receive) }
    ).then((pawl) => {
      const close = () => pawl.close().then(() => runtime.dispose())
      return { ...pawl, ...controls(context), transitions, close, [Symbol.asyncDispose]: close }
    })
  })
}

/**
 * Starts the service on a free port, or on `port`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sandbox = (
  options: Omit<Sandboxed.Options, "merchantKey" | "merchantSecret" | "token"> = {}
): Promise<Sandbox> => {
  const runtime = ManagedRuntime.make(
    Layer.provideMerge(Sandboxed.layer(options), Services.references({}))
  )
  const close = () => runtime.dispose()
  return runtime.runPromise(Effect.context<Sandboxed.Services>()).then((context) => ({
    baseUrl: Context.get(context, Sandboxed.Sandbox).baseUrl,
    merchantKey: "sandbox-key",
    merchantSecret,
    ...controls(context),
    close,
    [Symbol.asyncDispose]: close
  }))
}

type Shared = "callbackPath" | "logger" | "onChange" | "profile" | "publicUrl" | "rebuild" | "store"

const merchantSecret = "sandbox-secret"

type TestServices = Client.Services | Controlled | Fake.Fake
type Controlled = VirtualClock.VirtualClock | Gateway | Faults

const controls = (context: Context.Context<Controlled>) => {
  const runner = Promised.makeRunner(context)
  const { advance } = Context.get(context, VirtualClock.VirtualClock)
  return {
    clock: Promised.make(runner, {
      advance: (duration: Duration.Input) => advance(Duration.fromInputUnsafe(duration))
    }),
    service: Promised.make(runner, serviceOf(context))
  }
}

const serviceOf = (context: Context.Context<Controlled>) => {
  const { checkout, move, transaction, transactions } = Context.get(context, Gateway)
  const { confirm, decide, submit } = checkout
  const { add, clear } = Context.get(context, Faults)
  return {
    confirm,
    decide,
    submit,
    move,
    transaction,
    transactions: () => transactions,
    addFault: add,
    clearFaults: () => clear
  }
}
