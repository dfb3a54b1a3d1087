import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"

const { told, alarms, says, minute, hour } = World

describe("a policy", () => {
  test("of always tells only statuses that the service confirmed", function* () {
    const { receive, ...world } = yield* World.started({
      policy: "always",
      read: ({ at }) => Effect.succeed(at < minute ? "NEW" : "PENDING")
    })
    yield* receive("1", "PENDING")
    yield* World.pass("10 minutes")
    expect(world.calls.map(({ confirmed, to }) => [to, confirmed])).toEqual([
      ["NEW", true],
      ["PENDING", true]
    ])
  })

  test("of never tells the claims of callbacks at once", function* () {
    const { receive, ...world } = yield* World.started({
      policy: "never",
      read: () => World.unreachable
    })
    yield* receive("1", "SUCCEED")
    yield* World.settled
    expect(world.calls.map(({ confirmed, to }) => [to, confirmed])).toEqual([["SUCCEED", false]])
  })
})

describe("a service whose read", () => {
  test.each([
    ["dies", () => Effect.die("bug")],
    ["interrupts itself", () => Effect.interrupt],
    ["never ends", () => Effect.never],
    [
      "throws",
      () => {
        throw new Error("bug")
      }
    ],
    ["fails with Unreachable", () => World.unreachable]
  ])(
    "%s is read again after 15 seconds, and does not delay work that needs no read (R21)",
    function* (_, read) {
      const { receive, ...world } = yield* World.started({ read })
      yield* receive("1", "PENDING")
      yield* World.settled
      yield* receive("1", "SUCCEED")
      yield* World.pass("61 minutes")
      yield* receive("1", "CUSTOMER_VERIFICATION")
      yield* World.pass("2 minutes")
      expect(told(world)).toEqual(["PENDING", "CUSTOMER_VERIFICATION"])
      expect(world.reads.length).toBeGreaterThan(40)
      expect(world.reads.length).toBeLessThan(63 * 4 + 10)
      expect(world.counts.claims).toBeLessThan(63 * 4 * 2 + 30)
      expect(yield* world.ledger.get("apm", "1")).toMatchObject({
        polls: 0,
        deadLetter: undefined
      })
    }
  )

  test("succeeds is read once for each claim, however many come at once", function* () {
    const { receive, ...world } = yield* World.started({
      limits: { readsPerSecond: Infinity },
      read: () => Effect.delay(Effect.succeed("SUCCEED"), 100)
    })
    for (let id = 0; id < 150; id++) yield* receive(String(id), "SUCCEED")
    yield* World.pass("4 seconds")
    expect(told(world).length).toBe(150)
    expect(world.reads.length).toBe(150)
  })

  test("returns an unknown status raises an alarm, is read again, and tells nothing", function* () {
    const { receive, ...world } = yield* World.started({
      read: ({ at }) => Effect.succeed(at < hour ? "SETTLED" : "SUCCEED")
    })
    yield* receive("1", "SUCCEED")
    yield* World.pass("50 minutes")
    expect(told(world)).toEqual([])
    expect(new Set(alarms(world))).toEqual(
      new Set(["the service answered with an undocumented status"])
    )
    yield* World.pass("2 hours")
    expect(told(world)).toEqual(["SUCCEED"])
  })

  test("goes back in rank raises one alarm and causes no transition", function* () {
    const { receive, ...world } = yield* World.started({
      read: ({ at }) => Effect.succeed(at < hour ? "REFUNDED" : "SUCCEED")
    })
    yield* receive("1", "REFUNDED")
    yield* World.pass("150 days")
    expect(told(world)).toEqual(["REFUNDED"])
    expect(alarms(world)).toEqual(["the service went back to an earlier status"])
  })

  test("contradicts a claim for a minute raises one alarm", function* () {
    const { receive, ...world } = yield* World.started({ read: says("FAILED") })
    yield* receive("1", "SUCCEED")
    yield* World.pass("64 seconds")
    expect(alarms(world)).toEqual([])
    yield* World.pass("1 day")
    expect(alarms(world)).toEqual(["a callback claims a final status that the service contradicts"])
    expect(told(world)).toEqual(["FAILED"])
  })
})
