import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { describe, expect } from "vitest"
import type { Ledger } from "../src/Ledger.ts"
import * as Receiver from "../src/Receiver.ts"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"

const { told, gaps, deadLetter, hourly, says, second, minute, hour, day } = World

describe("the slots", () => {
  test("limit the first calls of the handler to 48, and the first reads to 16", function* () {
    const { receive, ...world } = yield* World.started({
      handle: () => Effect.sleep("1 second"),
      read: () => Effect.delay(Effect.succeed("SUCCEED"), "1 second")
    })
    for (let id = 0; id < 80; id++) yield* receive(String(id), "PENDING")
    yield* World.pass("10 seconds")
    for (let id = 0; id < 80; id++) yield* receive(String(id), "SUCCEED")
    yield* World.pass("30 seconds")
    expect(told(world).length).toBe(160)
    expect(world.counts).toMatchObject({ mostHandling: 48, mostReading: 16 })
    // Each call ends with a free slot and a released row, and both may begin a round.
    expect(world.counts.claims).toBeLessThan(3 * 160)
  })

  test("of reads are free while the handlers of their rows run", function* () {
    const { receive, ...world } = yield* World.started({
      handle: () => Effect.sleep("1 minute"),
      read: () => Effect.delay(Effect.succeed("SUCCEED"), second),
      limits: { reads: 4 }
    })
    for (const id of ["1", "2", "3", "4"]) yield* receive(id, "SUCCEED")
    yield* World.pass("5 seconds")
    expect(world.calls).toHaveLength(4)
  })

  test("fail in rounds while the store is gone, which is logged at most every 10 minutes", function* () {
    const { kept, lines } = World.keepLog("Error")
    const clock = (now: number) => (now < 11 * minute ? day : 0)
    yield* kept(World.started({ isRefused: () => true, clock }))
    yield* World.pass("1 minute")
    expect(lines).toEqual([["The ledger could not be read"]])
    yield* World.pass("24 minutes")
    // After 10 minutes, after the step of the clock, and 10 minutes later.
    expect(lines).toHaveLength(4)
  })
})

describe("a worker under load", () => {
  const many = Array.from({ length: 1000 }, (_, id) => String(id))
  const isUnrelated = (id: string) => id.startsWith("other")

  const waitOfFirstTell = Effect.fnUntraced(function* (
    world: World.World,
    receive: (id: string, status: "PENDING") => Effect.Effect<unknown>
  ) {
    const transactionId = `other-${world.now()}`
    const registration = { kind: "apm-payment", transactionId } as const
    yield* Effect.orDie(world.ledger.register(registration, world.now()))
    const sentAt = world.now()
    yield* receive(transactionId, "PENDING")
    yield* World.pass("10 seconds")
    const call = world.calls.find((each) => each.transactionId === transactionId)
    return (call?.at ?? Infinity) - sentAt
  })

  test("tells a transaction within a second while 1,000 claims wait for a service that hangs (R34)", function* () {
    const { receive, ...world } = yield* World.started({ read: () => Effect.never })
    for (const id of many) yield* receive(id, "SUCCEED")
    for (let minutes = 0; minutes < 2; minutes++) {
      expect(yield* waitOfFirstTell(world, receive)).toBeLessThanOrEqual(second)
      yield* World.pass("50 seconds")
    }
  })

  test("tells a transaction within a second while 75 wait for an application that hangs (R34)", function* () {
    const { receive, ...world } = yield* World.started({
      limits: { calls: 16 },
      handle: ({ transactionId }) =>
        isUnrelated(transactionId)
          ? Effect.void
          : Effect.andThen(Effect.sleep("10 seconds"), Effect.fail(new Cause.TimeoutError()))
    })
    for (const id of many.slice(0, 75)) yield* receive(id, "PENDING")
    // The first calls take 10 seconds each, 12 at a time.
    yield* World.pass("70 seconds")
    expect(world.calls.length).toBeGreaterThanOrEqual(75)
    for (let minutes = 0; minutes < 2; minutes++) {
      expect(yield* waitOfFirstTell(world, receive)).toBeLessThanOrEqual(second)
      yield* World.pass("50 seconds")
    }
    expect(world.counts.mostHandling).toBeLessThanOrEqual(16)
  })

  test("reads the oldest claim in time too, while newer ones come without an end (A30)", function* () {
    const { receive, ...world } = yield* World.started({
      read: () => Effect.delay(Effect.succeed("PENDING"), second)
    })
    // One worker reads 16 a second, and 20 come.
    for (let id = 0; id < 300; id++) {
      yield* receive(String(id), "SUCCEED")
      if (id % 20 === 19) yield* World.pass("1 second")
    }
    const first = new Set(world.reads.map(({ id }) => Number(id)))
    const oldest = Array.from({ length: 4 * 15 }, (_, id) => id)
    expect(oldest.filter((id) => !first.has(id))).toEqual([])
    // The newest one is read next.
    expect(first).toContain(299)
  })
})

