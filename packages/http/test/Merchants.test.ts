import { Hmac } from "@pawl/core/Hmac"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import { RequestSender } from "@pawl/core/RequestSender"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { Agent } from "undici/index.js"
import { describe, expect, it } from "vitest"
import { ApmPayments } from "../src/ApmPayments.ts"
import * as NodeTransport from "../src/NodeTransport.ts"
import * as Pawl from "../src/Pawl.ts"
import * as PawlPortable from "../src/PawlPortable.ts"
import * as PawlConfig from "../src/PawlConfig.ts"
import { Transport } from "../src/Transport.ts"
import * as Memory from "./support/memory.ts"
import * as Server from "./support/server.ts"

type Merchant = "a" | "b"

/** A service whose token names its merchant, and the merchants that paid. */
const service = Effect.gen(function* () {
  const paid: Array<string | undefined> = []
  const server = yield* Server.start((socket, request) => {
    if (request.startsWith("POST /api/v1/auth ")) {
      const { merchantKey } = JSON.parse(request.split("\r\n\r\n")[1] ?? "{}")
      return Server.reply(socket, 200, JSON.stringify({ token: `token-of-${merchantKey}` }))
    }
    paid.push(/authorization: Bearer token-of-(\w+)/iu.exec(request)?.[1])
    Server.reply(socket, 200, '{"transactionId":"7","transactionStatus":"NEW"}')
  })
  const auths = () => server.received.filter((request) => request.includes("/v1/auth ")).length
  const optionsOf = (merchant: Merchant): Pawl.Options => ({
    baseUrl: `${server.url}/api`,
    merchantKey: merchant,
    merchantSecret: Redacted.make(`secret-of-${merchant}`)
  })
  return { paid, auths, optionsOf }
})

const pay = Memory.pay()

type Run = (merchants: Effect.Success<typeof service>) => Effect.Effect<void, unknown, Scope.Scope>

const run = (test: Run) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(service, (each) => test(each))))

class ShopA extends Context.Service<ShopA, { readonly pay: typeof paying }>()("test/ShopA") {}
class ShopB extends Context.Service<ShopB, { readonly pay: typeof paying }>()("test/ShopB") {}
declare const paying: Effect.Effect<unknown, unknown>

const shop = Effect.map(ApmPayments, ({ create }) => ({ pay: create(Memory.payment) }))
const shopA = Layer.effect(ShopA, shop)
const shopB = Layer.effect(ShopB, shop)

const payInBoth = Effect.gen(function* () {
  yield* (yield* ShopA).pay
  yield* (yield* ShopB).pay
})

describe("a client over another", () => {
  const service = new Memory.Service()
  const usual = {
    configuration: PawlConfig.layer(Memory.options),
    transport: service.layer,
    HMAC: NodeHmac.layer,
    profile: Profile.layer({})
  }
  const others: typeof usual = {
    configuration: PawlConfig.layer({ ...Memory.options, merchantKey: "other" }),
    transport: Layer.succeed(Transport, { send: (request) => service.send(request) }),
    HMAC: Layer.succeed(Hmac, { keyed: NodeHmac.keyed }),
    profile: Profile.layer({ tokenField: "accessToken" })
  }

  it.each<[keyof typeof usual | "nothing", number]>([
    ["nothing", 1],
    ["configuration", 2],
    ["transport", 2],
    ["HMAC", 2],
    ["profile", 2]
  ])("%s asks for the tokens of %i clients", async (name, clients) => {
    const before = service.auths.length
    const settings = name === "nothing" ? usual : { ...usual, [name]: others[name] }
    await Effect.gen(function* () {
      const memoMap = yield* Layer.makeMemoMap
      const scope = yield* Effect.scope
      for (const { HMAC, configuration, profile, transport } of [usual, settings]) {
        const client = Layer.provide(PawlPortable.layer, [configuration, transport, HMAC, profile])
        const context = yield* Layer.buildWithMemoMap(client, memoMap, scope)
        yield* Effect.provide(Memory.readStatus(), context)
      }
    }).pipe(Effect.scoped, Effect.runPromise)
    expect(service.auths.length - before).toBe(clients)
  })
})

