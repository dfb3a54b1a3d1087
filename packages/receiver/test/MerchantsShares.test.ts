/** The shares of waiting callbacks, and of their bytes. */
import { Journal } from "@pawl/webhook/Journal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Shares from "@pawl/webhook/internal/doors/Shares"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import { Merchants } from "../src/Merchants.ts"
import { callback, make, type Shop } from "./merchantWorld.ts"
import { pass, settled } from "@pawl/test-support/World"
import { test } from "@pawl/test-support/Tests"

const others: ReadonlyArray<Shop> = ["shop-b", "shop-c"].map((id) => ({ id, accounts: [id] }))

const hanging: Shop = {
  id: "shop-a",
  accounts: ["shop-a"],
  ledger: Layer.effect(
    Ledger,
    Effect.map(Ledger, (ledger) => ({ ...ledger, accept: () => Effect.never }))
  ).pipe(Layer.provide(layerMemory))
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
    const { built, receive } = yield* make([
      { id: "shop-a", accounts: ["shop-a"], storeBytes: 300_000 },
      ...others
    ])
    const seen: Array<string> = []
    const shop = Context.get(built, Merchants).get("shop-a")
    if (shop !== undefined) {
      Context.get(shop.services, Journal).observe((entry) => seen.push(JSON.stringify(entry)))
    }
    const send = (id: string, n: number, bytes = 60_000) => {
      const fields = { accountId: id, transactionId: String(n), description: "x".repeat(bytes) }
      return receive(callback({ id }, fields))
    }
    for (let n = 1; n <= 5; n++) expect(yield* send("shop-a", n)).toBe(200)
    expect(yield* send("shop-a", 6, 0)).toBe(503)
    expect(yield* send("shop-a", 1)).toBe(200)
    for (let n = 1; n <= 9; n++) expect(yield* send("shop-b", n)).toBe(200)
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

  it("leave everyone a reserve, and hold about twice the total at most", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 8, max: 40 }),
        fc.array(step, { maxLength: 300 }),
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
      )
    )
  })
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
