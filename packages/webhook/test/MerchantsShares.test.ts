/**
 * The shares of the merchants of a receiver: of the callbacks that wait for stores, of their bytes, and of the thread.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { MinimumLogLevel } from "effect/References"
import { Scheduler } from "effect/Scheduler"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Shares from "../src/internal/doors/Shares.ts"
import * as Turns from "../src/internal/doors/Turns.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import { callback, make, type Shop } from "./merchantWorld.ts"
import { pass, run, settled } from "./world.ts"

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
  it.each([
    ["1,024 callbacks", 1024, 0],
    ["12 MiB", 205, 60 * 1024]
  ])("is answered 503 once %s wait for it, and the others are not", (_, count, bytes) =>
    run(
      Effect.gen(function* () {
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
    )
  )
})

describe("the shares of waiting callbacks", () => {
  const merchants = 4
  const step = fc.record({
    merchant: fc.nat({ max: merchants - 1 }),
    bytes: fc.nat({ max: 3 }),
    isTake: fc.boolean()
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

/** Runs with a clock on which each task of a merchant takes a microsecond. */
const withSteps = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.flatMap(Clock.Clock, (clock) => {
    let nanos = 0n
    const monotonicTimeNanosUnsafe = () => (nanos += 1000n)
    return Effect.provideService(effect, Clock.Clock, {
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
      currentTimeMillis: clock.currentTimeMillis,
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      currentTimeNanos: clock.currentTimeNanos,
      monotonicTimeNanosUnsafe,
      monotonicTimeNanos: Effect.sync(monotonicTimeNanosUnsafe),
      sleep: (duration) => clock.sleep(duration)
    })
  })

/** A thread in virtual time: `run` does what was planned, and a task takes the time that it says. */
const makeThread = () => {
  let now = 0n
  const planned: Array<() => void> = []
  const turns = Turns.make(
    { monotonicTimeNanosUnsafe: () => now },
    {
      executionMode: "async",
      shouldYield: () => false,
      setImmediate: (task) => {
        planned.push(task)
        return () => undefined
      }
    }
  )
  return {
    turns,
    spend: (nanos: number) => void (now += BigInt(nanos)),
    runSlice: () => planned.shift()?.(),
    isPlanned: () => planned.length > 0,
    now: () => now
  }
}

const millis = 1_000_000

describe("the turns on the thread", () => {
  it("give each merchant with work the same time, whatever his tasks take", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 2 * millis }), { minLength: 2, maxLength: 6 }),
        (costs) => {
          const thread = makeThread()
          const taken = costs.map(() => 0)
          costs.forEach((cost, merchant) => {
            const { makeDispatcher } = thread.turns().scheduler
            const task = () => {
              thread.spend(cost)
              taken[merchant] = (taken[merchant] ?? 0) + cost
              makeDispatcher().scheduleTask(task, 0)
            }
            task()
          })
          for (let slice = 0; slice < 20; slice++) thread.runSlice()
          const longest = Math.max(...costs)
          expect(Math.max(...taken) - Math.min(...taken)).toBeLessThanOrEqual(2 * longest)
        }
      )
    )
  })

  it("do every task once, those of a merchant in order, and stop when there is none", () => {
    const task = fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 0, max: 3 * millis }))
    fc.assert(
      fc.property(fc.array(task, { maxLength: 60 }), (tasks) => {
        const thread = makeThread()
        const merchants = Array.from({ length: 4 }, () => thread.turns().scheduler.makeDispatcher())
        const done: Array<number> = []
        tasks.forEach(([merchant, cost], index) =>
          merchants[merchant]?.scheduleTask(() => {
            thread.spend(cost)
            done.push(index)
          }, 0)
        )
        let slices = 0
        while (thread.isPlanned()) {
          thread.runSlice()
          expect(++slices).toBeLessThanOrEqual(tasks.length)
        }
        expect(done.toSorted((one, two) => one - two)).toEqual(tasks.map((_, index) => index))
        for (let merchant = 0; merchant < 4; merchant++) {
          const own = done.filter((index) => tasks[index]?.[0] === merchant)
          expect(own).toEqual(own.toSorted((one, two) => one - two))
        }
      })
    )
  })

  it("come at once for a merchant who had nothing to do, and give him no credit for it", () => {
    const thread = makeThread()
    const [busy, idle] = [thread.turns(), thread.turns()]
    const dispatcher = busy.scheduler.makeDispatcher()
    const order: Array<string> = []
    const work = (name: string) => () => {
      thread.spend(millis)
      order.push(name)
    }
    for (let n = 0; n < 100; n++) dispatcher.scheduleTask(work("busy"), 0)
    for (let slice = 0; slice < 10; slice++) thread.runSlice()
    order.length = 0
    for (let n = 0; n < 10; n++) idle.scheduler.makeDispatcher().scheduleTask(work("idle"), 0)
    thread.runSlice()
    thread.runSlice()
    expect(order.indexOf("idle")).toBeLessThanOrEqual(1)
    expect(order.filter((name) => name === "busy").length).toBeGreaterThanOrEqual(4)
  })

  it("leave the thread to connections and timers after 5 milliseconds", () => {
    const thread = makeThread()
    const { scheduleTask } = thread.turns().scheduler.makeDispatcher()
    for (let n = 0; n < 100; n++) scheduleTask(() => thread.spend(millis), 0)
    thread.runSlice()
    expect(thread.now()).toBe(BigInt(5 * millis))
  })

  it("are those of the worker and the handler of each merchant", () =>
    run(
      Effect.gen(function* () {
        const schedulers = new Set([yield* Scheduler])
        const handle = () => Effect.map(Scheduler, (scheduler) => void schedulers.add(scheduler))
        const shops = others.map((shop) => ({ ...shop, handle }))
        const { receive } = yield* make(shops)
        for (const shop of shops) {
          yield* receive(callback(shop, { accountId: shop.id, transactionId: "100001" }))
        }
        yield* pass("1 second")
        expect(schedulers.size).toBe(1 + shops.length)
      })
    ))

  it("let one callback of a merchant be stored before hundreds of another one that came first", () =>
    Effect.gen(function* () {
      const [shop = hanging, second = hanging] = others
      const world = yield* make([shop, second])
      const stored: Array<string> = []
      const send = (one: Shop, n: number) =>
        Effect.map(
          world.receive(callback(one, { accountId: one.id, transactionId: String(100_000 + n) })),
          () => void stored.push(one.id)
        )
      const all = Array.from({ length: 500 }, (_, n) => send(shop, n))
      yield* Effect.all([...all, send(second, 500)], { concurrency: "unbounded" })
      expect(stored).toHaveLength(501)
      expect(stored.indexOf(second.id)).toBeLessThan(50)
    }).pipe(
      Effect.scoped,
      Effect.provideService(MinimumLogLevel, "None"),
      withSteps,
      Effect.runPromise
    ))
})