const variables = (options: Pawl.Options) =>
  ConfigProvider.layer(
    ConfigProvider.fromUnknown({
      PAWL_BASE_URL: options.baseUrl,
      PAWL_MERCHANT_KEY: options.merchantKey,
      PAWL_MERCHANT_SECRET: "secret"
    })
  )

const layers: Record<string, (options: Pawl.Options) => Layer.Layer<Pawl.Services, unknown>> = {
  layer: (options) => Pawl.layer(options),
  layerPortable: (options) =>
    Layer.provide(PawlPortable.layer, [
      PawlConfig.layer(options),
      NodeTransport.layer,
      NodeHmac.layer
    ]),
  layerConfig: (options) => Layer.provide(Pawl.layerConfig(), variables(options))
}

describe.each(Object.entries(layers))("C25 two merchants in one program, by %s", (_, layer) => {
  it("pay as themselves with Layer.merge", () =>
    run(({ optionsOf, paid }) =>
      Effect.gen(function* () {
        yield* payInBoth
        expect(paid).toEqual(["a", "b"])
      }).pipe(
        Effect.provide(
          Layer.merge(
            Layer.provide(shopA, layer(optionsOf("a"))),
            Layer.provide(shopB, layer(optionsOf("b")))
          )
        )
      )
    ))

  it("are one client where one value is used twice", () =>
    run(({ auths, optionsOf, paid }) => {
      const client = layer(optionsOf("a"))
      return Effect.gen(function* () {
        yield* payInBoth
        yield* Effect.provide(pay, client)
        expect(paid).toEqual(["a", "a", "a"])
        expect(auths()).toBe(1)
      }).pipe(
        Effect.provide(Layer.merge(Layer.provide(shopA, client), Layer.provide(shopB, client)))
      )
    }))
})

describe("C25 two merchants in one program", () => {
  it("pay as themselves with nested provide, and a layer that is made twice is two clients", () =>
    run(({ auths, optionsOf, paid }) =>
      Effect.gen(function* () {
        yield* pay
        yield* Effect.provide(pay, Pawl.layer(optionsOf("b")))
        yield* pay
        expect([paid, auths()]).toEqual([["a", "b", "a"], 2])
        yield* Effect.provide(pay, Pawl.layer(optionsOf("a")))
        expect(auths()).toBe(3)
      }).pipe(Effect.provide(Pawl.layer(optionsOf("a"))))
    ))

  it("are one client for its services and its sender of requests", () =>
    run(({ auths, optionsOf, paid }) =>
      Effect.gen(function* () {
        yield* pay
        const { encode, send } = yield* RequestSender
        yield* send(yield* encode("apm-payment", { ...Memory.payment, requestId: "order-2" }))
        expect(paid).toEqual(["a", "a"])
        expect(auths()).toBe(1)
      }).pipe(Effect.provide(Layer.provide(Pawl.layerConfig(), variables(optionsOf("a")))))
    ))

  it("take the settings that no variable can hold as options", () =>
    run(({ optionsOf, paid }) => {
      const paths: Array<string> = []
      const agent = new Agent()
      const dispatch: Agent["dispatch"] = (options, handler) => {
        paths.push(options.path)
        return agent.dispatch(options, handler)
      }
      const layer = Pawl.layerConfig(
        { headers: Config.succeed({ "x-one": "1" }) },
        { dispatcher: { dispatch }, profile: { requestChecksumSeparator: "-" } }
      )
      return Effect.gen(function* () {
        yield* pay
        expect((yield* Profile.Profile).requestChecksumSeparator).toBe("-")
        expect(paid).toEqual(["a"])
        expect(paths).toEqual(["/api/v1/auth", "/api/v1/payments/apm"])
      }).pipe(
        Effect.provide(Layer.provide(layer, variables(optionsOf("a")))),
        Effect.ensuring(Effect.promise(() => agent.destroy()))
      )
    }))
})
