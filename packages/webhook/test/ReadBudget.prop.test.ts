import { forAll } from "@pawl/test-support/Properties"
import { RateLimited } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ReadBudget from "../src/internal/rule/ReadBudget.ts"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"
import { repeats } from "@pawl/test-support/Repeats"

const unused: ReadBudget.ReadBudget = { nextAt: 0, pausedUntil: 0 }

const { alarms, hour, minute, pass, second } = World
const numRuns = repeats(25)

const mostInASecond = (times: ReadonlyArray<number>): number => {
  const sorted = times.toSorted((one, two) => one - two)
  let first = 0
  let most = 0
  for (const [last, time] of sorted.entries()) {
    while (time - (sorted[first] ?? 0) >= 1000) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}

const steps = fc.array(
  fc.record({
    after: fc.nat({ max: 400 }),
    reads: fc.record({
      ask: fc.nat({ max: 4 }),
      repeat: fc.nat({ max: 4 }),
      watch: fc.nat({ max: 4 })
    }),
    late: fc.nat({ max: ReadBudget.slack }),
    isCrash: fc.boolean(),
    is429: fc.nat({ max: 9 }).map((n) => n === 0)
  }),
  { minLength: 1, maxLength: 80, size: "max" }
)

/** The reads of the lanes that are not given are none. */
const reserve = (
  budget: ReadBudget.ReadBudget,
  limit: number,
  reads: Partial<ReadBudget.Wanted["reads"]>,
  now: number
) => ReadBudget.reserve(budget, { limit, reads: { ask: 0, repeat: 0, watch: 0, ...reads } }, now)

const rateAt = (budget: ReadBudget.ReadBudget, limit: number, now: number): number =>
  reserve(budget, limit, {}, now).reservation.rate

const play = (
  limit: number,
  all: typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never
): ReadonlyArray<number> => {
  let budget = unused
  let now = 1_000_000
  return all.flatMap(({ after, is429, isCrash, late, reads }) => {
    now += after
    const { budget: next, reservation } = reserve(budget, limit, reads, now)
    budget = is429 ? ReadBudget.lower(next, { limit }, now) : next
    return isCrash ? [] : reservation.times.map((time) => time + late)
  })
}

describe("the rule of the budget", () => {
  it("lets at most the limit be sent in any second, however late each read is and whoever crashes", () =>
    forAll([fc.integer({ min: 1, max: 40 }), steps], { numRuns: 20 * numRuns }, (limit, all) => {
      expect(mostInASecond(play(limit, all))).toBeLessThanOrEqual(limit)
    }))

  it("halves its rate once for a burst of 429, pauses as asked, and recovers within a minute", () => {
    const limit = 100
    const start = 1_000_000
    const once = ReadBudget.lower(unused, { limit, retryAfter: 2000 }, start)
    const burst = ReadBudget.lower(once, { limit }, start + 500)
    const reservedAt = (now: number) => reserve(burst, limit, { ask: 9 }, now).reservation
    expect(rateAt(burst, limit, start + 2000)).toBe(50)
    expect(reservedAt(start + 1999)).toMatchObject({ times: [], retryAt: start + 2000 })
    expect(reservedAt(start + 2000).times.length).toBe(4)
    const again = ReadBudget.lower(burst, { limit }, start + 2000)
    expect(rateAt(again, limit, start + 2000)).toBe(25)
    expect(rateAt(again, limit, start + 8000)).toBe(35)
    expect(rateAt(again, limit, start + minute)).toBe(100)
    // The rate that was unlimited is limited until it has recovered.
    const unlimited = ReadBudget.lower(unused, { limit: Infinity }, start)
    expect(rateAt(unlimited, Infinity, start)).toBe(50)
    expect(rateAt(unlimited, Infinity, start + minute)).toBe(Infinity)
  })

  describe("with ten reads a second", () => {
    const start = 1_000_000
    type Reads = Parameters<typeof reserve>[2]
    // Reads are 140 ms apart, so an empty budget has one free read.
    const reserved = (budget: ReadBudget.ReadBudget, reads: Reads, after = 0) =>
      reserve(budget, 10, reads, start + after)
    const short = reserved(unused, { ask: 3 })

    it("gives the reads behind a lane that lacked some none for 1.28 s, and then all that are free", () => {
      expect(short.reservation).toEqual({
        at: start,
        times: [start],
        retryAt: start + 40,
        rate: 10
      })
      const timesOf = (reads: Reads, after: number) =>
        reserved(short.budget, reads, after).reservation.times.length
      expect(timesOf({ watch: 3 }, 1279)).toBe(0)
      expect(timesOf({ repeat: 3 }, 1279)).toBe(0)
      expect(timesOf({ ask: 1, watch: 3 }, 1279)).toBe(1)
      expect(timesOf({ watch: 3 }, 1280)).toBe(1)
      // A clock that was set back does not extend it.
      expect(timesOf({ watch: 3 }, -5000)).toBe(0)
      expect(timesOf({ ask: 1 }, -5000)).toBe(0)
    })

    it("holds back only the lanes behind the one that lacks reads", () => {
      const { budget } = reserved(unused, { ask: 1, repeat: 1 })
      const after = (reads: Reads) => reserved(budget, reads, 140).reservation.times.length
      expect([after({ ask: 1 }), after({ repeat: 1 }), after({ watch: 1 })]).toEqual([1, 1, 0])
      // Nothing is behind the watch.
      expect(reserved(unused, { watch: 9 }).budget.short).toBeUndefined()
    })

    it("is written only to reserve a read, or to hold lanes back anew after half of that time", () => {
      const again = (reads: Reads, after: number) => reserved(short.budget, reads, after).budget
      expect(again({ ask: 3 }, 30)).toBe(short.budget)
      expect(again({ ask: 1, repeat: 3 }, 30)).toBe(short.budget)
      expect(again({ watch: 3 }, 1000)).toBe(short.budget)
      // The reads of a more important lane are not held back by a lane behind it.
      const repeat = reserved(unused, { ask: 1, repeat: 1 }).budget
      expect(repeat.short).toEqual({ lane: "repeat", until: start + 1280 })
      const { short: lacking } = reserved(repeat, { ask: 1 }, 30).budget
      expect(lacking).toEqual({ lane: "ask", until: start + 1310 })
      // The free read of a later time is reserved, so all times are.
      const late = { ...short.budget, nextAt: start + 5000 }
      const renewed = (after: number) => reserved(late, { ask: 1 }, after).budget
      expect(renewed(639)).toBe(late)
      expect(renewed(640).short).toEqual({ lane: "ask", until: start + 640 + 1280 })
    })

    it("grants each read at once without a limit", () => {
      const reads = { ask: 2, repeat: 1, watch: 1 }
      const { budget, reservation } = reserve(unused, Infinity, reads, start)
      expect(reservation).toEqual({
        at: start,
        times: [start, start, start, start],
        retryAt: undefined,
        rate: Infinity
      })
      expect(budget).toBe(unused)
    })
  })

  it("is not used up by a clock that was set back", () => {
    const { budget } = reserve(unused, 1, { ask: 1 }, 10 * hour)
    const back = reserve(budget, 1, { ask: 1 }, hour)
    expect(back.reservation.times).toEqual([])
    expect(reserve(back.budget, 1, { ask: 1 }, hour + 1400).reservation.times.length).toBe(1)
  })

  it("does not wait for a pause, or for the reads of a lane, of a clock that was set back", () => {
    const paused = ReadBudget.lower(unused, { limit: 1, retryAfter: 2000 }, 10 * hour)
    const { budget } = reserve(unused, 1, { ask: 9 }, 10 * hour)
    for (const each of [paused, { ...budget, nextAt: 0 }]) {
      expect(reserve(each, 1, { watch: 1 }, hour).reservation.times).toEqual([hour])
    }
  })
})

const claimIds = Array.from({ length: 12 }, (_, n) => `claim-${n}`)

/**
 * The reads that another receiver may have reserved before it learns of the claim, and one more.
 */
const allowedBefore = (limit: number) =>
  Math.ceil((ReadBudget.lookahead * limit) / (1000 + ReadBudget.slack)) + 3

describe("two receivers of a ledger", () => {
  it("send at most the limit of reads in any second, and no claim waits behind the watch", () =>
    test.forAll(
      [
        fc.integer({ min: 2, max: 30 }),
        fc.array(fc.nat({ max: 4000 }), { minLength: 12, maxLength: 12 })
      ],
      { numRuns: Math.ceil(numRuns / 5) },
      // One receiver is killed and restarted, while claims come and the watch is due.
      function* (limit, claimedAt) {
        const world = yield* World.make({
          limits: { readsPerSecond: limit },
          read: () => Effect.succeed("SUCCEED")
        })
        // The reads of the watch take 5 seconds.
        for (let n = 0; n < 5 * limit; n++) {
          const registered = { kind: "apm-payment", transactionId: `old-${n}` } as const
          yield* world.ledger.register({ ...registered, status: "SUCCEED" }, 0)
        }
        let one = yield* world.start
        yield* world.start
        yield* pass(12 * hour)
        const start = world.now()
        const received = new Map<string, number>()
        const times = claimedAt.toSorted((first, second) => first - second)
        for (const [index, at] of times.entries()) {
          yield* pass(start + at - world.now())
          const id = claimIds[index] ?? ""
          received.set(id, world.now())
          expect(yield* one.receive(id, "SUCCEED")).toBe(200)
          if (index === 5) {
            yield* one.kill
            one = yield* world.start
          }
        }
        yield* pass("2 minutes")
        const reads = world.reads.filter(({ at }) => at >= start)
        // The killed receiver may have leased the claims before.
        const waits = [...received].slice(6).map(([id, at]) => {
          const end = reads.find((read) => read.id === id)?.at ?? Infinity
          const isBetween = (read: World.Read) => read.at > at && read.at < end
          return reads.filter((read) => read.id.startsWith("old-") && isBetween(read)).length
        })
        expect(alarms(world)).toEqual([])
        expect(mostInASecond(reads.map(({ at }) => at))).toBeLessThanOrEqual(limit)
        // The most reads of the watch between a claim and its read.
        expect(Math.max(...waits)).toBeLessThanOrEqual(allowedBefore(limit))
        const confirmed = world.calls.filter(({ transactionId }) => received.has(transactionId))
        expect(confirmed).toHaveLength(12)
      }
    ))

  test("send at most 100 reads in a second when nothing is set", function* () {
    const world = yield* World.make({ read: () => Effect.succeed("SUCCEED") })
    const receivers = [yield* world.start, yield* world.start]
    for (let n = 0; n < 200; n++) yield* receivers[n % 2]!.receive(`claim-${n}`, "SUCCEED")
    yield* pass("20 seconds")
    expect(world.calls.length).toBe(200)
    const times = world.reads.map(({ at }) => at)
    expect(mostInASecond(times)).toBeLessThanOrEqual(100)
  })

  test("reserve no reads without a limit, until the service answers with 429", function* () {
    let reservations = 0
    let isLimited = true
    const world = yield* World.make({
      limits: { readsPerSecond: Infinity },
      read: () =>
        isLimited
          ? Effect.fail(new RateLimited({ attempts: 1, status: 429, retryAfter: 30 * second }))
          : Effect.succeed("SUCCEED"),
      plant: (ledger) => ({
        reserveReads: (wanted, at) =>
          Effect.suspend(() => {
            reservations++
            return ledger.reserveReads(wanted, at)
          })
      })
    })
    const { receive } = yield* world.start
    yield* receive("1", "SUCCEED")
    yield* pass("100 millis")
    expect([world.reads.length, reservations]).toEqual([1, 0])
    isLimited = false
    yield* receive("2", "SUCCEED")
    yield* pass("28 seconds")
    expect(world.reads.length).toBe(1)
    yield* pass("4 seconds")
    expect(world.calls.map(({ to }) => to)).toEqual(["SUCCEED", "SUCCEED"])
    expect(reservations).toBeGreaterThan(0)
  })
})

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
    World.started({ plant: () => ({ reserveReads: () => Effect.die("unknown") }) })
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

it("the oldest read put off in the last minute takes the place of a later one, and of an earlier one after the minute", () => {
  const use = ReadBudget.make(1)
  const lateAt = (now: number, dueAt: number) => {
    use.putOff("ask", dueAt, now)
    return use.read(now).oldestPutOff
  }
  expect(lateAt(1000, 100)).toBe(900)
  expect(lateAt(1000, 50)).toBe(950)
  expect(lateAt(2000, 200)).toBe(1950)
  expect(lateAt(62_000, 300)).toBe(61_700)
})
