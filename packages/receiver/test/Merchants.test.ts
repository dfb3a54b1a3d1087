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
import { live } from "@pawl/test-support/Tests"
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
  const receiver = Receiver.layer()

  live.each<[string, () => ReturnType<typeof Receiver.layer>]>([
    ["two receivers", () => Receiver.layer()],
    ["one receiver layer over two verifiers", () => receiver]
  ])("receive with their own secrets: %s", function* (_, make) {
    const of = (current: string) =>
      Layer.provide(make(), [verifierOf(current), service, layerMemory])
    const receive = Receiver.Receiver.use(({ receive }) => receive(callback))
    const all = Effect.all([receive, Effect.provide(receive, of("another-secret")), receive])
    expect(yield* Effect.provide(all, of(secret))).toEqual([200, 401, 200])
  })

  const verifier = (current: string) =>
    Layer.provide(Verifier.layerConfig, [variables(current), NodeHmac.layer])
  live.with(() => verifier(secret))(
    "verify with the secrets of their own configurations",
    function* () {
      const isValid = Verifier.Verifier.use(({ verify }) =>
        Effect.succeed(Result.isSuccess(verify(callback)))
      )
      expect(yield* isValid).toBe(true)
      expect(yield* Effect.provide(isValid, verifier("another-secret"))).toBe(false)
    }
  )

  const callbackUrl = (current: string) =>
    Layer.provide(CallbackUrl.layerConfig, [variables(current), NodeHmac.layer])
  live.with(() => callbackUrl(secret))(
    "sign callback URLs with the secrets of their own configurations",
    function* () {
      const url = CallbackUrl.CallbackUrl.use(({ make }) =>
        make("https://shop.example/callback", "apm-payment", { requestId: "order-1" })
      )
      expect(yield* Effect.provide(url, callbackUrl("another-secret"))).not.toBe(yield* url)
    }
  )

  const ledger = () => NodeSqlite.layerLedger({ filename: ":memory:" })
  live.with(ledger)("keep their rows in their own files", function* () {
    const outer = yield* Ledger
    expect(yield* Effect.provide(Ledger.use(Effect.succeed), ledger())).not.toBe(outer)
  })

  const shared = ledger()
  it("share a ledger whose layer is one value", () =>
    Effect.gen(function* () {
      const outer = yield* Ledger
      expect(Context.get(yield* Effect.scoped(Layer.build(shared)), Ledger)).toBe(outer)
    }).pipe(Effect.provide(shared), Effect.runPromise))
})
