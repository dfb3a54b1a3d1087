import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { StatusReader } from "@pawl/core/StatusReader"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import { apm, incoming, secret } from "@pawl/test-support/Service"

const callback = incoming("apm", apm())

const service = Layer.mergeAll(
  Layer.succeed(StatusReader, { read: (kind) => Effect.succeed({ kind, status: "PENDING" }) }),
  Handler.layer(() => Effect.void)
)

const verifierOf = (current: string) =>
  Layer.provide(Verifier.layer({ current: Redacted.make(current) }), NodeHmac.layer)

const variables = (PAWL_MERCHANT_SECRET: string) =>
  ConfigProvider.layer(ConfigProvider.fromUnknown({ PAWL_MERCHANT_SECRET }))

describe("C25 two merchants in one program", () => {
  it.each<[string, () => () => ReturnType<typeof Receiver.layer>]>([
    ["two receivers", () => () => Receiver.layer()],
    [
      "one receiver layer over two verifiers",
      () => {
        const receiver = Receiver.layer()
        return () => receiver
      }
    ]
  ])("receive with their own secrets: %s", (_, make) => {
    const receiver = make()
    const of = (current: string) =>
      Layer.provide(receiver(), [verifierOf(current), service, layerMemory])
    const receive = Receiver.Receiver.use(({ receive }) => receive(callback))
    return Effect.gen(function* () {
      expect(yield* receive).toBe(200)
      expect(yield* Effect.provide(receive, of("another-secret"))).toBe(401)
      expect(yield* receive).toBe(200)
    }).pipe(Effect.provide(of(secret)), Effect.scoped, Effect.runPromise)
  })

  it("verify with the secrets of their own configurations", () => {
    const of = (current: string) =>
      Layer.provide(Verifier.layerConfig, [variables(current), NodeHmac.layer])
    const isValid = Verifier.Verifier.use(({ verify }) =>
      Effect.succeed(Result.isSuccess(verify(callback)))
    )
    return Effect.gen(function* () {
      expect(yield* isValid).toBe(true)
      expect(yield* Effect.provide(isValid, of("another-secret"))).toBe(false)
    }).pipe(Effect.provide(of(secret)), Effect.runPromise)
  })

  it("sign callback URLs with the secrets of their own configurations", () => {
    const of = (current: string) =>
      Layer.provide(CallbackUrl.layerConfig, [variables(current), NodeHmac.layer])
    const url = CallbackUrl.CallbackUrl.use(({ make }) =>
      make("https://shop.example/callback", "apm-payment", {
        requestId: "order-1",
        accountId: "1001",
        amount: "10.00",
        currency: "EUR"
      })
    )
    return Effect.gen(function* () {
      expect(yield* Effect.provide(url, of("another-secret"))).not.toBe(yield* url)
    }).pipe(Effect.provide(of(secret)), Effect.runPromise)
  })

  it("keep their rows in their own files", () => {
    const ledger = () => NodeSqlite.layerLedger({ filename: ":memory:" })
    const one = Ledger.use((ledger) => Effect.succeed(ledger))
    return Effect.gen(function* () {
      const outer = yield* one
      expect(yield* Effect.provide(one, ledger())).not.toBe(outer)
    }).pipe(Effect.provide(ledger()), Effect.runPromise)
  })

  it("share a ledger whose layer is one value", () => {
    const ledger = NodeSqlite.layerLedger({ filename: ":memory:" })
    return Effect.gen(function* () {
      const outer = yield* Ledger
      expect(Context.get(yield* Effect.scoped(Layer.build(ledger)), Ledger)).toBe(outer)
    }).pipe(Effect.provide(ledger), Effect.runPromise)
  })
})
