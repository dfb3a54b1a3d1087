/**
 * The whole service in memory, for a merchant's tests: no port, no network, and virtual time if you
 * like.
 *
 * **Details**
 *
 * It is the real client with its network replaced: a call is encoded, carries a token, and is retried
 * and decoded like any other, but its bytes go to a gateway in the same process. No promise is involved,
 * so under `TestClock` a ladder of retries, a token's 30 days or a year of charges pass in one `adjust`.
 *
 * Callbacks are delivered to whoever asked for them with `deliverTo`; until then nobody listens, and they
 * climb their ladder. Any callbackUrl will do, since nothing leaves the process.
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
import type { Hmac } from "@pawl/core/Hmac"
import { Unreachable } from "@pawl/core/PaymentsError"
import * as PortableHmac from "@pawl/core/PortableHmac"
import * as Pawl from "@pawl/http/Pawl"
import * as PawlConfig from "@pawl/http/PawlConfig"
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
import * as GatewayConfig from "./GatewayConfig.ts"
import { apart } from "./internal/Apart.ts"
import * as Nearby from "./internal/Nearby.ts"
import * as Struck from "./internal/sandbox/Struck.ts"

/**
 * Service that says where the callbacks go. `deliverTo` takes what a receiver does with one, and answers
 * with an HTTP status; whoever asked last gets them.
 *
 * @category services
 * @since 0.1.0
 */
export class Fake extends Context.Service<
  Fake,
  { readonly deliverTo: (receive: Receive) => Effect.Effect<void> }
>()("@pawl/testkit/Fake") {}

/**
 * What takes a callback in and answers with an HTTP status, such as `Receiver.receive`.
 *
 * @category models
 * @since 0.1.0
 */
export type Receive = (incoming: Incoming) => Effect.Effect<number>

/**
 * Everything a fake hands out: the services of the client, and what they are over.
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
 * Layer that provides every service of `@pawl/http` over a gateway in memory, and hands out the gateway,
 * the transport that leads to it, its courier and the faults it is to have.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: GatewayConfig.Options = {}): Layer.Layer<Services> =>
  Pawl.layerPortable.pipe(
    Layer.provide(config),
    Layer.provideMerge(transport),
    Layer.provideMerge(Layer.merge(Gateway.layer, Faults.layer)),
    Layer.provideMerge(callbacks),
    Layer.provide([PortableHmac.layer, GatewayConfig.layer(options)]),
    apart
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
    return Transport.of({
      send: ({ body = "", headers, method, url }) => {
        const path = url.replace(/^https?:\/\/[^/]*/u, "")
        const request = { method, path, headers, body: utf8.encode(body) }
        return Effect.flatMap(faults.strike(method, path), (fault) =>
          Effect.flatMap(Struck.meet(fault, gateway.handle(request)), (seen) =>
            seen._tag === "whole"
              ? Effect.succeed({ ...seen.answer, body: utf8.encode(seen.answer.body) })
              : Effect.fail(new Unreachable({ reason: "ECONNRESET", sent: true, attempts: 1 }))
          )
        )
      }
    })
  })
)

const callbacks: Layer.Layer<Fake | Courier.Courier, never, GatewayConfig.GatewayConfig | Hmac> =
  Layer.unwrap(
    Effect.sync(() => {
      let receive: Receive | undefined
      const client = Nearby.client((incoming) => receive?.(incoming) ?? Effect.undefined)
      return Layer.merge(
        Layer.succeed(Fake, {
          deliverTo: (given) =>
            Effect.sync(() => {
              receive = given
            })
        }),
        Layer.provide(Courier.layerInMemory, Layer.succeed(HttpClient.HttpClient, client))
      )
    })
  )