describe("a worker that ends", () => {
  test("lets a running handler finish, and releases at once the rows whose handler has not started (R25)", function* () {
    const world = yield* World.make({
      handle: () => Effect.sleep("12 seconds"),
      read: () => Effect.delay(Effect.succeed("SUCCEED"), "5 seconds")
    })
    const first = yield* world.start
    yield* first.receive("1", "PENDING")
    yield* first.receive("2", "SUCCEED")
    yield* World.pass("2 seconds")
    const stopped = yield* Effect.forkChild(first.stop)
    yield* World.settled
    yield* world.start
    yield* World.pass("8 seconds")
    // The second receiver tells only the row that had no call.
    expect(world.reads.map(({ at }) => at)).toEqual([0, 2 * second])
    expect(world.calls.map(({ at, transactionId }) => [at, transactionId])).toEqual([
      [0, "1"],
      [7 * second, "2"]
    ])
    expect(stopped.pollUnsafe()).toBeUndefined()
    yield* World.pass("1 minute")
    expect(stopped.pollUnsafe()).toBeDefined()
    expect(world.calls.map(({ attempt, took }) => [attempt, took])).toEqual([
      [1, true],
      [1, true]
    ])
    expect(world.counts.overlaps).toBe(0)
  })

  test("leaves 15 seconds to a handler, and then its row to others when its lease has run out (R25)", function* () {
    const world = yield* World.make({ handle: () => Effect.sleep("1 minute") })
    const first = yield* world.start
    yield* first.receive("1", "PENDING")
    yield* World.pass("2 seconds")
    const stopped = yield* Effect.forkChild(first.stop)
    yield* World.settled
    yield* world.start
    yield* World.pass("14 seconds")
    expect(stopped.pollUnsafe()).toBeUndefined()
    yield* World.pass("2 seconds")
    expect(stopped.pollUnsafe()).toBeDefined()
    yield* World.pass("2 minutes")
    // The lease was renewed last after 10 seconds, for 30.
    expect(world.calls.map(({ at, end }) => [at, end])).toEqual([
      [0, 17 * second],
      [40 * second, 100 * second]
    ])
  })
})

test("the workers of several shards are drained at once", function* () {
  const { receive, stop, ...world } = yield* World.started({
    handle: () => Effect.sleep("1 minute"),
    // Each of the two workers calls the handler for one row at a time.
    limits: { calls: 2 },
    plant: (ledger) => ({ shards: [ledger, ledger] })
  })
  for (const id of ["1", "2", "3"]) yield* receive(id, "PENDING")
  yield* World.pass("1 second")
  expect(world.calls).toHaveLength(2)
  const stopped = yield* Effect.forkChild(stop)
  yield* World.pass("15 seconds")
  expect(stopped.pollUnsafe()).toBeDefined()
})

