/**
 * A merchant over the fake: durable requests, a receiver that the fake delivers to, and a ledger.
 *
 * **Details**
 *
 * In memory a year under `TestClock` takes a moment; over SQLite an hour takes seconds.
 *
 * **Gotchas**
 *
 * After `enqueue` or a fork call `TestClock.adjust(0)`: else time passes before the work begins.
 *
 * **Example** (A payment and the calls of the handler)
 *
 * ```ts
 * import * as Merchant from "@pawl/testkit/Merchant"
 * import { Requests } from "@pawl/webhook/Requests"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as TestClock from "effect/testing/TestClock"
 *
 * const told: Array<string> = []
 * const merchant = Merchant.layer({ handle: ({ to }) => Effect.sync(() => told.push(to)) })
 * const test = Effect.gen(function* () {
 *   const { send } = yield* Requests
 *   const order = { requestId: "order-17", accountId: "4711", amount: "10.00", currency: "EUR" }
 *   yield* send("apm-payment", { ...order, apmPayload: { paymentMethod: "WALLET" } })
 *   yield* TestClock.adjust("1 minute")
 * }).pipe(Effect.provide(Layer.provideMerge(merchant, TestClock.layer())))
 *
 * await Effect.runPromise(test)
 * told.at(-1) // => "SUCCEED"
 * ```
 *
 * @since 0.1.0
 */
import * as Handler from "@pawl/core/Handler"
import * as Hmac from "@pawl/core/Hmac"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Requests from "@pawl/webhook/Requests"
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import * as Seal from "@pawl/webhook/Seal"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Fake from "./Fake.ts"
import type * as GatewayConfig from "./internal/GatewayConfig.ts"

/**
 * The settings of the fake, and the handler of the merchant.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<R = never> extends GatewayConfig.Options {
  /** The merchant's handler. By default it does nothing. */
  readonly handle?:
    | ((transition: Handler.Transition) => Effect.Effect<unknown, unknown, R>)
    | undefined
}

/**
 * Layer of the merchant with its stores in memory, and of the fake beneath.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R = never>(options?: Options<R>) =>
  Layer.provideMerge(
    layerOverStore(options),
    Layer.provideMerge(RequestStore.layerMemory, Ledger.layerMemory)
  )

/**
 * Layer of the merchant and of the fake beneath, over a store such as `NodeSqlite.layerLedger({
 * filename: ":memory:" })`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerOverStore = <R = never>({
  handle = () => Effect.void,
  ...options
}: Options<R> = {}) => {
  const secret = options.merchantSecret ?? Redacted.make("sandbox-secret")
  return Fake.layerReceiver.pipe(
    Layer.provideMerge(Receiver.layer()),
    Layer.provide(Handler.layer(handle)),
    Layer.provideMerge(Requests.layer({ callbackUrl: "https://shop.example/callback" })),
    Layer.provide([
      Verifier.layer({ current: secret }),
      CallbackUrl.layer(secret),
      Seal.layer({ current: secret })
    ]),
    Layer.provideMerge(Fake.layer(options)),
    Layer.provide(Hmac.layer)
  )
}
