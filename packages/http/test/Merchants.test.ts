import { Hmac } from "@pawl/core/Hmac"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import { RequestSender } from "@pawl/core/RequestSender"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LayerMap from "effect/LayerMap"
import * as ManagedRuntime from "effect/ManagedRuntime"
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

const pay = ApmPayments.use(({ create }) => create(Memory.payment))

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
        yield* Effect.provide(
          ApmPayments.use(({ status }) => status("7")),
          context
        )
      }
    }).pipe(Effect.scoped, Effect.runPromise)
    expect(service.auths.length - before).toBe(clients)
  })
})

describe("C25 two merchants in one program", () => {
  it("pay as themselves with nested provide", () =>
    run(({ optionsOf, paid }) =>
      Effect.gen(function* () {
        yield* pay
        yield* Effect.provide(pay, Pawl.layer(optionsOf("b")))
        yield* pay
        expect(paid).toEqual(["a", "b", "a"])
      }).pipe(Effect.provide(Pawl.layer(optionsOf("a"))))
    ))

  it("pay as themselves with Layer.mergeAll", () =>
    run(({ optionsOf, paid }) =>
      Effect.gen(function* () {
        yield* payInBoth
        expect(paid).toEqual(["a", "b"])
      }).pipe(
        Effect.provide(
          Layer.mergeAll(
            Layer.provide(shopA, Pawl.layer(optionsOf("a"))),
            Layer.provide(shopB, Pawl.layer(optionsOf("b")))
          )
        )
      )
    ))

  it("pay as themselves with LayerMap", () =>
    run(({ auths, optionsOf, paid }) =>
      Effect.gen(function* () {
        const clients = yield* LayerMap.make((merchant: Merchant) =>
          Pawl.layer(optionsOf(merchant))
        )
        for (const merchant of ["a", "b", "a"] as const)
          yield* Effect.provide(pay, clients.get(merchant))
        expect(paid).toEqual(["a", "b", "a"])
        expect(auths()).toBe(3)
        const both = Effect.gen(function* () {
          yield* Effect.provide(pay, clients.get("a"))
          yield* Effect.provide(pay, clients.get("b"))
        })
        yield* both
        expect(paid.slice(3)).toEqual(["a", "b"])
      })
    ))

  it("pay as themselves with two runtimes that have one memo map", () =>
    run(({ optionsOf, paid }) =>
      Effect.promise(async () => {
        const memoMap = Layer.makeMemoMapUnsafe()
        const a = ManagedRuntime.make(Pawl.layer(optionsOf("a")), { memoMap })
        const b = ManagedRuntime.make(Pawl.layer(optionsOf("b")), { memoMap })
        await a.runPromise(pay)
        await b.runPromise(pay)
        await a.dispose()
        await b.runPromise(pay)
        await b.dispose()
        expect(paid).toEqual(["a", "b", "b"])
      })
    ))

  it("pay as themselves over a transport of their own choice", () =>
    run(({ optionsOf, paid }) => {
      const client = (merchant: Merchant) =>
        Layer.provide(PawlPortable.layer, [
          PawlConfig.layer(optionsOf(merchant)),
          NodeTransport.layer,
          NodeHmac.layer
        ])
      return Effect.gen(function* () {
        yield* payInBoth
        expect(paid).toEqual(["a", "b"])
      }).pipe(
        Effect.provide([Layer.provide(shopA, client("a")), Layer.provide(shopB, client("b"))])
      )
    }))

  it("pay as themselves with settings from two configurations", () =>
    run(({ optionsOf, paid }) => {
      const client = (merchant: Merchant) => {
        const { baseUrl, merchantKey } = optionsOf(merchant)
        const variables = {
          PAWL_BASE_URL: baseUrl,
          PAWL_MERCHANT_KEY: merchantKey,
          PAWL_MERCHANT_SECRET: "secret"
        }
        return Layer.provide(
          Pawl.layerConfig(),
          ConfigProvider.layer(ConfigProvider.fromUnknown(variables))
        )
      }
      return Effect.gen(function* () {
        yield* payInBoth
        expect(paid).toEqual(["a", "b"])
      }).pipe(
        Effect.provide(
          Layer.merge(Layer.provide(shopA, client("a")), Layer.provide(shopB, client("b")))
        )
      )
    }))

  it.each(["layer", "layerPortable", "layerConfig"] as const)(
    "are one client where one value of %s is used twice",
    (name) =>
      run(({ auths, optionsOf, paid }) => {
        const options = optionsOf("a")
        const client = {
          layer: Pawl.layer(options),
          layerPortable: Layer.provide(PawlPortable.layer, [
            PawlConfig.layer(options),
            NodeTransport.layer,
            NodeHmac.layer
          ]),
          layerConfig: Layer.provide(
            Pawl.layerConfig(),
            ConfigProvider.layer(
              ConfigProvider.fromUnknown({
                PAWL_BASE_URL: options.baseUrl,
                PAWL_MERCHANT_KEY: "a",
                PAWL_MERCHANT_SECRET: "secret"
              })
            )
          )
        }[name]
        return Effect.gen(function* () {
          yield* payInBoth
          yield* Effect.provide(pay, client)
          expect(paid).toEqual(["a", "a", "a"])
          expect(auths()).toBe(1)
        }).pipe(
          Effect.provide(Layer.merge(Layer.provide(shopA, client), Layer.provide(shopB, client)))
        )
      })
  )

  it("are one client for its services and its sender of requests, with settings from variables", () =>
    run(({ auths, optionsOf, paid }) => {
      const variables = {
        PAWL_BASE_URL: optionsOf("a").baseUrl,
        PAWL_MERCHANT_KEY: "a",
        PAWL_MERCHANT_SECRET: "secret"
      }
      return Effect.gen(function* () {
        yield* pay
        const { encode, send } = yield* RequestSender
        yield* send(yield* encode("apm-payment", { ...Memory.payment, requestId: "order-2" }))
        expect(paid).toEqual(["a", "a"])
        expect(auths()).toBe(1)
      }).pipe(
        Effect.provide(
          Layer.provide(
            Pawl.layerConfig(),
            ConfigProvider.layer(ConfigProvider.fromUnknown(variables))
          )
        )
      )
    }))

  it("take the settings that no variable can hold as options", () =>
    run(({ optionsOf, paid }) => {
      const paths: Array<string> = []
      const agent = new Agent()
      const layer = Pawl.layerConfig(
        { headers: Config.succeed({ "x-one": "1" }) },
        {
          dispatcher: {
            dispatch: (options, handler) => {
              paths.push(options.path)
              return agent.dispatch(options, handler)
            }
          },
          profile: { requestChecksumSeparator: "-" }
        }
      )
      const variables = {
        PAWL_BASE_URL: optionsOf("a").baseUrl,
        PAWL_MERCHANT_KEY: "a",
        PAWL_MERCHANT_SECRET: "secret"
      }
      return Effect.gen(function* () {
        yield* pay
        expect((yield* Profile.Profile).requestChecksumSeparator).toBe("-")
        expect(paid).toEqual(["a"])
        expect(paths).toEqual(["/api/v1/auth", "/api/v1/payments/apm"])
      }).pipe(
        Effect.provide(
          Layer.provide(layer, ConfigProvider.layer(ConfigProvider.fromUnknown(variables)))
        ),
        Effect.ensuring(Effect.promise(() => agent.destroy()))
      )
    }))

  it("are two clients where a layer is made twice for one merchant", () =>
    run(({ auths, optionsOf }) =>
      Effect.gen(function* () {
        yield* pay
        yield* Effect.provide(pay, Pawl.layer(optionsOf("a")))
        expect(auths()).toBe(2)
      }).pipe(Effect.provide(Pawl.layer(optionsOf("a"))))
    ))
})