describe("a lease", () => {
  test("of ten minutes is not shortened when the clock is set back", function* () {
    const world = yield* World.make({
      handle: () => Effect.sleep("4 minutes"),
      clock: (now) => 100 * day - (now < 5 * second ? 0 : hour),
      pollInterval: Duration.seconds(1),
      limits: { lease: 10 * minute }
    })
    for (const id of ["1", "2", "3"]) {
      const { receive } = yield* world.start
      yield* receive(id, "PENDING")
      yield* World.pass("40 seconds")
    }
    yield* World.pass("10 minutes")
    expect(world.calls.map(({ took }) => took)).toEqual([true, true, true])
  })

  test("that is lost before the handler is called is logged, and the handler is not called", function* () {
    const { kept, lines } = World.keepLog("Error")
    const { receive, ...world } = yield* kept(World.started({ latency: 100 }))
    yield* World.pass("1 second")
    yield* Effect.forkChild(receive("1", "PENDING"))
    yield* World.pass("350 millis")
    yield* world.ledger.claim({ at: Infinity, until: minute, limit: 1 })
    yield* World.pass("30 seconds")
    expect(world.calls).toEqual([])
    expect(lines).toEqual([["A row could not be worked on", "its lease was lost"]])
    yield* World.pass("1 minute")
    expect(told(world)).toEqual(["PENDING"])
  })

  test("is released by a receiver that stops before the work begins", function* () {
    const world = yield* World.make({ latency: 100 })
    const first = yield* world.start
    yield* World.pass("1 second")
    yield* Effect.forkChild(first.receive("1", "PENDING"))
    yield* World.pass("250 millis")
    yield* Effect.forkChild(Effect.andThen(first.stop, world.start))
    yield* World.pass("3 seconds")
    expect(told(world)).toEqual(["PENDING"])
  })
})

test("a row that is claimed again in the same process because the clock jumped has one call at a time, even if the response to its last release was lost", function* () {
  let losses = 0
  const { receive, ...world } = yield* World.started({
    clock: (now) => (now < 5 * second ? 0 : minute),
    read: says("SUCCEED"),
    handle: ({ to }) => Effect.sleep(to === "PENDING" ? "1 second" : "2 minutes"),
    plant: (ledger) => ({
      write: (leased, change) =>
        Effect.tap(ledger.write(leased, change), () =>
          change.told === "PENDING" && losses++ === 0
            ? Effect.fail(new StoreUnavailable({}))
            : Effect.void
        )
    })
  })
  yield* receive("1", "PENDING")
  yield* World.pass("500 millis")
  yield* receive("1", "SUCCEED")
  yield* World.pass("5 seconds")
  // Its claim finds the lease of the first row at an end.
  yield* receive("2", "NEW")
  yield* World.pass("5 minutes")
  const calls = world.calls.filter(({ transactionId }) => transactionId === "1")
  expect(calls.map(({ at, attempt, end, to }) => [to, attempt, at, end])).toEqual([
    ["PENDING", 1, 0, second],
    ["SUCCEED", 1, second, 11 * second],
    ["SUCCEED", 2, 35.5 * second, 155.5 * second]
  ])
  expect(losses).toBeGreaterThan(1)
  expect(world.counts.overlaps).toBe(0)
})

