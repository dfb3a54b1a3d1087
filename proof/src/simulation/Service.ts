/**
 * The service as a process: the gateway and its courier, over state that outlives them.
 *
 * @since 0.1.0
 */
import { Hmac } from "@pawl/core/Hmac"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Courier from "@pawl/testkit/Courier"
import * as Gateway from "@pawl/testkit/Gateway"
import * as GatewayConfig from "@pawl/testkit/GatewayConfig"
import type * as Contract from "../../../packages/testkit/src/internal/gateway/Contract.ts"
import type { ScheduledTransaction } from "../../../packages/testkit/src/internal/gateway/ScheduledTransaction.ts"
import { StateStore } from "../../../packages/testkit/src/internal/state/StateStore.ts"
import { merchantKey, secret } from "./Client.ts"
import * as Process from "./Process.ts"

/**
 * The service while it runs.
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  readonly gateway: Gateway.Gateway["Service"]
  readonly courier: Courier.Courier["Service"]
  readonly handle: (request: Contract.Request) => Effect.Effect<Contract.Response>
}

/**
 * The service, and its truth, which outlives its process.
 *
 * @category models
 * @since 0.1.0
 */
export interface Kept {
  readonly process: Process.Process<Service>
  readonly transactions: () => ReadonlyArray<Gateway.Transaction>
  readonly transaction: (id: string) => Gateway.Transaction | undefined
}

/**
 * Makes the service, which posts with a client. It is down until it is started.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (
  seed: number,
  client: HttpClient.HttpClient
): Effect.fn.Return<Kept, never, Hmac> {
  const hmac = yield* Hmac
  const kept = new Map<string, Map<string, unknown>>()
  const store: StateStore = {
    open: <A>(name: string) => {
      const shelf = kept.get(name) ?? new Map<string, unknown>()
      kept.set(name, shelf)
      // What a shelf of this name was given before is what it gives back.
      return shelf as Map<string, A>
    },
    list: () => [],
    save: Effect.void
  }
  const layer = Gateway.layer.pipe(
    Layer.provideMerge(Courier.layerInMemory),
    Layer.provide([
      Layer.succeed(HttpClient.HttpClient, client),
      Layer.succeed(StateStore, store),
      GatewayConfig.layer({
        merchantKey,
        merchantSecret: Redacted.make(secret),
        pace: "7 minutes",
        seed
      })
    ])
  )
  const process = Process.make(({ carry }) =>
    Effect.gen(function* () {
      const built = yield* Layer.build(Layer.fresh(layer))
      const gateway = Context.get(built, Gateway.Gateway)
      const own = yield* Effect.context()
      return {
        gateway,
        courier: Context.get(built, Courier.Courier),
        handle: (request: Contract.Request) =>
          Effect.flatMap(
            // Whoever asks has another clock, and another chance.
            carry(Effect.provide(gateway.handle(request), own)),
            (answer) => (answer === undefined ? Effect.never : Effect.succeed(answer))
          )
      }
    }).pipe(Effect.provideService(Hmac, hmac))
  )
  const entries = store.open<ScheduledTransaction>("transaction")
  return {
    process,
    transactions: () => Array.from(entries.values(), ({ transaction }) => transaction),
    transaction: (id) => entries.get(id)?.transaction
  }
})
