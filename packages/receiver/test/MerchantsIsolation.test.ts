import { forAll } from "@pawl/test-support/Properties"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import { Merchants } from "../src/Merchants.ts"
import { Worker } from "@pawl/webhook/internal/work/Worker"
import { callback, make, type Shop } from "@pawl/test-support/MerchantWorld"
import { pass, planted, run, settled } from "@pawl/test-support/World"
import { test } from "@pawl/test-support/Tests"
import { Journal } from "@pawl/webhook/Journal"
import * as Fiber from "effect/Fiber"
import fc from "fast-check"
import * as Shares from "@pawl/webhook/internal/doors/Shares"

class Extra extends Context.Service<Extra, string>()("test/Extra") {}

type Faults = Partial<Omit<Shop, "id">>

const others: ReadonlyArray<Shop> = ["shop-b", "shop-c"].map((id) => ({ id, accounts: [id] }))

/** Gives the broken merchant many transactions. Returns the others' calls. */
const callsOfOthers = (faults: Faults) =>
  run(
    Effect.gen(function* () {
      const broken: Shop = { id: "shop-a", accounts: ["shop-a"], ...faults }
      const scope = yield* Scope.make()
      const world = yield* Effect.provideService(make([broken, ...others]), Scope.Scope, scope)
      const { send } = world
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
  ["a store that hangs", { ledger: planted(() => ({ accept: () => Effect.never })) }]
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
    const ledger = planted((ledger) => ({
      pollInterval: Duration.millis(250),
      claim: (options) => {
        claims++
        return ledger.claim(options)
      }
    }))
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

  test("has the other services of its layer, too", function* () {
    const ledger = Layer.merge(layerMemory, Layer.succeed(Extra, "of shop-a"))
    const { built } = yield* make([{ id: "shop-a", ledger }])
    const shop = Context.get(built, Merchants).get("shop-a")!
    expect(Context.getOption(shop.services, Extra)).toEqual(Option.some("of shop-a"))
  })

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
    for (const each of shops) yield* world.send(each, "100001")
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

/** Its callbacks wait for a store that does not answer. */
const hanging: Shop = {
  id: "shop-a",
  accounts: ["shop-a"],
  ledger: planted(() => ({ accept: () => Effect.never }))
}

describe("a merchant whose store hangs", () => {
  test.each([
    ["1,024 callbacks", 1024, 0],
    ["12 MiB", 205, 60 * 1024]
  ])("is answered 503 once %s wait for it, and the others are not", function* (_, count, bytes) {
    const world = yield* make([hanging, ...others])
    const description = "x".repeat(bytes)
    const send = (shop: Shop, n: number) => {
      const fields = { accountId: shop.id, transactionId: String(100_000 + n), description }
      return world.receive(callback(shop, fields))
    }
    const waiting = yield* Effect.forEach(
      Array.from({ length: count }, (_, n) => n),
      (n) => Effect.forkChild(send(hanging, n))
    )
    yield* settled
    expect(yield* send(hanging, 2000)).toBe(503)
    for (const shop of others) expect(yield* send(shop, 1)).toBe(200)
    // A forged callback does not learn of it.
    const forged = callback({ id: "shop-b" }, { accountId: "shop-a", transactionId: "1" })
    expect(yield* world.receive(forged)).toBe(401)
    yield* pass("4 seconds")
    expect(yield* Effect.forEach(waiting, Fiber.join)).toEqual(waiting.map(() => 503))
    const next = yield* Effect.forkChild(send(hanging, 2000))
    yield* settled
    expect(next.pollUnsafe()).toBeUndefined()
  })
})

describe("a merchant whose store has all of its bytes", () => {
  test("is answered 503 for new transactions with an alarm, and the others are not", function* () {
    const full: Shop = { id: "shop-a", accounts: ["shop-a"], storeBytes: 300_000 }
    const world = yield* make([full, ...others])
    const seen: Array<string> = []
    const shop = Context.get(world.built, Merchants).get("shop-a")
    if (shop !== undefined) {
      Context.get(shop.services, Journal).observe((entry) => seen.push(JSON.stringify(entry)))
    }
    const send = (to: Shop, n: number, bytes = 60_000) =>
      world.send(to, String(n), "x".repeat(bytes))
    for (let n = 1; n <= 5; n++) expect(yield* send(full, n)).toBe(200)
    expect(yield* send(full, 6, 0)).toBe(503)
    expect(yield* send(full, 1)).toBe(200)
    for (let n = 1; n <= 9; n++) expect(yield* send(others[0]!, n)).toBe(200)
    expect(seen.join("\n")).toContain("the store has reached its limit")
    expect(seen.join("\n")).toContain("the store has reached four fifths")
  })
})

describe("the shares of waiting callbacks", () => {
  const merchants = 4
  const step = fc.record({
    merchant: fc.nat({ max: merchants - 1 }),
    bytes: fc.nat({ max: 3 }),
    // More takes than returns, so that the shares become full.
    isTake: fc.nat({ max: 3 }).map((n) => n > 0)
  })

  it("leave everyone a reserve, and hold about twice the total at most", () =>
    forAll(
      [fc.integer({ min: 8, max: 40 }), fc.array(step, { maxLength: 300 })],
      (total, steps) => {
        const share = Shares.make({ callbacks: total, bytes: 2 * total }, merchants)
        const shares = Array.from({ length: merchants }, share)
        const waiting = shares.map((): Array<number> => [])
        const bytesOf = (one: ReadonlyArray<number>) => one.reduce((sum, each) => sum + each, 0)
        const check = (own: number, all: ReadonlyArray<number>, limit: number) => {
          const sum = bytesOf(all)
          const sharing = all.filter((each) => each > 0).length + Number(own === 0)
          return {
            isFree: sum < limit || own < limit / 2 / merchants,
            isOver: sum >= limit && own >= limit / sharing && own >= limit / 2 / merchants
          }
        }
        for (const { bytes, isTake, merchant } of steps) {
          const own = waiting[merchant] ?? []
          if (!isTake) {
            const given = own.shift()
            if (given !== undefined) shares[merchant]?.giveBack(given)
            continue
          }
          const counts = check(
            own.length,
            waiting.map((one) => one.length),
            total
          )
          const sizes = check(bytesOf(own), waiting.map(bytesOf), 2 * total)
          const isTaken = shares[merchant]?.take(bytes) === true
          if (counts.isFree && sizes.isFree) expect(isTaken).toBe(true)
          if (counts.isOver || sizes.isOver) expect(isTaken).toBe(false)
          if (isTaken) own.push(bytes)
          expect(waiting.flat().length).toBeLessThanOrEqual(2 * total + merchants)
          expect(bytesOf(waiting.flat())).toBeLessThanOrEqual(4 * total + 3 * merchants)
        }
      }
    ))
})

describe("a hundred merchants whose stores hang one after the other", () => {
  it("hold twice the total at most, and the last one has his part of the reserve", () => {
    const total = { callbacks: 1024, bytes: 12 * 1024 * 1024 }
    const makeShare = Shares.make(total, 100)
    const taken = Array.from({ length: 100 }, () => {
      const share = makeShare()
      let own = 0
      while (share.take(1)) own++
      return own
    })
    expect(taken[0]).toBe(total.callbacks)
    expect(taken[1]).toBe(total.callbacks / 2)
    expect(taken.at(-1)).toBe(Math.ceil(total.callbacks / 2 / 100))
    const all = taken.reduce((sum, each) => sum + each, 0)
    expect(all).toBeLessThanOrEqual(2 * total.callbacks + taken.length)
  })
})
