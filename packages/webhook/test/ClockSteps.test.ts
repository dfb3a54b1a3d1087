import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import * as ClockWatch from "../src/internal/work/ClockWatch.ts"
import * as Journal from "../src/Journal.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import { newRow, shift } from "../src/internal/rule/StoredRow.ts"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"

const { day, hour, minute, says, second, told } = World

describe("R27: a write that begins before the clock is set back and is stored after it", () => {
  const setAt = 5 * second

  /**
   * A statement takes 200 ms. The worker checks the clock every 400 ms, in a phase before the
   * callback.
   */
  const delayed = (step: number, status: "PENDING" | "SUCCEED") =>
    Effect.forEach([0, 100, 200, 300], (phase) =>
      Effect.gen(function* () {
        const { receive, ...world } = yield* World.started({
          latency: "200 millis",
          pollInterval: Duration.millis(1),
          clock: (now) => 100 * day + (now >= setAt ? -step : 0),
          read: says(status)
        })
        yield* World.pass(phase)
        yield* World.pass(setAt - 1 - phase)
        yield* Effect.forkChild(receive("1", status), { startImmediately: true })
        yield* World.pass("8 seconds")
        return told(world).join()
      }).pipe((test) => Effect.promise(() => World.run(test)))
    ).pipe(Effect.runPromise)

  it.for([hour, 45 * second, 10 * second])("delays no first call by %i ms", async (step) => {
    expect(await delayed(step, "PENDING")).toEqual(Array(4).fill("PENDING"))
  })

  it.for([hour, 45 * second, 10 * second])("delays no first read by %i ms", async (step) => {
    expect(await delayed(step, "SUCCEED")).toEqual(Array(4).fill("SUCCEED"))
  })
})

describe("R27: small steps back", () => {
  test.each([1, 1.5, 3, 4.9])(
    "one of %d s between accept and read delays it by no more",
    function* (seconds) {
      const step = seconds * second
      const { receive, ...world } = yield* World.started({
        clock: (now) => 100 * day + (now >= minute ? -step : 0),
        latency: "20 millis",
        read: says("CHARGEBACK")
      })
      yield* World.pass(minute - 30)
      yield* receive("1", "CHARGEBACK").pipe(Effect.forkChild({ startImmediately: true }))
      yield* World.pass(step + 1.5 * second)
      expect(told(world)).toEqual(["CHARGEBACK"])
    }
  )

  test.each([0.4, 0.9, 1, 2, 4.9])(
    "a step of %d s each second holds no row up",
    function* (seconds) {
      const setAt = [60, 61, 62, 63, 64, 65, 66, 67, 68, 69].map((at) => at * second)
      const { receive, ...world } = yield* World.started({
        clock: (now) => 100 * day - setAt.filter((at) => at <= now).length * seconds * second,
        pollInterval: Duration.millis(250),
        read: ({ at }) => Effect.succeed(at < minute ? "PENDING" : "CHARGEBACK")
      })
      yield* World.pass(minute - 10)
      yield* receive("1", "PENDING")
      for (const at of setAt) {
        yield* World.pass(at - 20 - world.now())
        yield* receive(String(at), "PENDING")
      }
      yield* receive("1", "CHARGEBACK")
      yield* World.pass(7 * second)
      const pending = world.calls.filter(({ to }) => to === "PENDING")
      expect(pending).toHaveLength(11)
      expect(world.calls.filter(({ to }) => to === "CHARGEBACK")).toHaveLength(1)
    }
  )
})

it("R27: a step back that is shorter than a lease cuts the lease, and moves what came during it", () => {
  const at = 100 * day
  const by = 8 * second
  const { row, ...stored } = newRow("card-payment", "1", at)
  const lease = { id: 1, until: at + by + 30 * second, evidence: row.evidence }
  const until = at + 30 * second
  const leased = { ...stored, row, dueAt: at + by - 1, lane: "ask", lease } as const
  expect(shift(leased, { at, by, until })).toMatchObject({ dueAt: at, lease: { until } })
})

test("R27: a redrive of all takes the dead letters that were parked later than now, but none that is parked meanwhile", function* () {
  const ledger = Context.get(yield* Layer.build(layerMemory), Ledger)
  const parkedAt = [500, 1500, 3000]
  for (const at of parkedAt) {
    const transactionId = String(at)
    yield* ledger.register({ kind: "card-payment", transactionId }, 0)
  }
  const { rows } = yield* ledger.claim({ at: day, until: 2 * day, limit: 3 })
  for (const row of rows) {
    const at = Number(row.transactionId)
    yield* ledger.write(row, {
      deadLetter: { reason: "handler-failed", at, to: "SUCCEED" },
      release: { dueAt: undefined }
    })
  }
  const page = { reason: "handler-failed", before: 1000, now: 2000, dueAt: 2000 } as const
  let after: Parameters<typeof ledger.redriveAll>[0]["after"]
  let redriven = 0
  do {
    const done = yield* ledger.redriveAll({ ...page, after, rate: 10, limit: 1 })
    redriven += done.redriven
    after = done.last
  } while (after !== undefined)
  expect(redriven).toBe(2)
  const left = yield* ledger.deadLetters({ limit: 9 })
  expect(left.map(({ transactionId }) => transactionId)).toEqual(["1500"])
})

test("R27: small steps back count together, and rows are shifted again 1 and 5 seconds later", function* () {
  const shifts: Array<readonly [number, number]> = []
  const ledger = Context.get(yield* Layer.build(layerMemory), Ledger)
  const process = yield* Clock.Clock
  const now = () => process.currentTimeMillisUnsafe()
  let behind = 0
  const check = ClockWatch.make({
    clock: { ...process, currentTimeMillisUnsafe: () => now() - behind },
    ledger: { ...ledger, shift: ({ by }) => Effect.sync(() => void shifts.push([now(), by])) },
    journal: Context.get(yield* Layer.build(Journal.layer), Journal.Journal)
  })
  for (const step of [600, -600, 600, 600]) {
    behind += step
    yield* check
  }
  for (let wait = yield* check; wait < Infinity; wait = yield* check) yield* World.pass(wait)
  const start = shifts[0]?.[0] ?? 0
  expect(shifts).toEqual([0, 1000, 5000].map((after) => [start + after, 1200]))
})

test.each([0, 5 * second])(
  "a row that a clock of a day before stored %d ms before it was set is read as a new one before it is parked",
  function* (wait) {
    const { receive, ...world } = yield* World.started({
      clock: (now) => 100 * day + (now < 2 * minute ? -day : 0),
      read: ({ at }) => (at < 2 * minute + 70 * second ? World.notFound : Effect.succeed("SUCCEED"))
    })
    yield* World.pass(2 * minute - 1 - wait)
    yield* receive("1", "SUCCEED")
    yield* World.pass(20 * minute)
    expect(World.deadLetter(world)).toEqual([])
    expect(told(world)).toEqual(["SUCCEED"])
  }
)
