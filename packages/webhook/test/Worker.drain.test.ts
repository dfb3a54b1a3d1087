import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect } from "vitest"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"

test("a worker is draining from the moment on when it is told to, and takes no more work", function* () {
  const { drain, isDraining, receive, ...world } = yield* World.started({
    handle: () => Effect.sleep("5 seconds")
  })
  expect(yield* isDraining).toBe(false)
  yield* receive("1", "PENDING")
  yield* World.pass("1 second")
  const draining = yield* Effect.forkChild(drain)
  yield* World.settled
  expect(yield* isDraining).toBe(true)
  yield* receive("2", "PENDING")
  yield* World.pass("4 seconds")
  yield* Fiber.join(draining)
  yield* World.pass("1 minute")
  expect(world.calls.map(({ took, transactionId }) => [transactionId, took])).toEqual([["1", true]])
})

test.each(["stop", "interrupt"] as const)(
  "a %s leaves a running handler time to end",
  function* (end) {
    const world = yield* World.make({ handle: () => Effect.sleep("5 seconds") })
    const receiver = yield* world.start
    yield* receiver.receive("1", "PENDING")
    yield* World.pass("1 second")
    const ending = yield* Effect.forkChild(receiver[end])
    yield* World.pass("4 seconds")
    yield* Fiber.join(ending)
    expect(World.told(world)).toEqual(["PENDING"])
  }
)

const endless = () => Effect.uninterruptible(Effect.delay(Effect.die("late"), "1 hour"))

test.each([
  ["handler", { handle: endless }],
  ["read", { read: endless }]
])(
  "a %s that cannot be interrupted has 18 seconds, and is then left behind, also by the next end",
  function* (_, work) {
    const world = yield* World.make(work)
    const { drain, receive, stop } = yield* world.start
    yield* receive("1", "PENDING")
    yield* receive("2", "SUCCEED")
    yield* World.pass("1 second")
    const ending = yield* Effect.forkChild(Effect.andThen(drain, stop))
    yield* World.pass("15 seconds")
    expect(ending.pollUnsafe()).toBeUndefined()
    yield* World.pass("3 seconds")
    const end = ending.pollUnsafe()
    yield* World.pass("1 hour")
    expect(end).toBeDefined()
    expect(world.calls).toHaveLength(1)
  }
)

test("a worker that ends during a claim still reports a transaction that became a dead letter", function* () {
  const unreadable = [{ method: "card", transactionId: "1" }] as const
  const { drain, entries } = yield* World.started({
    plant: () => ({
      claim: () =>
        Effect.delay(Effect.succeed({ rows: [], dueAt: undefined, unreadable }), "1 second")
    })
  })
  yield* World.pass("500 millis")
  const draining = yield* Effect.forkChild(drain)
  yield* World.pass("1 second")
  yield* Fiber.join(draining)
  expect(entries).toMatchObject([
    { _tag: "DeadLettered", reason: "unreadable", transactionId: "1" }
  ])
})

test("a worker that ends during a write still raises the alarm of what it writes", function* () {
  const { drain, receive, ...world } = yield* World.started({
    plant: (ledger) => ({
      write: (...write) => Effect.tap(ledger.write(...write), () => Effect.sleep("1 second"))
    }),
    read: () => Effect.succeed("ODD")
  })
  yield* receive("1", "SUCCEED")
  yield* World.pass("100 millis")
  const draining = yield* Effect.forkChild(drain)
  yield* World.pass("20 seconds")
  yield* Fiber.join(draining)
  expect(World.alarms(world)).toEqual(["the service answered with an undocumented status"])
})
