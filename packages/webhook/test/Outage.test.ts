import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"

const { alarms, day, hour, minute, says, second, told } = World
const pollInterval = Duration.hours(1)
const missed =
  "no worker ran for more than 62 minutes, so callbacks may be lost: planned reads are brought forward"
const wasSet = "a clock jumped by more than 5 seconds"

describe("after an outage of all receivers (R18)", () => {
  const refundedMeanwhile = Effect.fnUntraced(function* (outage: number, end: "stop" | "kill") {
    let status: "SUCCEED" | "REFUNDED" = "SUCCEED"
    const world = yield* World.started({ pollInterval, read: () => Effect.succeed(status) })
    yield* world.receive("1", "SUCCEED")
    // The watch reads after 12 hours, then after 24, and then after 48.
    yield* World.pass(13 * hour + minute / 2)
    yield* world[end]
    status = "REFUNDED"
    yield* World.pass(outage)
    yield* world.start
    yield* World.pass("1 second")
    return { told: told(world), alarms: alarms(world) }
  })

  test.each(["stop", "kill"] as const)(
    "a watched transaction is read at the start (%s)",
    function* (end) {
      const found = yield* refundedMeanwhile(63 * minute, end)
      expect(found).toEqual({ told: ["SUCCEED", "REFUNDED"], alarms: [missed] })
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

  test("a shorter outage changes no planned read, because the service repeats the refused callbacks", function* () {
    const found = yield* refundedMeanwhile(62 * minute, "stop")
    expect(found).toEqual({ told: ["SUCCEED"], alarms: [] })
  })

  test("the end of one receiver is no outage while another one works", function* () {
    const world = yield* World.make({ pollInterval, read: says("SUCCEED") })
    const first = yield* world.start
    yield* world.start
    yield* first.receive("1", "SUCCEED")
    yield* World.pass("1 minute")
    yield* first.stop
    yield* World.pass("2 hours")
    yield* world.start
    yield* World.pass("1 minute")
    expect(alarms(world)).toEqual([])
  })

  test("10 transactions are read in a second, and each of them once", function* () {
    const options = { pollInterval, read: says("SUCCEED") }
    const { kill, receive, ...world } = yield* World.started(options)
    const ids = Array.from({ length: 60 }, (_, id) => String(id))
    for (const id of ids.slice(20)) yield* receive(id, "SUCCEED")
    yield* World.pass("13 hours")
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
      clock: (now) => (now >= 13 * hour ? 2 * hour : 0),
      read: () => Effect.succeed(status)
    })
    yield* receive("1", "SUCCEED")
    yield* World.pass(13 * hour - second)
    status = "CHARGEBACK"
    yield* World.pass("6 minutes")
    expect(told(world)).toEqual(["SUCCEED", "CHARGEBACK"])
    expect(alarms(world)).toContain(missed)
  })
})

test("R27: a clock that is set back while no receiver runs delays no read", function* () {
  const world = yield* World.make({
    pollInterval,
    clock: (now) => 100 * day + (now >= 13 * hour ? -20 * day : 0),
    read: says("SUCCEED")
  })
  const first = yield* world.start
  yield* first.receive("1", "SUCCEED")
  yield* World.pass(13 * hour - minute)
  yield* first.stop
  yield* World.pass("2 minutes")
  yield* world.start
  yield* World.pass("3 days")
  expect(world.reads.map(({ at }) => Math.round(at / hour))).toEqual([0, 12, 36, 84])
  expect(alarms(world)).toEqual([wasSet])
})