describe("a handler that", () => {
  const brief = Effect.sleep(20)
  const bug = (): never => {
    throw new Error("bug")
  }

  test.each<[string, Effect.Effect<void, unknown> | (() => never), number, number]>([
    ["fails", Effect.andThen(brief, Effect.fail("not now")), 20, 1],
    ["dies", Effect.andThen(brief, Effect.die("bug")), 20, 1],
    ["throws", bug, 0, 1],
    ["interrupts itself", Effect.andThen(brief, Effect.interrupt), 20, 1],
    // The application may go on with a call that timed out, so the least wait is longer.
    ["never ends", Effect.never, 5 * minute, 30]
  ])(
    "%s is called again with growing waits, and other rows go on (R09)",
    function* (_, deed, lasts, least) {
      const { receive, ...world } = yield* World.started({
        handle: ({ transactionId }) =>
          transactionId === "2" ? Effect.void : typeof deed === "function" ? deed() : deed
      })
      yield* receive("1", "PENDING")
      yield* World.pass("1 second")
      yield* receive("2", "PENDING")
      yield* World.pass(20 * minute + 12 * lasts)
      expect(told(world)).toEqual(["PENDING"])
      const failed = world.calls.filter(({ took }) => !took)
      expect(failed.map(({ attempt }) => attempt)).toEqual(failed.map((_, index) => index + 1))
      expect(new Set(failed.map(({ id }) => id)).size).toBe(1)
      const waits = gaps(failed.map(({ at }) => at)).map((wait) => wait - lasts)
      expect(waits.length).toBeGreaterThan(10)
      expect(waits).toEqual(
        waits.map((_, index) => Math.min(Math.max(2 ** index, least), 300) * second)
      )
    }
  )

  test("takes longer than 5 minutes is logged with its time", function* () {
    const { kept, lines } = World.keepLog("Warn")
    const { receive } = yield* kept(World.started({ handle: () => Effect.never }))
    yield* receive("1", "PENDING")
    yield* World.pass(5 * minute)
    expect(lines).toContainEqual([
      "The handler failed; it is called again in 30 s",
      "TimeoutError: The handler has run for 300 s"
    ])
  })

  test("cannot be interrupted runs alone to its end, which the log says, and other rows go on", function* () {
    const { kept, lines } = World.keepLog("Warn")
    const handle: World.Options["handle"] = ({ attempt, transactionId }) =>
      transactionId === "1" && attempt === 1
        ? Effect.uninterruptible(Effect.sleep("1 hour"))
        : Effect.void
    const { receive, ...world } = yield* kept(World.started({ handle }))
    yield* receive("1", "PENDING")
    yield* World.pass(5 * minute)
    yield* receive("2", "PENDING")
    yield* World.pass(54 * minute)
    expect(lines).toEqual([["The handler has run for 300 s: it is interrupted and waited for"]])
    expect(world.calls.map(({ transactionId, took }) => [transactionId, took])).toEqual([
      ["1", false],
      ["2", true]
    ])
    yield* World.pass(10 * minute)
    expect(world.calls.map(({ attempt, took }) => [attempt, took])).toEqual([
      [1, false],
      [1, true],
      [2, true]
    ])
    expect(world.counts.overlaps).toBe(0)
  })

  test("cannot be interrupted runs alone to its end after its lease is lost, which the log says", function* () {
    const { kept, lines } = World.keepLog("Warn")
    let isCut = false
    const world = yield* World.make({
      isRefused: () => isCut,
      handle: ({ attempt }) =>
        attempt === 1 ? Effect.uninterruptible(Effect.sleep("4 minutes")) : Effect.void
    })
    const { receive } = yield* kept(world.start)
    yield* receive("1", "PENDING")
    yield* World.pass(second)
    isCut = true
    yield* World.pass(minute)
    isCut = false
    yield* World.pass(2 * minute)
    yield* receive("2", "PENDING")
    yield* World.pass(second)
    expect(lines).toContainEqual([
      "The lease of a row was lost: its work is interrupted and waited for"
    ])
    expect(world.calls.map(({ transactionId }) => transactionId)).toEqual(["1", "2"])
    yield* World.pass(5 * minute)
    expect(world.calls.map(({ attempt, took }) => [attempt, took])).toContainEqual([2, true])
    expect(world.counts.overlaps).toBe(0)
  })

  test("fails is logged with the reason and the next wait, and a named error without its stack", function* () {
    class OutOfStock extends Data.TaggedError("OutOfStock")<{ readonly message: string }> {}
    class Wrapped extends Data.TaggedError("Wrapped")<{ readonly cause: Error }> {}
    const named = new OutOfStock({ message: "none are left" })
    const bug = new Error("a bug of the application")
    const wrapped = new Wrapped({ cause: new Error("whose stack is wanted") })
    const deeds = [
      Effect.fail("not now"),
      Effect.fail(named),
      Effect.fail(wrapped),
      Effect.die(named),
      Effect.fail(bug)
    ]
    const { kept, lines } = World.keepLog("Warn", ({ cause, message }) => [message, cause])
    const { receive } = yield* kept(World.started({ handle: () => deeds.shift() ?? Effect.void }))
    yield* receive("1", "PENDING")
    yield* World.pass("1 minute")
    expect(lines).toEqual([
      [["The handler failed; it is called again in 1 s"], Cause.fail("not now")],
      [["The handler failed; it is called again in 2 s", "OutOfStock: none are left"], Cause.empty],
      [["The handler failed; it is called again in 4 s"], Cause.fail(wrapped)],
      [["The handler failed; it is called again in 8 s"], Cause.die(named)],
      [["The handler failed; it is called again in 16 s"], Cause.fail(bug)]
    ])
  })

  test("fails for one status has 24 hours for the next one, which waits for the backoff (R40)", function* () {
    const { receive, ...world } = yield* World.started({
      read: ({ at }) => Effect.succeed(at < 19.5 * hour ? "PENDING" : "SUCCEED"),
      handle: () => Effect.fail("not now"),
      retrySchedule: hourly
    })
    yield* receive("1", "PENDING")
    yield* World.pass(19.5 * hour)
    yield* receive("1", "SUCCEED")
    yield* World.pass("26 hours")
    const calls = world.calls.filter(({ to }) => to === "SUCCEED")
    expect(calls[0]).toMatchObject({ attempt: 1, at: 20 * hour })
    expect(calls.at(-1)?.at).toBe(45 * hour)
  })

  test("failed until its row was parked is called for another status, and not again for the first one", function* () {
    const { receive, ...world } = yield* World.started({
      read: ({ at }) => Effect.succeed(at < 3 * day ? "SUCCEED" : "CHARGEBACK"),
      handle: ({ at }) => (at < 2 * day ? Effect.fail("not now") : Effect.void),
      retrySchedule: hourly
    })
    yield* receive("1", "SUCCEED")
    yield* World.pass("3 days")
    expect(deadLetter(world)).toEqual(["handler-failed"])
    yield* receive("1", "SUCCEED")
    yield* World.pass("30 days")
    expect(world.calls.filter(({ at }) => at > 2 * day)).toMatchObject([
      { to: "CHARGEBACK", from: null, attempt: 1 }
    ])
    expect((yield* world.ledger.get("apm", "1"))?.deadLetter).toBeUndefined()
  })
})

