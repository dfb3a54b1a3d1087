/** The payments service as a process: a gateway and its courier. */
import { Hmac } from "@pawl/core/Hmac"
import * as Courier from "@pawl/testkit/Courier"
import * as Gateway from "@pawl/testkit/Gateway"
import * as GatewayState from "./GatewayState.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { merchantKey, secret } from "./Client.ts"
import * as Process from "./Process.ts"

export interface RunningService {
  readonly gateway: Gateway.Gateway["Service"]
  readonly courier: Courier.Courier["Service"]
  readonly handle: (request: Gateway.Request) => Effect.Effect<Gateway.Response>
}

export interface Service extends Pick<GatewayState.GatewayState, "transaction" | "transactions"> {
  readonly process: Process.Process<RunningService>
}

export const make = Effect.fnUntraced(function* (
  seed: number,
  client: HttpClient.HttpClient
): Effect.fn.Return<Service, never, Hmac> {
  const hmac = yield* Hmac
  const state = GatewayState.makeMemory()
  const layer = Gateway.layer.pipe(
    Layer.provideMerge(Courier.layer(() => true)),
    Layer.provide([
      Layer.succeed(HttpClient.HttpClient, client),
      state.layer,
      Gateway.layerSettings({
        merchantKey,
        merchantSecret: Redacted.make(secret),
        pace: "7 minutes",
        seed
      })
    ])
  )
  const process = Process.make(({ run }) =>
    Effect.gen(function* () {
      const services = yield* Layer.build(Layer.fresh(layer))
      const gateway = Context.get(services, Gateway.Gateway)
      const context = yield* Effect.context()
      return {
        gateway,
        courier: Context.get(services, Courier.Courier),
        handle: (request: Gateway.Request) =>
          Effect.flatMap(
            // The caller has another clock and random generator.
            run(Effect.provide(gateway.handle(request), context)),
            (answer) => (answer === undefined ? Effect.never : Effect.succeed(answer))
          )
      }
    }).pipe(Effect.provideService(Hmac, hmac))
  )
  return { process, transactions: state.transactions, transaction: state.transaction }
})
