/** The payments service as a process: a gateway and its courier, whose state outlives them. */
import { Hmac } from "@pawl/core/Hmac"
import * as Courier from "@pawl/testkit/Courier"
import * as Gateway from "@pawl/testkit/Gateway"
import type { ScheduledTransaction } from "@pawl/testkit/internal/gateway/ScheduledTransaction"
import { StateStore } from "@pawl/testkit/internal/state/StateStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { getOrMake } from "../GetOrMake.ts"
import { merchantKey, secret } from "./Client.ts"
import * as Process from "./Process.ts"

export const make = Effect.fnUntraced(function* (seed: number, client: HttpClient.HttpClient) {
  const hmac = yield* Hmac
  const maps = new Map<string, Map<string, unknown>>()
  // Each name is opened with one type of value.
  const open = <A>(name: string) => getOrMake(maps, name, () => new Map()) as Map<string, A>
  const entries = open<ScheduledTransaction>("transaction")
  const layer = Gateway.layer.pipe(
    Layer.provideMerge(Courier.layer(() => true)),
    Layer.provide([
      Layer.succeed(HttpClient.HttpClient, client),
      Layer.succeed(StateStore, { open, save: Effect.void }),
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
        handle: (request: Gateway.Request) =>
          Effect.flatMap(
            // The caller has another clock and random generator.
            run(Effect.provide(gateway.handle(request), context)),
            (answer) => (answer === undefined ? Effect.never : Effect.succeed(answer))
          )
      }
    }).pipe(Effect.provideService(Hmac, hmac))
  )
  return {
    process,
    transactions: () => Array.from(entries.values(), ({ transaction }) => transaction),
    transaction: (id: string) => entries.get(id)?.transaction
  }
})
