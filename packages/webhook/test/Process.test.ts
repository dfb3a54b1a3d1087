import { StoreUnavailable } from "@pawl/core/CallbackError"
import { ValidationFailed } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect, it } from "vitest"
import * as RequestStore from "../src/internal/ledger/RequestStore.ts"
import * as Engines from "../src/internal/records/Engines.ts"
import * as MemoryStore from "../src/internal/records/MemoryStore.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import { newRequest } from "./memoryLedger.ts"
import { card, sendAndLeave, start, stores, watched } from "./requestProcess.ts"
import { payment } from "./requestService.ts"
import { test } from "@pawl/test-support/Tests"
import { pass, second } from "@pawl/test-support/World"

const isLater = "A request could not be made again; it is tried later"
const noneSent = "no requests are sent: the role has too few rights (SQLSTATE 42501)"

const due = newRequest("order-1", { hasCardData: true })

test("a request is sent again after the lease of a call that ended without a word, also in a store that is not polled", function* () {
  const error = new StoreUnavailable({})
  const shop = yield* start({
    fates: ["hang"],
    plant: () => ({ release: () => Effect.fail(error) })
  })
  const call = yield* Effect.forkChild(shop.send("apm-payout", payment("order-1")))
  yield* pass("1 second")
  yield* Fiber.interrupt(call)
  expect(yield* shop.get("order-1")).toMatchObject({ outcome: undefined })
  yield* pass("1 minute")
  expect(yield* shop.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
  expect(shop.service.effects.size).toBe(1)
})

it("a request without card data and without a body is parked as unreadable, with an alarm", async () => {
  const { lines } = await watched(function* () {
    const shop = yield* start()
    yield* shop.store.write({ ...due, hasCardData: false }, { at: 0 })
    yield* pass("1 second")
    expect(yield* shop.get("order-1")).toMatchObject({ parked: { reason: "unreadable" } })
  })
  expect(lines).toEqual([
    [{ _tag: "Alarm", reason: RequestRule.wasChanged }, { requestId: "order-1" }]
  ])
})

it("a request that cannot be rebuilt now is tried later with growing waits, and logged", async () => {
  const { lines } = await watched(function* () {
    let tries = 0
    const shop = yield* start({
      rebuild: () => Effect.suspend(() => Effect.fail(`try ${++tries}`))
    })
    yield* shop.store.write(due, { at: 0 })
    const open = { lease: undefined, begunAt: undefined, outcome: undefined, parked: undefined }
    for (const [wait, count] of [0, 1, 2, 4, 8].map((wait, at) => [wait, at + 1] as const)) {
      yield* pass(wait * second)
      expect(tries).toBe(count)
      const dueAt = (2 ** count - 1) * second
      expect(yield* shop.get("order-1")).toMatchObject({ ...open, dueAt, attempts: count })
    }
  })
  const line = [isLater, { requestId: "order-1" }]
  expect(lines.slice(0, 2)).toEqual([line, line])
})

it("a rebuild that cannot be interrupted runs once at a time, which the log says, and other requests are sent", async () => {
  const { lines } = await watched(function* () {
    let calls = 0
    const rebuild = () => {
      const hour = Effect.uninterruptible(Effect.sleep("1 hour"))
      return Effect.andThen(++calls === 1 ? hour : Effect.void, Effect.fail("later"))
    }
    const shop = yield* start({ rebuild })
    yield* shop.store.write(due, { at: 0 })
    yield* pass("30 minutes")
    yield* shop.enqueue("apm-payout", payment("order-2"))
    yield* pass("1 minute")
    expect(yield* shop.get("order-2")).toMatchObject({ outcome: { _tag: "Answered" } })
    expect(calls).toBe(1)
    yield* pass("30 minutes")
    expect(calls).toBeGreaterThan(1)
  })
  expect(lines[0]).toEqual([
    "The rebuild has run for 20 s: it is interrupted and waited for",
    { requestId: "order-1" }
  ])
})

it("the log says why a request cannot be rebuilt, without what may be card data", async () => {
  const fields = [{ path: "card.number", message: "Expected 12 to 19 digits" }]
  const refused = new ValidationFailed({ sent: true, fields })
  const failures = [refused, new TypeError("4242424242424242"), "4242424242424242"]
  const { lines } = await watched(function* () {
    const shop = yield* start({
      rebuild: () => Effect.suspend(() => Effect.fail(failures.shift()))
    })
    yield* shop.store.write(due, { at: 0 })
    yield* pass("3 seconds")
  })
  expect(lines.slice(0, 3)).toEqual(
    [[isLater, refused.message], [isLater, "TypeError"], isLater].map((each) => [
      each,
      { requestId: "order-1" }
    ])
  )
  expect(JSON.stringify(lines)).not.toContain("4242")
})

it("a request whose rebuilt input is invalid is parked at once, with the field in the log, and sent after a redrive", async () => {
  const { lines } = await watched(function* () {
    const fields = [{ path: "card.numbr", message: "Expected a field of this operation" }]
    const failures = [new ValidationFailed({ sent: false, fields })]
    const shop = yield* start({
      fates: ["hang"],
      rebuild: (requestId) =>
        Effect.suspend(() => {
          const failure = failures.pop()
          return failure ? Effect.fail(failure) : Effect.succeed(card(requestId))
        })
    })
    yield* sendAndLeave(shop, "order-1")
    expect(yield* shop.get("order-1")).toMatchObject({
      parked: { reason: "rebuilt-differently" }
    })
    expect(yield* shop.redrive("order-1")).toBe(true)
    yield* pass("1 second")
    expect(yield* shop.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
  })
  expect(lines.map((line) => Array.isArray(line) && line[0])).toContainEqual([
    "A request was made again with an invalid input",
    expect.stringContaining("card.numbr")
  ])
})

it.each([
  ["claims", "claim"],
  ["ends of requests", "settle"]
] as const)(
  "a process whose %s are refused says after a minute that no requests are sent",
  async (_, name) => {
    const error = new StoreUnavailable({ cause: { code: "42501" } })
    const { lines } = await watched(function* () {
      const shop = yield* start({ plant: () => ({ [name]: () => Effect.fail(error) }) })
      yield* shop.enqueue("apm-payout", payment("order-1"))
      yield* pass("70 seconds")
    })
    expect(lines).toContainEqual([{ _tag: "Alarm", reason: noneSent }, {}])
  }
)

it("a process of two shards, one of which refuses its claims, says so and sends the requests of the other", async () => {
  const error = new StoreUnavailable({ cause: { code: "42501" } })
  const { lines } = await watched(function* () {
    const [first, second] = [yield* MemoryStore.makeEngine, yield* MemoryStore.makeEngine]
    const refusing = { ...first, lease: () => Effect.fail(error) }
    const shop = yield* start({
      built: RequestStore.services(Engines.make([refusing, second]))
    })
    const requestIds = Array.from({ length: 8 }, (_, id) => `order-${id}`)
    for (const requestId of requestIds) yield* shop.enqueue("apm-payout", payment(requestId))
    yield* pass("70 seconds")
    const sent = requestIds.filter((requestId) => Engines.shardOf({ requestId }, 2) === 1)
    expect(shop.service.seen.map(({ requestId }) => requestId).toSorted()).toEqual(sent)
  })
  expect(lines).toContainEqual([{ _tag: "Alarm", reason: noneSent }, {}])
})

it("a process whose requests end well says nothing", async () => {
  const { lines } = await watched(function* () {
    let failures = 1
    const error = new StoreUnavailable({ cause: { code: "42501" } })
    const shop = yield* start({
      plant: ({ begin }) => ({
        begin: (...args) => (failures-- > 0 ? Effect.fail(error) : begin(...args))
      })
    })
    yield* shop.enqueue("apm-payout", payment("order-1"))
    yield* pass("20 minutes")
  })
  expect(lines.filter((line) => JSON.stringify(line).includes("Alarm"))).toEqual([])
})

type Shop = Effect.Success<ReturnType<typeof start>>

const written =
  (request: object) =>
  ({ store }: Shop): Effect.Effect<unknown, unknown> =>
    store.write({ ...due, ...request }, { at: 0 })

it.each([
  ["has expired", written({ expiresAt: 1 })],
  ["is parked", written({ hasCardData: false })],
  ["is put off", written({})],
  ["another process ended", ({ enqueue }) => enqueue("apm-payout", payment("order-1"))]
] satisfies ReadonlyArray<[string, (shop: Shop) => Effect.Effect<unknown, unknown>]>)(
  "a process that could write once more, for a request that %s, says nothing",
  async (_, next) => {
    const { lines } = await watched(function* () {
      const shop = yield* start({
        rebuild: () => Effect.fail("later"),
        plant: () => ({
          begin: ({ requestId }) =>
            requestId === "order-0" ? Effect.fail(new StoreUnavailable({})) : Effect.undefined
        })
      })
      yield* shop.enqueue("apm-payout", payment("order-0"))
      yield* pass("10 seconds")
      yield* shop.cancel("order-0")
      yield* Effect.orDie(next(shop))
      yield* pass("70 seconds")
    })
    expect(JSON.stringify(lines)).not.toContain("no requests are sent")
  }
)

it("a request that expires while it is rebuilt is not sent", async () => {
  const { lines } = await watched(function* () {
    const other = yield* start({ fates: ["hang"] })
    yield* sendAndLeave(other, "order-1")
    const digest = (yield* other.get("order-1"))?.digest ?? ""
    const shop = yield* start({
      rebuild: (requestId) => Effect.delay(Effect.succeed(card(requestId)), "20 seconds")
    })
    yield* shop.store.write({ ...due, digest, expiresAt: 12 * second }, { at: 2 * second })
    yield* pass("2 minutes")
    expect(shop.service.seen).toEqual([])
    expect(yield* shop.get("order-1")).toMatchObject({
      outcome: { _tag: "NotSent", reason: "expired" }
    })
  })
  expect(JSON.stringify(lines)).not.toContain("could not be worked on")
})

it("a request waits for the process whose key sealed it, while a secret is rotated process by process", async () => {
  const { lines } = await watched(function* () {
    const older = yield* start()
    let isBusy = true
    const newer = yield* start({
      built: older.built,
      key: "newer",
      plant: ({ claim }) => ({
        claim: (options) =>
          isBusy
            ? Effect.succeed({ rows: [], dueAt: undefined, failure: undefined })
            : claim(options)
      })
    })
    yield* newer.enqueue("apm-payout", payment("order-1"))
    yield* pass("3 minutes")
    const row = yield* older.get("order-1")
    expect(row).toMatchObject({ begunAt: undefined, parked: undefined })
    expect(row?.dueAt).toBeLessThanOrEqual(190 * second)
    isBusy = false
    yield* pass("2 minutes")
    expect(yield* older.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
  })
  expect(lines).toEqual([])
})

test("a request whose body opens is parked for its key if no key made its digest, as after a rename", function* () {
  const rowOf = Effect.fnUntraced(function* (key: string) {
    const shop = yield* start({ key })
    yield* shop.enqueue("apm-payout", payment("order-1"))
    return (yield* shop.get("order-1"))!
  })
  const { digest } = yield* rowOf("older")
  const { body } = yield* rowOf("newer")
  const shop = yield* start({ key: "newer" })
  const renamed = { ...due, kind: "apm-payout", hasCardData: false, body, digest } as const
  yield* shop.store.write(renamed, { at: 0 })
  for (let minutes = 0; minutes < 15; minutes++) yield* pass("1 minute")
  const { parked } = (yield* shop.get("order-1"))!
  expect(parked?.reason).toBe("no-key")
  expect(parked?.at).toBeGreaterThanOrEqual(600 * second)
  expect(parked?.at).toBeLessThan(611 * second)
})

test("a request whose digest was made with another key is parked until the key is back", function* () {
  const built = yield* stores
  yield* Effect.scoped(
    Effect.flatMap(start({ built, fates: ["hang"] }), (shop) => sendAndLeave(shop, "order-1"))
  )
  const rebuild = (requestId: string) => Effect.succeed(card(requestId))
  const shop = yield* start({ built, key: "newer", rebuild })
  expect(yield* shop.redrive("order-1")).toBe(true)
  for (let minutes = 0; minutes < 15; minutes++) yield* pass("1 minute")
  expect(yield* shop.get("order-1")).toMatchObject({ parked: { reason: "no-key" } })
})