/** Waits a minute longer after each call. */
const linear = Schedule.fromStepWithMetadata(
  Effect.succeed(({ attempt }: Schedule.InputMetadata<unknown>) =>
    Effect.succeed([attempt, Duration.minutes(attempt)] as [number, Duration.Duration])
  )
)

test("a handler that failed is called again by the schedule of its receiver, which a restart does not begin anew", function* () {
  const retrySchedule = linear.pipe(Schedule.upTo({ times: 4 }))
  const world = yield* World.make({ handle: () => Effect.fail("not now"), retrySchedule })
  const first = yield* world.start
  yield* first.receive("1", "PENDING")
  yield* World.pass("150 seconds")
  yield* first.kill
  yield* world.start
  yield* World.pass("1 day")
  expect(World.times(world)).toEqual([0, minute, 3 * minute, 6 * minute, 10 * minute])
  expect(deadLetter(world)).toEqual(["handler-failed"])
})

test("a row that a stopping worker releases is due since its read fell due", function* () {
  const { ledger, now, receive, stop } = yield* World.started({ read: () => Effect.never })
  yield* World.pass("1 hour")
  yield* receive("1", "SUCCEED")
  yield* World.pass("1 second")
  yield* stop
  expect(yield* ledger.backlog(now())).toMatchObject({ due: 1, oldestDueAt: hour })
  const limit = { tell: 0, ask: 1, retry: 0, repeat: 0, watch: 0 }
  expect((yield* ledger.claim({ at: now(), until: now(), limit })).rows).toHaveLength(1)
})

