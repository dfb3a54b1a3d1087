import { Handler } from "@pawl/core/Handler"
import { Hmac } from "@pawl/core/Hmac"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import { StatusReader } from "@pawl/core/StatusReader"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { expect } from "@effect/vitest"
import * as CallbackUrl from "../src/CallbackUrl.ts"
import * as Ledger from "../src/Ledger.ts"
import * as NodeSqlite from "../src/NodeSqlite.ts"
import * as Receiver from "../src/Receiver.ts"
import * as Seal from "../src/Seal.ts"
import * as Verifier from "../src/Verifier.ts"
import { test } from "@pawl/test-support/Tests"
import { notFound } from "@pawl/test-support/World"

const makers = {
  env: () =>
    ConfigProvider.layer(ConfigProvider.fromUnknown({ PAWL_MERCHANT_SECRET: "sandbox-secret" })),
  hmac: () => Layer.succeed(Hmac, { keyed: NodeHmac.keyed }),
  profile: () => Profile.layer({}),
  ledger: () =>
    Layer.provide(Layer.effect(Ledger.Ledger, Ledger.Ledger), Layer.fresh(Ledger.layerMemory)),
  handler: () => Layer.succeed(Handler, { handle: () => Effect.void }),
  reader: () => Layer.succeed(StatusReader, { read: () => notFound }),
  verifier: () =>
    Layer.provide(Verifier.layer({ current: Redacted.make("sandbox-secret") }), NodeHmac.layer)
}

type Services = { readonly [Name in keyof typeof makers]: ReturnType<(typeof makers)[Name]> }

const made = () =>
  Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make()])) as Services

const receiver = Receiver.layer()

const building =
  <Built, Id extends Built, Service, E>(
    layer: Layer.Layer<Built, E>,
    key: Context.Key<Id, Service>
  ) =>
  (memo: Layer.MemoMap, scope: Scope.Scope): Effect.Effect<unknown, unknown> =>
    Effect.map(Layer.buildWithMemoMap(layer, memo, scope), (built) => Context.get(built, key))

test.each([
  ["CallbackUrl.layerConfig", CallbackUrl.layerConfig, CallbackUrl.CallbackUrl, ["env", "hmac"]],
  ["Seal.layerConfig", Seal.layerConfig, Seal.Seal, ["env", "hmac"]],
  ["Verifier.layerConfig", Verifier.layerConfig, Verifier.Verifier, ["env", "hmac", "profile"]],
  [
    "Receiver.layer",
    receiver,
    Receiver.Receiver,
    ["verifier", "ledger", "handler", "reader", "profile"]
  ]
] as const)(
  "C25: %s is shared with the same services, and built anew with another one",
  function* (_, layer, key, reads) {
    const memo = yield* Layer.makeMemoMap
    const scope = yield* Effect.scope
    const build = (services: Services) => {
      const read = reads.map((name) => services[name]) as never
      return building(Layer.provide(layer as unknown as Layer.Layer<never>, read), key as never)(
        memo,
        scope
      )
    }
    const services = made()
    const first = yield* build(services)
    expect(yield* build(services)).toBe(first)
    for (const name of reads) {
      const other = yield* build({ ...services, [name]: makers[name]() })
      expect([name, other === first]).toEqual([name, false])
    }
  }
)

const services = made()

const anew: ReadonlyArray<readonly [name: string, make: () => ReturnType<typeof building>]> = [
  [
    "Receiver.layer",
    () => {
      const { handler, ledger, reader, verifier } = services
      const dependencies = Layer.mergeAll(verifier, ledger, handler, reader)
      return building(Layer.provide(Receiver.layer(), dependencies), Receiver.Receiver)
    }
  ],
  [
    "NodeSqlite.layerLedger",
    () => building(NodeSqlite.layerLedger({ filename: ":memory:" }), Ledger.Ledger)
  ]
]

test.each(anew)("C25: two calls of %s are two services, and one value is one", function* (_, make) {
  const memo = yield* Layer.makeMemoMap
  const scope = yield* Effect.scope
  const one = make()
  const first = yield* one(memo, scope)
  expect(yield* one(memo, scope)).toBe(first)
  expect(yield* make()(memo, scope)).not.toBe(first)
})
