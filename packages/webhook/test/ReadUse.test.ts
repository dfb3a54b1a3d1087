import { RateLimited } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as ReadBudget from "../src/internal/rule/ReadBudget.ts"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"

const { minute, pass, second } = World
const ids = Array.from({ length: 40 }, (_, index) => String(index))

test("a worker counts what it sends and puts off, and how late the oldest read is", function* () {
  const { readUse, receive, ...world } = yield* World.started({
    limits: { readsPerSecond: 2 },
    read: () => Effect.succeed("SUCCEED")
  })
  expect(yield* readUse).toEqual({
    limit: 2,
    allowed: 2,
    sent: 0,
    putOff: { ask: 0, repeat: 0, watch: 0 },
    oldestPutOff: undefined
  })
  for (const id of ids) yield* receive(id, "SUCCEED")
  yield* pass("10 seconds")
  const busy = yield* readUse
  expect(busy.sent).toBe(world.reads.length)
  expect(busy.putOff.ask).toBeGreaterThan(busy.sent)
  expect(busy.putOff).toMatchObject({ repeat: 0, watch: 0 })
  expect(busy.oldestPutOff).toBe(10 * second)
  yield* pass("2 minutes")
  const idle = yield* readUse
  expect(idle.sent).toBe(ids.length)
  expect(idle.oldestPutOff).toBeUndefined()
  expect(idle.putOff.ask).toBeGreaterThanOrEqual(busy.putOff.ask)
})

test.each([
  [0, [0, 700, 1400, 2100]],
  [400, [400, 1100, 1800, 2500]],
  [401, []]
])(
  "a read whose reservation takes %s ms is sent at its time, at most 400 ms late",
  function* (delay, times) {
    const { receive, ...world } = yield* World.started({
      limits: { readsPerSecond: 2 },
      read: () => Effect.succeed("SUCCEED"),
      plant: (ledger) => ({
        ...ledger,
        reserveReads: (...wanted) => Effect.delay(ledger.reserveReads(...wanted), delay)
      })
    })
    const start = world.now()
    for (const id of ids) yield* receive(id, "SUCCEED")
    yield* pass("2.5 seconds")
    expect(world.reads.map(({ at }) => at - start)).toEqual(times)
  }
)

test("a budget that cannot be reserved is logged once in 10 minutes", function* () {
  const { kept, lines } = World.keepLog("Warn")
  const { receive } = yield* kept(
    World.started({ plant: (ledger) => ({ ...ledger, reserveReads: () => Effect.die("unknown") }) })
  )
  yield* receive("1", "SUCCEED")
  yield* pass("19 minutes")
  const line = ["No reads could be reserved"]
  expect(lines).toEqual([line, line])
})

test("fewer reads are allowed after a 429, and all again when nothing was reserved for a minute", function* () {
  let isLimited = true
  const { readUse, receive } = yield* World.started({
    limits: { readsPerSecond: 8 },
    read: () =>
      isLimited
        ? Effect.fail(new RateLimited({ attempts: 1, status: 429, retryAfter: 20 * second }))
        : Effect.succeed("SUCCEED")
  })
  yield* receive("1", "SUCCEED")
  yield* pass("1 second")
  isLimited = false
  yield* pass("15 seconds")
  expect(yield* readUse).toMatchObject({ limit: 8, allowed: 0 })
  yield* pass("5 seconds")
  const { allowed } = yield* readUse
  expect(allowed).toBeGreaterThanOrEqual(4)
  expect(allowed).toBeLessThan(8)
  yield* pass(minute)
  expect(yield* readUse).toMatchObject({ limit: 8, allowed: 8 })
})

it("the use of several shards is their sum, and the age of the oldest of all", () => {
  const one = ReadBudget.make(3)
  const other = ReadBudget.make(2)
  one.send(0)
  one.putOff("ask", 0, 1000)
  other.putOff("watch", 500, 1000)
  other.putOff("watch", 900, 1000)
  other.reserve(1, 1000)
  expect(ReadBudget.sum([one.read(2000), other.read(2000)])).toEqual({
    limit: 5,
    allowed: 4,
    sent: 1,
    putOff: { ask: 1, repeat: 0, watch: 2 },
    oldestPutOff: 2000
  })
  one.send(0)
  expect(ReadBudget.sum([one.read(2000), other.read(2000)]).oldestPutOff).toBe(1500)
})