test("a limit that is undefined keeps its default", function* () {
  const names = ["calls", "reads", "readsPerSecond", "lease", "retrySchedule"]
  const { calls, receive } = yield* World.started({
    read: says("SUCCEED"),
    handle: ({ attempt }) => (attempt === 1 ? Effect.fail("not now") : Effect.void),
    limits: Object.fromEntries(names.map((name) => [name, undefined]))
  })
  yield* receive("1", "SUCCEED")
  yield* World.pass("2 seconds")
  expect(calls).toMatchObject([{ attempt: 1 }, { attempt: 2 }])
})

test("a limit that would stop or repeat the work is refused", function* () {
  for (const [name, [expected, ...values]] of Object.entries({
    // A fraction of a slot is never used up, and a fraction of a millisecond is no time of PostgreSQL.
    calls: ["a whole number of 1 or more", 0, -1, 2.5, Number.NaN, Infinity, "64"],
    reads: ["a whole number of 1 or more", 0, 4.5, Number.NaN, Infinity, "32"],
    readsPerSecond: ["a number of 1 or more", 0, 0.5, -1, Number.NaN, "100"],
    // The seconds of an environment variable.
    lease: ["a whole number of 1000 or more", 0, -1, 30, 999, 30_000.5, Number.NaN, Infinity]
  })) {
    for (const value of values) {
      expect(() => Receiver.layer({ limits: { [name]: value as number } })).toThrow(
        `limits.${name} cannot be used: give ${expected}`
      )
    }
  }
  for (const readsPerSecond of [1, 1.5, Infinity])
    expect(() => Receiver.layer({ limits: { readsPerSecond } })).not.toThrow()
  yield* Effect.void
})

test("a handler whose schedule had ended before an outage is not called after it", function* () {
  const retrySchedule = Schedule.spaced("10 minutes").pipe(
    Schedule.upTo({ duration: "25 minutes" })
  )
  const world = yield* World.make({
    read: says("PENDING"),
    handle: () => Effect.fail("not now"),
    retrySchedule
  })
  const first = yield* world.start
  yield* first.receive("1", "PENDING")
  yield* World.pass("31 minutes")
  yield* first.kill
  yield* World.pass("1 day")
  yield* world.start
  yield* World.pass("1 hour")
  expect(World.times(world)).toEqual([0, 10 * minute, 20 * minute, 30 * minute])
  expect(deadLetter(world)).toEqual(["handler-failed"])
})

test("a transition carries the requestId of the registration and the newest callback that claims its status, with its signed fields apart", function* () {
  const { receive, ...world } = yield* World.started({
    read: ({ id }) => Effect.succeed(id === "3" ? "FAILED" : "SUCCEED")
  })
  const registered = { kind: "apm-payment", transactionId: "1", requestId: "order-1" } as const
  yield* world.ledger.register(registered, world.now())
  for (const id of ["1", "2", "3"]) yield* receive(id, "SUCCEED")
  yield* World.pass("1 minute")
  const carried = (transactionId: string) => ({
    kind: "apm-payment",
    requestId: null,
    signed: { account: "4711", amount: "10.00", currency: "EUR", transactionId },
    callback: { transactionStatus: "SUCCEED", apmType: "PIX" }
  })
  const calls = Object.fromEntries(world.calls.map((call) => [call.transactionId, call]))
  expect(calls).toMatchObject({
    1: { ...carried("1"), requestId: "order-1" },
    2: carried("2"),
    3: { to: "FAILED", signed: null, callback: null }
  })
})

