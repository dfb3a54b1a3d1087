import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import { laws, type Open, payoutLaws, type Shop } from "../src/Laws/Handler.ts"
import { handlers, payoutHandlers, payoutShop, right, shop } from "./support/handlers.ts"
import { breaks, broken } from "@pawl/test-support/LawTests"
import { describePlantedBugs } from "@pawl/test-support/PlantedBugs"
import { repeats } from "@pawl/test-support/Repeats"
import { test } from "@pawl/test-support/Tests"

const like =
  (change: (opened: Shop) => Shop): Open =>
  async (order) =>
    change(await shop()(order))

describe("the laws of a handler hold", () => {
  it.for(laws)("for a handwritten shop: $name", (law) =>
    Laws.run(law, shop(), { numRuns: repeats(1000) })
  )

  it("for a handler of payouts by bank and by card", async () => {
    expect(broken(await breaks(payoutLaws, payoutShop()))).toEqual([])
    const card: Open = async (order) => {
      const { read, start } = await payoutShop()(order)
      return {
        kind: "card-payout",
        read,
        start: async () => {
          const handle = await start()
          return ({ kind, ...transition }) =>
            kind === "card-payout" && handle({ ...transition, kind: "apm-payout" })
        }
      }
    }
    expect(broken(await breaks(payoutLaws, card))).toEqual([])
  })

  it("for a shop whose functions return promises, and one whose handler returns effects", async () => {
    const promises = like(({ read, start }) => ({
      start: async () => {
        const handle = await start()
        return (transition) => Promise.resolve(handle(transition))
      },
      read: async () => read()
    }))
    const effects = like(({ read, start }) => ({
      start: () => (transition) => Effect.promise(async () => (await start())(transition)),
      read
    }))
    expect(await breaks(laws, promises)).toEqual([])
    expect(await breaks(laws, effects)).toEqual([])
  })

  it("for a shop whose store refuses two writes at the same time: a call that fails is made again", async () => {
    const refusing = like(({ read, start }) => {
      let running = 0
      return {
        start: async () => {
          const handle = await start()
          return async (transition) => {
            running++
            await Promise.resolve()
            const isAlone = running === 1
            await Promise.resolve()
            running--
            if (!isAlone) throw new Error("written meanwhile")
            await handle(transition)
          }
        },
        read
      }
    })
    expect(broken(await breaks(laws, refusing))).toEqual([])
  })

  it("for a shop that has APM payments", async () => {
    const plant: Parameters<typeof shop>[0] = {
      // APM payments have no refunds, so REFUNDED takes everything.
      books: (stored, order) => ({
        ...right.books(stored, order),
        money: stored.some(({ to }) => to === "SUCCEED") ? order.amount : 0
      }),
      isOurs: (next, order) =>
        next.kind === "apm-payment" && right.isOurs({ ...next, kind: "card-payment" }, order)
    }
    const apm: Open = async (order) => ({ ...(await shop(plant)(order)), kind: "apm-payment" })
    expect(broken(await breaks(laws, apm))).toEqual([])
  })

  it.for(["money", "stock"] as const)("for a shop with %s alone in its books", async (name) => {
    const alone = like(({ read, start }) => ({
      start,
      read: async () => ({ [name]: (await read())[name] })
    }))
    expect(await breaks(laws, alone)).toEqual([])
  })
})

describe("the laws of a handler are broken", () => {
  const first = laws.slice(0, 1)
  const together = laws.filter(({ name }) => name.startsWith("two calls"))

  it("by a shop whose books have neither money nor stock", async () => {
    const misspelt = like(({ start }) => ({ start, read: () => ({ Money: 10 }) as object }))
    const [found] = await breaks(first, misspelt)
    expect(found?.wrong).toContain("the books say neither money nor stock")
  })

  it("by calls at the same time, both of which are shown", async () => {
    const locking = handlers.find(([bug]) => bug.startsWith("a lock in memory"))?.[2]
    const [found] = await breaks(together, shop(locking))
    expect(found?.shown).toMatch(/^\d\. .+\n {3}and at the same time another process receives it/mu)
  })

  it("by a transaction of another order, whose requestId is shown", async () => {
    const greedy = handlers.find(([bug]) => bug === "the order is not looked up")?.[2]
    const [found] = await breaks(
      laws.filter(({ name }) => name.startsWith("a transaction of another")),
      shop(greedy)
    )
    expect(found?.shown).toMatch(/ 900001 \([^\n]+ requestId (?:null|order-of-nobody)\)$/u)
  })

  it("by a handler that throws, whose error is the cause; the books that differ are none", async () => {
    const thrown = new TypeError("no order")
    const throwing = like(({ read }) => ({ read, start: () => () => Promise.reject(thrown) }))
    expect((await breaks(first, throwing))[0]?.cause).toBe(thrown)
    const idle = like(({ read }) => ({ read, start: () => () => undefined }))
    expect((await breaks(first, idle))[0]).not.toHaveProperty("cause")
  })

  it("by a shop with stock alone: money is neither in what its books say nor expected", async () => {
    const twice = like(({ start }) => ({ start, read: () => ({ stock: 2 }) }))
    for (const law of [...first, ...laws.filter(({ name }) => name.startsWith("in a conflict"))]) {
      const [found] = await breaks([law], twice)
      expect(found?.wrong).toMatch(/the books say stock 2\. Expected stock 1$/u)
    }
  })

  it("by two histories of one shop, both of which are shown", async () => {
    const passed = laws.filter(({ name }) => name.startsWith("statuses that were passed over"))
    const deaf = shop({
      isLater: (next, last) => next.to !== "CHARGEBACK" && right.isLater(next, last)
    })
    const [found] = await breaks(passed, deaf)
    expect(found?.shown).toMatch(/^1\. the handler receives "CHARGEBACK" [^\n]+$/u)
    expect(found?.wrong).toMatch(
      /Expected money 19\.99, stock 1, as the books of the same shop say after\n1\. [^]+\n5\. the handler receives "CHARGEBACK"/u
    )
  })

  const doesNotEnd = Effect.fnUntraced(function* (
    tried: typeof laws,
    make: (hang: () => void) => Open
  ) {
    const hanging = Promise.withResolvers<void>()
    const check = yield* Effect.forkChild(
      Effect.flip(Effect.all(tried.map((law) => law.check(make(hanging.resolve)))))
    )
    yield* Effect.promise(() => hanging.promise)
    yield* TestClock.adjust("10 seconds")
    expect((yield* Fiber.join(check)).wrong).toContain("has not ended after 10 seconds")
  })

  test("by a shop of which a function does not end", function* () {
    yield* doesNotEnd(first, (hang) =>
      like(({ start }) => ({ start, read: () => (hang(), new Promise(() => {})) }))
    )
    yield* doesNotEnd(first, (hang) =>
      like(({ read }) => ({ start: () => () => (hang(), Effect.never), read }))
    )
  })

  test("by a shop in which each of two calls at the same time waits for the other", function* () {
    yield* doesNotEnd(together, (hang) =>
      like(({ read }) => {
        let calls = 0
        const call = Effect.suspend(() => (calls++ > 0 ? hangs : Effect.yieldNow))
        const hangs = Effect.andThen(Effect.sync(hang), Effect.never)
        return { start: () => () => Effect.onExit(call, () => Effect.sync(() => calls--)), read }
      })
    )
  })
})

describePlantedBugs("a handler", laws, handlers, shop, { numRuns: 100 })
describePlantedBugs("a handler of payouts", payoutLaws, payoutHandlers, payoutShop, {
  numRuns: 100
})
