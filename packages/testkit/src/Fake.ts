/**
 * The whole service in memory for the tests of a merchant, without a port or a network.
 *
 * **Details**
 *
 * A fake is the real client with its network replaced: its bytes go to a gateway in the same
 * process. Under `TestClock` one `adjust` passes a year of charges. Any callbackUrl works.
 *
 * **Example** (A payment and its callbacks)
 *
 * ```ts
 * import * as ApmPayments from "@pawl/http/ApmPayments"
 * import * as Fake from "@pawl/testkit/Fake"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const fake = yield* Fake.Fake
 *   yield* fake.deliverTo(({ search }) => Effect.as(Effect.log(search), 200))
 *   const payments = yield* ApmPayments.ApmPayments
 *   return yield* payments.create({
 *     accountId: "4711",
 *     amount: "10.00",
 *     currency: "EUR",
 *     apmPayload: { paymentMethod: "WALLET" },
 *     callbackUrl: "https://shop.example/callback"
 *   })
 * }).pipe(Effect.provide(Fake.layer()))
 * ```
 *
 * @since 0.1.0
 */
import * as Hmac from "@pawl/core/Hmac"
import { isolated } from "@pawl/core/internal/Isolated"
import { Unreachable } from "@pawl/core/PaymentsError"
import type * as Pawl from "@pawl/http/Pawl"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as PawlPortable from "@pawl/http/PawlPortable"
import { Transport } from "@pawl/http/Transport"
import { Receiver } from "@pawl/webhook/Receiver"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Courier from "./Courier.ts"
import * as Faults from "./Faults.ts"
import * as Gateway from "./Gateway.ts"
import * as GatewayConfig from "./internal/GatewayConfig.ts"
import * as InProcess from "./internal/InProcess.ts"
import * as FaultedResponse from "./internal/faults/FaultedResponse.ts"

/**
 * Service that sets the receiver of the callbacks.
 *
 * @category services
 * @since 0.1.0
 */
export class Fake extends Context.Service<
  Fake,
  {
    /**
     * Sets or replaces the receiver. Before the first call, callbacks reach nobody and are retried.
     */
    readonly deliverTo: (receive: Receive) => Effect.Effect<void>
  }
>()("@pawl/testkit/Fake") {}

/**
 * A function that takes a callback and returns an HTTP status, such as `Receiver.receive`. If it
 * fails, the callback is answered 500.
 *
 * @category models
 * @since 0.1.0
 */
export type Receive = (incoming: Incoming) => Effect.Effect<number>

/**
 * The services of a fake: those of the client, and those beneath it.
 *
 * @category models
 * @since 0.1.0
 */
export type Services =
  | Pawl.Services
  | Fake
  | Transport
  | Gateway.Gateway
  | Courier.Courier
  | Faults.Faults

/**
 * Layer that provides every service of `@pawl/http` over a gateway in memory, and the gateway with
 * its transport, courier and faults.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: GatewayConfig.Options = {}): Layer.Layer<Services> =>
  PawlPortable.layer.pipe(
    Layer.provide(config),
    Layer.provideMerge(transport),
    Layer.provideMerge(Layer.merge(Gateway.layer, Faults.layer)),
    Layer.provideMerge(callbacks),
    Layer.provide([Hmac.layer, GatewayConfig.layer(options)]),
    isolated
  )

/**
 * Layer that delivers the callbacks to the receiver.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerReceiver: Layer.Layer<never, never, Fake | Receiver> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { deliverTo } = yield* Fake
    yield* deliverTo((yield* Receiver).receive)
  })
)

const baseUrl = "http://localhost/api"

const config = Layer.effect(
  PawlConfig.PawlConfig,
  Effect.flatMap(GatewayConfig.GatewayConfig, ({ merchantKey, merchantSecret }) =>
    Effect.orDie(PawlConfig.make({ baseUrl, merchantKey, merchantSecret }))
  )
)

const utf8 = new TextEncoder()

const transport = Layer.effect(
  Transport,
  Effect.gen(function* () {
    const gateway = yield* Gateway.Gateway
    const faults = yield* Faults.Faults
    const respond = (fault: Faults.Kind | undefined, request: Gateway.Request) =>
      Effect.flatMap(FaultedResponse.make(fault, gateway.handle(request)), (faulted) =>
        faulted._tag === "whole"
          ? Effect.succeed({ ...faulted.response, body: utf8.encode(faulted.response.body) })
          : Effect.fail(unreachable("ECONNRESET"))
      )
    return Transport.of({
      keepsTime: true,
      send: ({ body = "", headers, method, url }, within) => {
        const path = url.replace(/^https?:\/\/[^/]*/u, "")
        const request = { method, path, headers, body: utf8.encode(body) }
        return Effect.flatMap(faults.strike(method, path), (fault) =>
          // Any other response takes no time.
          fault === "delay"
            ? Effect.timeoutOrElse(respond(fault, request), {
                duration: within,
                orElse: () => Effect.fail(unreachable("no response in time"))
              })
            : respond(fault, request)
        )
      }
    })
  })
)

const unreachable = (reason: string) => new Unreachable({ reason, sent: true, attempts: 1 })

const callbacks: Layer.Layer<
  Fake | Courier.Courier,
  never,
  GatewayConfig.GatewayConfig | Hmac.Hmac
> = Layer.unwrap(
  Effect.sync(() => {
    let receive: Receive | undefined
    const client = InProcess.client((incoming) => receive?.(incoming) ?? Effect.undefined)
    return Layer.merge(
      Layer.succeed(Fake, {
        deliverTo: (receiver) =>
          Effect.sync(() => {
            receive = receiver
          })
      }),
      Layer.provide(
        Courier.layer(() => true),
        Layer.succeed(HttpClient.HttpClient, client)
      )
    )
  })
)
