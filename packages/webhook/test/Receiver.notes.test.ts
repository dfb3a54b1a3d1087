import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "@effect/vitest"
import * as Shares from "../src/internal/doors/Shares.ts"
import * as Journal from "../src/Journal.ts"
import type { Ledger } from "../src/Ledger.ts"
import * as Receiver from "../src/Receiver.ts"
import * as Verifier from "../src/Verifier.ts"
import { dependencies } from "./doors.ts"
import { live, test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"
import { apm, card, checksum, incoming, search, secret } from "@pawl/test-support/Service"

const start = Effect.fnUntraced(function* (
  accept: (real: Ledger["Service"]["accept"]) => Ledger["Service"]["accept"] = (real) => real,
  accounts?: ReadonlyArray<string>
) {
  const ledger = World.planted((real) => ({ accept: accept(real.accept) }))
  const verifier = Layer.provide(
    Verifier.layer({ current: Redacted.make(secret), accounts }),
    NodeHmac.layer
  )
  const built = yield* Layer.build(
    Receiver.layer().pipe(
      Layer.provide(ledger),
      Layer.provide(accounts ? Layer.merge(dependencies, verifier) : dependencies)
    )
  )
  return {
    receive: Context.get(built, Receiver.Receiver).receive,
    journal: Context.get(built, Journal.Journal)
  }
})

test("a callback is noted by its result and its secret, and a refused checksum is an alarm", function* () {
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
  const alarm = ["Alarm", 5000]
  const byPrevious = yield* seenOf("card", card(), { checksum: previous })
  expect(byPrevious).toEqual([200, ["acceptedPrevious", 5000], alarm])
  expect(yield* seenOf("card", card(), { search: "", checksum: undefined })).toEqual([400])
  const forged = yield* seenOf("card", card(), { checksum: "x" })
  expect(forged).toEqual([401, ["refused", 5000], alarm])
  isDown = true
  expect(yield* seenOf("card", card())).toEqual([503, ["notStored", 5000], alarm])
})

test("R20: a genuine callback that is refused is an alarm", function* () {
  const { journal, receive } = yield* start(undefined, ["mid-1", "mid-2"])
  const reasons = World.alarmsOf(journal)
  const ofPayment = search("card", "card-payment", { requestId: "1", mid: "mid-1" })
  const ofApm = search("card", "apm-payment", { requestId: "2" })
  const refused = [
    incoming("card", card({ mid: "mid-3" })),
    incoming("card", card({ mid: "mid-2" }), { search: ofPayment }),
    incoming("card", card(), { search: ofApm })
  ]
  const { kept, lines } = World.keepLog("Warn", ({ message }) => [message].flat()[1])
  const statusOf = (each: Verifier.Incoming) => kept(receive(each))
  for (const each of refused) {
    expect(yield* statusOf({ ...each, checksum: "forged" })).toBe(401)
    expect(yield* statusOf(each)).toBe(400)
  }
  const plain = incoming("card", card(), { contentType: "text/plain" })
  expect(yield* statusOf(plain)).toBe(415)
  expect(yield* statusOf(incoming("apm", apm(), { search: "" }))).toBe(400)
  expect(yield* statusOf(incoming("card", card(), { search: "?paymentMethod=apm" }))).toBe(400)
  expect(yield* receive(incoming("card", card()))).toBe(200)
  expect(lines).toEqual(
    ["mid-3", "mid-3", "mid-2", "mid-1", "mid-1", "4711", "mid-1"].map((account) => ({
      account
    }))
  )
  const refusal = "a genuine callback is refused: "
  expect(reasons.flatMap((reason) => reason.split(refusal)[1] ?? [])).toEqual([
    "the account is not one of the merchant's",
    "its URL was made for another account",
    "its URL was made for another kind",
    "the content type is not JSON",
    "paymentMethod is not exactly one of card and apm",
    "the body has the signed fields of the other layout"
  ])
})

test("the log of a refused callback has no text that can be a card number", function* () {
  const { receive } = yield* start(undefined, ["mid-1"])
  const { kept, lines } = World.keepLog("Warn", ({ message }) => [message].flat()[1])
  const named = {
    "4242 4242-4242 4242": "…4242",
    "mid 424242424242": "…4242",
    "mid 42424242424": "mid 42424242424",
    [`${"x".repeat(56)}4242424242424242`]: "…4242"
  }
  for (const mid of Object.keys(named)) {
    yield* kept(receive(incoming("card", card({ mid }), { checksum: "forged" })))
    yield* TestClock.adjust("10 minutes")
    yield* kept(receive(incoming("card", card({ mid }))))
    yield* TestClock.adjust("10 minutes")
  }
  const accounts = Object.values(named)
  expect(lines).toEqual(accounts.flatMap((account) => [{ account }, { account }]))
})

test("a refused callback whose checksum cannot be verified is an alarm, if it has one", function* () {
  const { journal, receive } = yield* start()
  const reasons = World.alarmsOf(journal)
  const { orderAmount, ...renamed } = card()
  const refused = [
    incoming("card", { ...renamed, total: orderAmount }, { checksum: checksum("card", card()) }),
    incoming("card", card(), { body: new TextEncoder().encode("<xml/>") }),
    incoming("card", card(), { contentType: "text/plain", checksum: "forged" }),
    incoming("card", card(), { contentEncoding: "gzip" }),
    incoming("card", card(), { method: "GET" })
  ]
  for (const each of refused) {
    const status = yield* receive({ ...each, checksum: undefined })
    expect(reasons).toEqual([])
    expect(status).toBeOneOf([400, 405, 415])
  }
  const { kept, lines } = World.keepLog("Warn", ({ message }) => [message].flat()[1])
  for (const each of refused) {
    for (const _ of [1, 2]) yield* kept(receive(each))
    yield* TestClock.adjust("10 minutes")
  }
  const refusal = "callbacks with a checksum are refused before it can be verified"
  expect(reasons).toEqual(refused.map(() => refusal))
  expect(lines).toEqual(
    [
      "orderAmount is neither a text nor a number",
      "the body is not valid JSON: syntax",
      "the content type is not JSON",
      "the body has a content encoding",
      "the method is not POST"
    ].map((refusal) => ({ refusal }))
  )
})

test("the time of an accept is measured in seconds", function* () {
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
})

const keepCauses = () =>
  World.keepLog("Warn", ({ message }) => {
    const [, error] = [message].flat()
    return error instanceof StoreUnavailable ? error.cause : error
  })

test("a callback beyond the share of its merchant is not stored, and the log says so", function* () {
  let free = 1
  const share = { take: () => free > 0 && free-- > 0, giveBack: () => void free++ }
  const { kept, lines } = keepCauses()
  const { receive } = yield* Effect.provideService(
    start(
      (accept) =>
        (...callback) =>
          Effect.delay(accept(...callback), "1 second")
    ),
    Shares.Share,
    share
  )
  const callback = kept(receive(incoming("card", card())))
  const first = yield* Effect.forkChild(callback, { startImmediately: true })
  expect(yield* callback).toBe(503)
  yield* TestClock.adjust("1 second")
  expect(yield* Fiber.join(first)).toBe(200)
  const next = yield* Effect.forkChild(callback)
  yield* TestClock.adjust("1 second")
  expect(yield* Fiber.join(next)).toBe(200)
  expect(lines).toEqual([new Error("too many callbacks of this merchant wait for its store")])
})

const unlimited = () => {
  const waiting: Array<number> = []
  const share: Shares.Share = {
    take: (bytes) => waiting.push(bytes) > 0,
    giveBack: () => void waiting.pop()
  }
  return { share, waiting }
}

const bug = new Error("a bug of the ledger")
const throws = () => {
  throw bug
}

test.each<[string, Ledger["Service"]["accept"]]>([
  ["dies", () => Effect.die(bug)],
  ["dies later", () => Effect.delay(Effect.die(bug), "1 second")],
  ["throws", throws]
])(
  "a callback whose ledger %s is counted, noted and logged as one that was not stored",
  function* (_, accept) {
    const { share, waiting } = unlimited()
    const { kept, lines } = keepCauses()
    const { journal, receive } = yield* Effect.provideService(
      start(() => accept),
      Shares.Share,
      share
    )
    const seen: Array<string> = []
    journal.observe(({ _tag }) => seen.push(_tag))
    const receiving = yield* Effect.forkChild(kept(receive(incoming("card", card()))))
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(receiving)).toBe(503)
    expect(seen).toEqual(["notStored", "Alarm"])
    expect(lines).toEqual([bug])
    const counts = (yield* Metric.snapshot).flatMap(({ attributes, id, state }) =>
      id.includes("refused") && "count" in state ? [[attributes, state.count]] : []
    )
    expect(counts).toContainEqual([{ "http.response.status_code": "503" }, 1])
    expect(waiting).toEqual([])
  }
)

