/**
 * A received callback: what observers of the journal learn of it, its time, and the share of its merchant.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import { MinimumLogLevel } from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "@effect/vitest"
import * as Shares from "../src/internal/doors/Shares.ts"
import * as Journal from "../src/Journal.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import * as Receiver from "../src/Receiver.ts"
import { dependencies } from "./doors.ts"
import { card, checksum, incoming } from "./service.ts"

/** Starts a receiver whose ledger accepts as `accept` changes it. */
const start = Effect.fnUntraced(function* (
  accept: (real: Ledger["Service"]["accept"]) => Ledger["Service"]["accept"] = (real) => real
) {
  const ledger = Layer.effect(
    Ledger,
    Effect.map(Ledger, (real) => ({ ...real, accept: accept(real.accept) }))
  ).pipe(Layer.provide(Layer.fresh(layerMemory)))
  const built = yield* Layer.build(
    Receiver.layer().pipe(Layer.provide(ledger), Layer.provide(dependencies))
  )
  return {
    receive: Context.get(built, Receiver.Receiver).receive,
    journal: Context.get(built, Journal.Journal)
  }
})

it.effect(
  "a callback is noted by its result and its secret, and only a wrong checksum is an alarm",
  () =>
    Effect.gen(function* () {
      let isDown = false
      const { journal, receive } = yield* start(
        (accept) =>
          (...callback) =>
            isDown ? Effect.fail(new StoreUnavailable({})) : accept(...callback)
      )
      const seen: Array<readonly [string, number]> = []
      journal.observe((event) => {
        if (!("transactionId" in event)) seen.push([event._tag, event.at])
      })
      yield* TestClock.setTime(5000)
      const seenOf = Effect.fnUntraced(function* (...request: Parameters<typeof incoming>) {
        seen.length = 0
        return [yield* receive(incoming(...request)), ...seen]
      })
      const previous = checksum("card", card(), "previous-secret")
      expect(yield* seenOf("card", card())).toEqual([200, ["acceptedCurrent", 5000]])
      expect(yield* seenOf("card", card(), { checksum: previous })).toEqual([
        200,
        ["acceptedPrevious", 5000],
        ["Alarm", 5000]
      ])
      expect(yield* seenOf("card", card(), { search: "" })).toEqual([400])
      expect(yield* seenOf("card", card(), { checksum: "x" })).toEqual([
        401,
        ["refused", 5000],
        ["Alarm", 5000]
      ])
      isDown = true
      expect(yield* seenOf("card", card())).toEqual([503, ["notStored", 5000], ["Alarm", 5000]])
    }).pipe(Effect.provideService(MinimumLogLevel, "None"))
)

it.effect("the time of an accept is measured in seconds", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust("10 seconds")
    const { receive } = yield* start(
      (accept) =>
        (...callback) =>
          Effect.delay(accept(...callback), "2 seconds")
    )
    const receiving = yield* Effect.forkChild(receive(incoming("card", card())))
    yield* TestClock.adjust("2 seconds")
    expect(yield* Fiber.join(receiving)).toBe(200)
    const times = (yield* Metric.snapshot).flatMap(({ id, state }) =>
      id.includes("accept") && "sum" in state ? [state.sum] : []
    )
    expect(times).toEqual([2])
  }).pipe(
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.provideService(MinimumLogLevel, "None")
  )
)

it.effect("a callback beyond the share of its merchant is not stored, and the log says so", () => {
  const reasons: Array<unknown> = []
  const logger = Logger.make(({ message }) => {
    const [, error] = Array.isArray(message) ? message : []
    if (error instanceof StoreUnavailable) reasons.push(error.cause)
  })
  let free = 1
  const share = {
    take: () => free > 0 && free-- > 0,
    giveBack: () => {
      free++
    }
  }
  return Effect.gen(function* () {
    const { receive } = yield* start(
      (accept) =>
        (...callback) =>
          Effect.delay(accept(...callback), "1 second")
    )
    const first = yield* Effect.forkChild(receive(incoming("card", card())), {
      startImmediately: true
    })
    expect(yield* receive(incoming("card", card()))).toBe(503)
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(first)).toBe(200)
    const next = yield* Effect.forkChild(receive(incoming("card", card())))
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(next)).toBe(200)
    expect(reasons).toEqual([new Error("too many callbacks of this merchant wait for its store")])
  }).pipe(Effect.provideService(Shares.Share, share), Effect.provide(Logger.layer([logger])))
})

it.effect("a callback whose ledger throws waits no longer", () => {
  const waiting: Array<number> = []
  const share = {
    take: (bytes: number) => waiting.push(bytes) > 0,
    giveBack: () => void waiting.pop()
  }
  return Effect.gen(function* () {
    const { receive } = yield* start(() => () => {
      throw new Error("a bug of the ledger")
    })
    const exit = yield* Effect.exit(receive(incoming("card", card())))
    expect(Exit.isFailure(exit)).toBe(true)
    expect(waiting).toEqual([])
  }).pipe(Effect.provideService(Shares.Share, share))
})