test("another status after a call that timed out has a higher sequence (R26)", function* () {
  const { receive, ...world } = yield* World.started({
    read: says("SUCCEED"),
    handle: ({ to }) =>
      to === "PENDING"
        ? Effect.delay(Effect.fail(new Cause.TimeoutError()), "10 seconds")
        : Effect.void
  })
  yield* receive("1", "PENDING")
  yield* World.pass("5 seconds")
  yield* receive("1", "SUCCEED")
  yield* World.pass("1 minute")
  expect(world.calls.map(({ at, sequence, to }) => [at, sequence, to])).toEqual([
    [0, 1, "PENDING"],
    [40 * second, 2, "SUCCEED"]
  ])
})

describe("a handler with a commit", () => {
  test.each([
    ["ends", {}],
    // The shard of its request is not available.
    ["stays", { release: undefined }]
  ])(
    "commits once when the response to the commit is lost, and the lease %s (S5)",
    function* (_, kept) {
      const marks: Array<unknown> = []
      const { receive, ...world } = yield* World.started({
        read: World.says("SUCCEED"),
        plant: (ledger) => ({
          write: (leased, change) =>
            ledger.write(leased, change.told === undefined ? change : { ...change, ...kept })
        }),
        commit: (_, told) =>
          Effect.flatMap(told, (row) =>
            marks.push(row) === 1 ? Effect.fail(new StoreUnavailable({})) : Effect.succeed(row)
          )
      })
      yield* receive("1", "SUCCEED")
      yield* World.pass("1 hour")
      expect(world.calls.length).toBe(1)
      expect(marks.length).toBe(1)
      expect(yield* world.ledger.get("apm", "1")).toMatchObject({ told: "SUCCEED", sequence: 1 })
    }
  )

  test.each([
    ["fails", "no such order"],
    ["is refused by the store", new StoreUnavailable({ cause: { code: "42501" } })]
  ])(
    "counts as failed when its commit %s, and is called again with growing waits",
    function* (_, error) {
      const { receive, ...world } = yield* World.started({
        read: World.says("SUCCEED"),
        commit: () => Effect.fail(error)
      })
      yield* receive("1", "SUCCEED")
      yield* World.pass("8 seconds")
      expect(World.times(world).map((at) => at - (World.times(world)[0] ?? 0))).toEqual([
        0, 1000, 3000, 7000
      ])
      expect(yield* world.ledger.get("apm", "1")).toMatchObject({ told: undefined, attempt: 4 })
      const tags = world.entries.map(({ _tag }) => _tag)
      expect(tags.filter((tag) => tag === "Told" || tag === "HandlerFailed")).toEqual(
        Array.from({ length: 4 }, () => "HandlerFailed")
      )
    }
  )
})

/** The ledger commits the writes, and loses the response of each nth one. */
const losing =
  (nth: number) =>
  (ledger: Ledger["Service"]): Partial<Ledger["Service"]> => {
    let writes = 0
    return {
      write: (...write) =>
        Effect.tap(ledger.write(...write), () =>
          ++writes % nth === 0 ? Effect.fail(new StoreUnavailable({})) : Effect.void
        )
    }
  }

test.each([2, 3])(
  "records each event once, if the response of write %i of each is lost",
  function* (nth) {
    const eventsOf = Effect.fnUntraced(function* (plant?: World.Options["plant"]) {
      const { receive, ...world } = yield* World.started({
        ...(plant && { plant }),
        handle: ({ transactionId }) =>
          transactionId === "3" ? Effect.fail("broken") : Effect.void,
        read: ({ id }) =>
          id === "1" ? World.notFound : Effect.succeed(id === "2" ? "SUCCEED" : "PENDING"),
        retrySchedule: World.hourly
      })
      yield* receive("1", "SUCCEED")
      yield* receive("2", "FAILED")
      yield* receive("3", "PENDING")
      yield* World.pass("3 days")
      return world.entries
        .filter(({ _tag }) => _tag !== "Read" && _tag !== "Accepted" && _tag !== "HandlerFailed")
        .map((event) => JSON.stringify({ ...event, at: 0 }))
        .toSorted()
    })
    const usual = yield* eventsOf()
    expect(usual).toHaveLength(4)
    expect(yield* eventsOf(losing(nth))).toEqual(usual)
  }
)
