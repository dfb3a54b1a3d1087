import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Fact from "../src/internal/rule/Fact.ts"
import * as Outage from "../src/internal/work/Outage.ts"
import * as Journal from "../src/Journal.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import { blank } from "../src/internal/rule/Row.ts"
import * as RowPages from "../src/internal/rule/RowPages.ts"
import type * as StoredRow from "../src/internal/rule/StoredRow.ts"
import { live, test } from "@pawl/test-support/Tests"
import { emptied } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { inEachStore } from "@pawl/test-support/Stores"
import * as World from "@pawl/test-support/World"

const { alarms, day, hour, minute, says, second, told } = World
const pollInterval = Duration.minutes(1)
const missed =
  "no worker ran for more than 62 minutes, so callbacks may be lost: planned reads are brought forward"
const wasSet = "a clock jumped by more than 5 seconds"

describe("after an outage of all receivers (R18)", () => {
  const refundedMeanwhile = (outage: number, end: "stop" | "kill") =>
    World.run(
      Effect.gen(function* () {
        let status: "SUCCEED" | "REFUNDED" = "SUCCEED"
        const {
          [end]: stop,
          receive,
          ...world
        } = yield* World.started({
          pollInterval,
          read: () => Effect.succeed(status)
        })
        yield* receive("1", "SUCCEED")
        // The watch reads after 12 hours, then after 24, and then after 48.
        yield* World.pass("1 day")
        yield* stop
        status = "REFUNDED"
        yield* World.pass(outage)
        yield* world.start
        yield* World.pass("1 second")
        return { told: told(world), alarms: alarms(world) }
      })
    )

  it.for(["stop", "kill"] as const)(
    "a watched transaction is read at the start (%s)",
    async (end) => {
      expect(await refundedMeanwhile(63 * minute, end)).toEqual({
        told: ["SUCCEED", "REFUNDED"],
        alarms: [missed]
      })
    }
  )

  test.each(["fails", "never ends"] as const)(
    "a transaction is read, too, if its last call of the handler %s before the outage",
    function* (action) {
      let status: "SUCCEED" | "REFUNDED" = "SUCCEED"
      const { kill, receive, ...world } = yield* World.started({
        pollInterval,
        read: () => Effect.succeed(status),
        handle: ({ at }) =>
          at > hour
            ? Effect.sleep("10 seconds")
            : action === "fails"
              ? Effect.fail("not now")
              : Effect.never
      })
      yield* receive("1", "SUCCEED")
      yield* World.pass("1 minute")
      yield* kill
      status = "REFUNDED"
      yield* World.pass("2 hours")
      yield* world.start
      yield* World.pass("1 minute")
      expect(told(world).at(-1)).toBe("REFUNDED")
    }
  )

  it("a shorter outage changes no planned read, because the service repeats the refused callbacks", async () => {
    expect(await refundedMeanwhile(62 * minute, "stop")).toEqual({ told: ["SUCCEED"], alarms: [] })
  })

  test("the end of one receiver is no outage while another one works", function* () {
    const world = yield* World.make({
      pollInterval,
      read: says("SUCCEED")
    })
    const first = yield* world.start
    yield* world.start
    yield* first.receive("1", "SUCCEED")
    yield* World.pass("1 day")
    yield* first.stop
    yield* World.pass("5 hours")
    yield* world.start
    yield* World.pass("1 minute")
    expect(alarms(world)).toEqual([])
  })

  test("10 transactions are read in a second, and each of them once", function* () {
    const { kill, receive, ...world } = yield* World.started({
      pollInterval,
      read: says("SUCCEED")
    })
    const ids = Array.from({ length: 120 }, (_, id) => String(id))
    for (const id of ids.slice(20)) yield* receive(id, "SUCCEED")
    yield* World.pass("1 day")
    // These are read a few minutes before the outage.
    for (const id of ids.slice(0, 20)) yield* receive(id, "SUCCEED")
    yield* World.pass("5 minutes")
    yield* kill
    yield* World.pass("2 hours")
    const startedAt = world.now()
    yield* world.start
    yield* World.pass("10 minutes")
    const reads = world.reads.filter(({ at }) => at >= startedAt)
    expect(reads.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    const inSecond = Map.groupBy(reads, ({ at }) => Math.floor((at - startedAt) / second))
    expect(Math.max(...Array.from(inSecond.values(), ({ length }) => length))).toBe(10)
  })

  test("a receiver notices by itself that its machine was suspended", function* () {
    let status: "SUCCEED" | "CHARGEBACK" = "SUCCEED"
    const { receive, ...world } = yield* World.started({
      pollInterval,
      clock: (now) => (now >= 2 * day ? 2 * hour : 0),
      read: () => Effect.succeed(status)
    })
    yield* receive("1", "SUCCEED")
    yield* World.pass(2 * day - second)
    status = "CHARGEBACK"
    yield* World.pass("6 minutes")
    expect(told(world)).toEqual(["SUCCEED", "CHARGEBACK"])
    expect(alarms(world)).toContain(missed)
  })
})

test("R27: a clock that is set back while no receiver runs delays no read", function* () {
  const world = yield* World.make({
    pollInterval,
    clock: (now) => 100 * day + (now >= day ? -20 * day : 0),
    read: says("SUCCEED")
  })
  const first = yield* world.start
  yield* first.receive("1", "SUCCEED")
  yield* World.pass(day - minute)
  yield* first.stop
  yield* World.pass("2 minutes")
  yield* world.start
  yield* World.pass("2 days")
  // After 12 hours and then after 24.
  expect(world.reads.length).toBe(3)
  expect(alarms(world)).toEqual([wasSet])
})

describe("the rule for planned reads", () => {
  const time = fc.nat({ max: 5000 })
  const stored = fc.record({
    dueAt: fc.option(time, { nil: undefined }),
    lane: fc.constantFrom("repeat", "repeat", "repeat", "ask", "retry"),
    isLeased: fc.nat({ max: 4 }).map((n) => n === 0)
  })
  const planned = ({ dueAt, lane, lease }: StoredRow.StoredRow) =>
    lane === "repeat" && lease === undefined && dueAt !== undefined && dueAt > 100

  it("moves no read to a later time, and leaves at most the rate of the moved ones in any second", () => {
    fc.assert(
      fc.property(
        fc.array(stored, { maxLength: 60, size: "max" }),
        fc.integer({ min: 1, max: 50 }),
        (fields, rate) => {
          const before = fields.map(({ dueAt, isLeased, lane }, id): StoredRow.StoredRow => ({
            row: blank("card", String(id), 1),
            dueAt,
            lane,
            lease: isLeased ? { id, until: 9000, evidence: 0 } : undefined,
            bodies: {},
            facts: Fact.none,
            accepted: {}
          }))
          const page = { lane: "repeat", readSince: 0, dueAt: 100, rate, limit: 1 } as const
          const order = before
            .filter(planned)
            .toSorted((one, two) => (one.dueAt ?? 0) - (two.dueAt ?? 0))
          const rows = before.map((row) =>
            RowPages.bringForward(row, page, Math.max(order.indexOf(row), 0))
          )
          const moved = before.flatMap((row, at) => {
            const now = rows[at]
            return now === undefined || now === row ? [] : [{ row, now }]
          })
          for (const { now, row } of moved) {
            expect(planned(row)).toBe(true)
            expect(now.dueAt).toBeLessThan(row.dueAt ?? 0)
            expect(now.row.pollAt).toBe(now.dueAt)
          }
          const times = moved.map(({ now }) => now.dueAt ?? 0).toSorted((one, two) => one - two)
          for (const [at, time] of times.entries()) {
            expect((times[at + rate] ?? Infinity) - time).toBeGreaterThanOrEqual(999)
          }
          const last = 100 + (before.filter(planned).length * 1000) / rate
          for (const row of rows.filter(planned)) expect(row.dueAt).toBeLessThanOrEqual(last)
        }
      )
    )
  })
})

/** A clock that stands still. Its sleeps take real time. */
const clockAt = (process: Clock.Clock, at: number): Clock.Clock => ({
  currentTimeMillisUnsafe: () => at,
  currentTimeMillis: Effect.succeed(at),
  currentTimeNanosUnsafe: () => BigInt(at) * 1_000_000n,
  currentTimeNanos: Effect.succeed(BigInt(at) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => process.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: process.monotonicTimeNanos,
  sleep: (duration) => process.sleep(duration)
})

const outages = (layer: () => Layer.Layer<Ledger, unknown>) =>
  describe("a worker that starts", () => {
    const rows = 250
    const alive = 10 * day
    /** Plans a read of each row for the next day, one a minute. */
    const started = (now: number) =>
      Effect.gen(function* () {
        const ledger = Context.get(yield* Layer.build(layer()), Ledger)
        const journal = Context.get(yield* Layer.build(Journal.layer), Journal.Journal)
        const ids = Array.from({ length: rows }, (_, id) => String(id))
        yield* Effect.forEach(
          ids,
          (transactionId) => ledger.accept(verified("card", card({ transactionId })), alive),
          { concurrency: "unbounded" }
        )
        const { rows: leased } = yield* ledger.claim({ at: alive, until: alive + day, limit: rows })
        for (const row of leased) {
          const dueAt = alive + day + Number(row.transactionId) * minute
          yield* ledger.write(row, { release: { dueAt } })
        }
        yield* ledger.noteAlive(alive)
        const { check } = Outage.make({ ledger, journal })
        const process = yield* Clock.Clock
        yield* Effect.provideService(check(true), Clock.Clock, clockAt(process, now))
        expect(yield* ledger.lastAliveAt).toBe(now)
        return (at: number) => Effect.map(ledger.backlog(at), ({ due }) => due)
      })

    live("after an outage brings the planned reads forward", function* () {
      const start = alive + 63 * minute
      const dueAt = yield* started(start)
      for (const [at, due] of [
        [-1, 0],
        [0, 1],
        [999, 10],
        [1000, 11],
        [24_899, 249],
        [24_900, 250]
      ] as const)
        expect(yield* dueAt(start + at)).toBe(due)
    })

    live("after a shorter outage leaves the planned reads as they are", function* () {
      const dueAt = yield* started(alive + 62 * minute)
      expect(yield* dueAt(alive + day - 1)).toBe(0)
    })

    live("after a step back of the clock makes rows due earlier by it (R27)", function* () {
      const dueAt = yield* started(alive - 30 * hour)
      const first = alive + day - 30 * hour
      expect(yield* dueAt(first - 1)).toBe(0)
      expect(yield* dueAt(first + 60 * minute)).toBe(61)
      expect(yield* dueAt(first + 249 * minute)).toBe(250)
    })
  })

describe("in memory", () => void outages(() => layerMemory))
await inEachStore((place) => outages(() => Layer.fresh(emptied(place))))