test("a callback whose ledger is interrupted raises no alarm", function* () {
  const { journal, receive } = yield* start(() => () => Effect.interrupt)
  const seen: Array<string> = []
  journal.observe(({ _tag }) => seen.push(_tag))
  const exit = yield* Effect.exit(receive(incoming("card", card())))
  expect(Exit.hasInterrupts(exit)).toBe(true)
  expect(seen).toEqual([])
})

live(
  "a callback that is interrupted at any step gives its share back and ends its accept",
  function* () {
    const { share, waiting } = unlimited()
    let begun = 0
    let ended = 0
    const { receive } = yield* Effect.provideService(
      start(
        () => () =>
          Effect.suspend(() => {
            begun++
            return Effect.never
          }).pipe(Effect.ensuring(Effect.sync(() => ended++)))
      ),
      Shares.Share,
      share
    )
    const callback = receive(incoming("card", card()))
    // A fiber that yields before every second operation does nothing else.
    for (let operations = 3; operations <= 20; operations++) {
      const limited = Effect.provideService(callback, MaxOpsBeforeYield, operations)
      const fiber = yield* Effect.forkChild(limited, { startImmediately: true })
      // A fiber goes on after this, so it is interrupted where it yields first.
      fiber.interruptUnsafe()
      yield* Fiber.await(fiber)
      expect([operations, waiting]).toEqual([operations, []])
    }
    yield* Effect.sleep("2 millis").pipe(
      Effect.repeat({ until: () => begun === ended }),
      Effect.timeoutOption("1 minute")
    )
    expect(begun).toBeGreaterThan(0)
    expect(ended).toBe(begun)
  }
)
