import { StoreUnavailable } from "@pawl/core/CallbackError"
import { isTerminal, type Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { describe, expect } from "vitest"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"
import * as Profile from "@pawl/core/Profile"
import * as Duration from "effect/Duration"

const { deadLetter, hour, says, second, minute } = World

describe("an id that no endpoint knows for a day", () => {
  test("A33: is no dead letter and is not polled on if it is a transaction of the other method", function* () {
    const { receive, ...world } = yield* World.started({
      read: ({ kind }) => (kind === "card-payment" ? Effect.succeed("SUCCEED") : World.notFound)
    })
    yield* world.ledger.register({ kind: "card-payment", transactionId: "1" }, 0)
    // An APM payment may have the same signed texts.
    yield* receive("1", "SUCCEED")
    yield* World.pass("2 days")
    const readsAsApm = () => world.reads.filter(({ kind }) => kind === "apm").length
    const before = readsAsApm()
    yield* World.pass("10 days")
    yield* receive("1", "SUCCEED")
    yield* World.pass("10 days")
    expect(deadLetter(world)).toEqual([])
    expect(readsAsApm() - before).toBeLessThanOrEqual(2)
  })

  test.each([
    ["never", "SUCCEED", 36, Profile.defaults.pollIntervals],
    ["never", "FAILED", 36, Profile.defaults.pollIntervals],
    ["never", "CANCELLED", 36, Profile.defaults.pollIntervals],
    ["never", "CHARGEBACK", 36, Profile.defaults.pollIntervals],
    ["never", "PENDING", 25, Profile.defaults.pollIntervals],
    ["final", "SUCCEED", 25, Profile.defaults.pollIntervals],
    ["final", "SUCCEED", 49, [Duration.days(2)]]
  ] as const)(
    "is a dead letter under the policy %s after a claim of %s and %i hours",
    function* (policy, status, hours, pollIntervals) {
      const { receive, ...world } = yield* World.started({ policy }).pipe(
        Effect.provideService(Profile.Profile, { ...Profile.defaults, pollIntervals })
      )
      yield* receive("1", status)
      yield* World.pass((hours - 1) * hour)
      expect(deadLetter(world)).toEqual([])
      yield* World.pass(hour)
      expect(deadLetter(world)).toEqual(["unknown-transaction"])
    }
  )

  test("takes no slot from other reads while the shard of its other method is down", function* () {
    let isDown = true
    const { receive, ...world } = yield* World.started({
      limits: { reads: 4 },
      read: ({ id }) => (id === "1" ? World.notFound : Effect.succeed("PENDING")),
      plant: (ledger) => ({
        ...ledger,
        get: (method, id) =>
          Effect.suspend(() =>
            method === "card" && isDown
              ? Effect.fail(new StoreUnavailable({}))
              : ledger.get(method, id)
          )
      })
    })
    yield* receive("1", "SUCCEED")
    yield* World.pass("25 hours")
    yield* receive("2", "PENDING")
    yield* World.pass("6 minutes")
    expect(world.reads.filter(({ id }) => id === "2")).toHaveLength(1)
    expect(deadLetter(world)).toEqual([])
    isDown = false
    yield* World.pass("1 minute")
    expect(deadLetter(world)).toEqual(["unknown-transaction"])
  })

  test.each([3, 30])(
    "is not read again when its handler fails too, for %i hours",
    function* (times) {
      const { receive, ...world } = yield* World.started({
        handle: () => Effect.fail("not now"),
        retrySchedule: Schedule.spaced("1 hour").pipe(Schedule.upTo({ times }))
      })
      yield* receive("1", "PENDING")
      yield* World.pass((times + 30) * hour)
      const before = [world.reads.length, world.calls.length, world.counts.claims]
      yield* World.pass("30 days")
      expect([world.reads.length, world.calls.length, world.counts.claims]).toEqual(before)
      expect(deadLetter(world).toSorted()).toEqual(["handler-failed", "unknown-transaction"])
    }
  )
})

test("a transaction of unknown kind (R36) is read as a payment for 60 seconds, then at every endpoint", function* () {
  const { receive, ...world } = yield* World.started()
  yield* receive("1", "SUCCEED")
  yield* World.pass("2 minutes")
  expect(world.reads.map(({ at, kind }) => [at / second, kind])).toEqual([
    [0, "apm-payment"],
    [1, "apm-payment"],
    [3, "apm-payment"],
    [8, "apm-payment"],
    [23, "apm-payment"],
    [60, "apm"]
  ])
})

test("a registered operation is told with the status of its response, and read from its own endpoint without a callback (R17)", function* () {
  const world = yield* World.make({ read: says("SUCCEED") })
  yield* world.start
  yield* world.ledger.register(
    { kind: "apm-payout", transactionId: "1", status: "PENDING" },
    world.now()
  )
  yield* World.pass("6 minutes")
  expect(world.calls).toMatchObject([
    { to: "PENDING", confirmed: true, kind: "apm-payout", callback: null },
    { to: "SUCCEED", confirmed: true, kind: "apm-payout" }
  ])
  expect(world.reads).toMatchObject([{ kind: "apm-payout", at: 5 * minute }])
})

test.each<[string, World.Options, Status, number]>([
  ["that ended", { read: says("SUCCEED") }, "SUCCEED", 15],
  ["with a forged claim", { read: says("PENDING") }, "SUCCEED", 130],
  ["with a contradicted claim", { read: says("FAILED") }, "SUCCEED", 12],
  ["with an unknown id", {}, "PENDING", 40],
  [
    "that is parked",
    {
      read: says("SUCCEED"),
      handle: () => Effect.fail("not now"),
      retrySchedule: World.hourly
    },
    "SUCCEED",
    45
  ]
])(
  "over 130 days, rows are claimed only for a read or a call, for a row %s",
  function* (_, options, status, most) {
    const world = yield* World.make(options)
    const { receive } = yield* world.start
    yield* receive("1", status)
    yield* World.pass("130 days")
    const works = world.reads.length + world.calls.length
    expect(works).toBeLessThanOrEqual(most)
    expect(world.counts.claims).toBeLessThanOrEqual(2 * works + 5)
    if (isTerminal(status)) expect(world.reads.length).toBeGreaterThan(0)
  }
)

/** `Reconciler.prop.test.ts` has the default intervals. */
test.each<[Profile.Switches["pollIntervals"], number, ReadonlyArray<number>]>([
  [[Duration.minutes(7), Duration.hours(1)], 4, [7, 67, 127, 187]],
  [[Duration.hours(2)], 8, [120, 240, 360, 480]]
])(
  "the poll intervals are those of the profile, and the last one repeats: %j",
  function* (pollIntervals, hours, minutes) {
    const { receive, ...world } = yield* World.started({ read: World.says("PENDING") }).pipe(
      Effect.provideService(Profile.Profile, { ...Profile.defaults, pollIntervals })
    )
    yield* receive("1", "PENDING")
    yield* World.pass(hours * World.hour)
    expect(world.reads.map(({ at }) => at / World.minute)).toEqual(minutes)
  }
)
