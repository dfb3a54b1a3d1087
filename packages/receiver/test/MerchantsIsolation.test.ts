import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import { Merchants } from "../src/Merchants.ts"
import { Worker } from "@pawl/webhook/internal/work/Worker"
import { callback, make, type Shop } from "./merchantWorld.ts"
import { pass, run } from "@pawl/test-support/World"
import { test } from "@pawl/test-support/Tests"

type Faults = Partial<Omit<Shop, "id">>

const others: ReadonlyArray<Shop> = ["shop-b", "shop-c"].map((id) => ({ id, accounts: [id] }))

/** Gives the broken merchant many transactions. Returns the others' calls. */
const callsOfOthers = (faults: Faults) =>
  run(
    Effect.gen(function* () {
      const broken: Shop = { id: "shop-a", accounts: ["shop-a"], ...faults }
      const scope = yield* Scope.make()
      const world = yield* Effect.provideService(make([broken, ...others]), Scope.Scope, scope)
      const send = (shop: Shop, transactionId: string) =>
        world.receive(callback(shop, { accountId: shop.id, transactionId }))
      for (let n = 0; n < 100; n++) yield* Effect.forkChild(send(broken, `${100_000 + n}`))
      for (let round = 0; round < 10; round++) {
        yield* pass("1 second")
        for (const shop of others) expect(yield* send(shop, `${200_000 + round}`)).toBe(200)
      }
      yield* pass("10 seconds")
      yield* Scope.close(scope, Exit.die("killed"))
      return world.calls.filter(({ merchant }) => merchant !== broken.id)
    })
  )

const faults: ReadonlyArray<readonly [string, Faults]> = [
  ["a handler that fails", { handle: () => Effect.fail("broken") }],
  ["a handler that dies", { handle: () => Effect.die(new Error("broken")) }],
  ["a handler that hangs", { handle: () => Effect.never }],
  ["a service that does not answer", { read: () => Effect.never }],
  [
    "a store that hangs",
    {
      ledger: Layer.effect(
        Ledger,
        Effect.map(Ledger, (ledger) => ({ ...ledger, accept: () => Effect.never }))
      ).pipe(Layer.provide(layerMemory))
    }
  ]
]

describe("a merchant", () => {
  const undisturbed = callsOfOthers({})

  it.each(faults)("is not delayed by another one with %s", async (_, broken) => {
    const calls = await callsOfOthers(broken)
    expect(calls).toHaveLength(20)
    expect(calls).toEqual(await undisturbed)
  })

  test("looks for rows of other processes the more rarely, the more merchants there are", function* () {
    let claims = 0
    const ledger = Layer.effect(
      Ledger,
      Effect.map(Ledger, (ledger) => ({
        ...ledger,
        pollInterval: Duration.millis(250),
        claim: (options: Parameters<typeof ledger.claim>[0]) => {
          claims++
          return ledger.claim(options)
        }
      }))
    ).pipe(Layer.provide(layerMemory))
    yield* make(Array.from({ length: 20 }, (_, n) => ({ id: `shop-${n}`, ledger })))
    yield* pass("1 minute")
    const before = claims
    yield* pass("50 seconds")
    expect((claims - before) / 50).toBeLessThanOrEqual(41)
  })

  test.with(() => layerMemory)(
    "has its own ledger, even if its layer is built outside, too",
    function* () {
      const { built } = yield* make([{ id: "shop-a" }, { id: "shop-b" }])
      const all = [...Context.get(built, Merchants).values()]
      const ledgers = [yield* Ledger, ...all.map(({ services }) => Context.get(services, Ledger))]
      expect(new Set(ledgers).size).toBe(3)
    }
  )

  test("drains beside the others, and is not waited for after them", function* () {
    const started = yield* Deferred.make<void>()
    const shop = (id: string): Shop => ({
      id,
      accounts: [id],
      handle: () => Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
    })
    const shops = ["shop-a", "shop-b", "shop-c"].map(shop)
    const scope = yield* Scope.make()
    const world = yield* Effect.provideService(make(shops), Scope.Scope, scope)
    for (const each of shops) {
      yield* world.receive(callback(each, { accountId: each.id, transactionId: "100001" }))
    }
    yield* pass("1 second")
    expect(world.calls).toHaveLength(3)
    const worker = Context.get(world.built, Worker)
    expect(yield* worker.isDraining).toBe(false)
    const ending = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* pass("16 seconds")
    expect(yield* worker.isDraining).toBe(true)
    expect(ending.pollUnsafe()).toEqual(Exit.void)
  })
})

describe("merchants are refused", () => {
  const start = (shops: ReadonlyArray<Shop>) =>
    Effect.runPromise(Effect.flip(Effect.scoped(make(shops)))).then(String)

  it.each([
    ["an id that cannot be in a URL", [{ id: "Shop A" }], "The id of a merchant must be"],
    ["an id used twice", [{ id: "shop-a" }, { id: "shop-a" }], "Two merchants have the id shop-a"],
    [
      "an account with two merchants",
      [
        { id: "shop-a", accounts: ["1001"] },
        { id: "shop-b", accounts: ["1001"] }
      ],
      "An account of shop-b is one of shop-a, too"
    ]
  ])("with %s", async (_, shops, message) => {
    const error = await start(shops)
    expect(error).toContain(message)
    expect(error).not.toContain("1001")
  })
})
