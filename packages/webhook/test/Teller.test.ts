import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Handler from "@pawl/core/Handler"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect } from "vitest"
import { Confirmer } from "../src/internal/work/Confirmer.ts"
import * as Journal from "../src/Journal.ts"
import { layerMemory } from "../src/Ledger.ts"
import { blank } from "../src/internal/rule/Row.ts"
import * as NextWork from "../src/internal/work/NextWork.ts"
import { defaults } from "../src/internal/rule/WorkLimits.ts"
import * as Teller from "../src/internal/work/Teller.ts"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"

const { hour, says, second } = World

const entriesOf = (world: World.World, ...tags: ReadonlyArray<string>) =>
  world.entries.filter(({ _tag }) => tags.includes(_tag))

test("a call is recorded with its status, its confirmation, its conflict and its attempt", function* () {
  const statuses = ["FAILED", "SUCCEED"] as const
  let reads = 0
  let failures = 1
  const { receive, ...world } = yield* World.started({
    read: () => Effect.succeed(statuses[reads++] ?? "SUCCEED"),
    handle: () => (failures-- > 0 ? Effect.fail("no") : Effect.void)
  })
  yield* receive("1", "FAILED")
  yield* World.pass("1 minute")
  yield* receive("1", "SUCCEED")
  yield* World.pass("1 minute")
  const conflict = ["SUCCEED", "FAILED"]
  expect(world.calls.slice(1)).toMatchObject([
    { id: "apm:1:1:FAILED", sequence: 1, from: null, to: "FAILED", conflict: null },
    { id: "apm:1:2:SUCCEED", sequence: 2, from: "FAILED", to: "SUCCEED", conflict }
  ])
  const [story] = yield* world.ledger.story("apm", "1")
  expect(story?.facts.filter(({ fact }) => fact === "failed")).toMatchObject([
    { fact: "failed", to: "FAILED", sequence: 1, at: world.calls[0]?.at }
  ])
  expect(story?.facts.filter(({ fact }) => fact === "told")).toMatchObject([
    { fact: "told", to: "FAILED", sequence: 1, at: world.calls[1]?.end },
    { fact: "told", to: "SUCCEED", sequence: 2 }
  ])
  const subject = { method: "apm", transactionId: "1", at: expect.any(Number) }
  expect(entriesOf(world, "Told", "HandlerFailed").slice(0, 3)).toStrictEqual([
    { ...subject, _tag: "HandlerFailed", to: "FAILED", attempt: 1 },
    { ...subject, _tag: "Told", to: "FAILED", confirmed: true, conflict: null, attempt: 2 },
    {
      ...subject,
      _tag: "Told",
      to: "SUCCEED",
      confirmed: true,
      conflict,
      attempt: 1
    }
  ])
})

test("a row that is parked fails no longer, so a redrive begins its 24 hours anew", function* () {
  const { receive, ...world } = yield* World.started({
    read: says("PENDING"),
    handle: () => Effect.fail("no"),
    retrySchedule: World.hourly
  })
  yield* receive("1", "PENDING")
  yield* World.pass("1 hour")
  expect((yield* world.ledger.get("apm", "1"))?.failingSince).toBe(0)
  yield* World.pass("25 hours")
  expect(yield* world.ledger.get("apm", "1")).toMatchObject({
    deadLetter: { reason: "handler-failed" },
    failingSince: undefined
  })
  const [story] = yield* world.ledger.story("apm", "1")
  expect(story?.facts.filter(({ fact }) => fact === "parked")).toMatchObject([
    { fact: "parked", reason: "handler-failed", to: "PENDING" }
  ])
})

test("after a crash between a call and its mark `from` is the status that was marked, and `sequence` goes on", function* () {
  let isCrashing = true
  const world = yield* World.make({
    read: says("SUCCEED"),
    plant: (ledger) => ({
      ...ledger,
      write: (row, change) =>
        isCrashing && change.told !== undefined
          ? Effect.fail(new StoreUnavailable({}))
          : ledger.write(row, change)
    })
  })
  const first = yield* world.start
  yield* first.receive("1", "PENDING")
  yield* World.pass("1 second")
  yield* first.kill
  isCrashing = false
  const second = yield* world.start
  yield* second.receive("1", "SUCCEED")
  yield* World.pass("2 minutes")
  expect(world.calls).toMatchObject([
    { from: null, to: "PENDING", sequence: 1, took: true },
    { from: null, to: "SUCCEED", sequence: 2, took: true }
  ])
})

test("a commit is tried again every second while the store is not available", function* () {
  const tries: Array<number> = []
  const isDown = Effect.map(Clock.currentTimeMillis, (at) => tries.push(at) < 4)
  const { receive, ...world } = yield* World.started({
    commit: (_, told) =>
      Effect.andThen(Effect.when(Effect.fail(new StoreUnavailable({})), isDown), told)
  })
  yield* receive("1", "PENDING")
  yield* World.pass("10 seconds")
  expect(tries).toEqual([0, second, 2 * second, 3 * second])
  expect(world.calls).toHaveLength(1)
  expect(entriesOf(world, "Told", "HandlerFailed")).toMatchObject([{ _tag: "Told", to: "PENDING" }])
})

test("a call whose lease is lost before its mark is neither told nor failed", function* () {
  let steal: Effect.Effect<unknown, StoreUnavailable> = Effect.void
  const { kill, receive, ...world } = yield* World.started({
    read: says("PENDING"),
    commit: (_, told) =>
      Effect.andThen(
        Effect.suspend(() => steal),
        told
      )
  })
  steal = world.ledger.claim({ at: hour, until: hour + 1, limit: 9 })
  yield* receive("1", "PENDING")
  yield* World.pass("1 second")
  expect(world.calls).toHaveLength(1)
  expect(entriesOf(world, "Told", "HandlerFailed")).toEqual([])
  expect(yield* world.ledger.get("apm", "1")).toMatchObject({ told: undefined, attempt: 1 })
  yield* kill
})

test("a row with nothing to tell is returned as it is", function* () {
  const confirmer = { policy: "final", read: () => Effect.never } as const
  const layer = Teller.layer(defaults).pipe(
    Layer.provide([
      Layer.fresh(layerMemory),
      Layer.succeed(Confirmer, confirmer),
      Journal.layer,
      Handler.layer(() => Effect.die("is not called"))
    ])
  )
  const { tell } = Context.get(yield* Layer.build(layer), Teller.Teller)
  const row = { ...blank("apm", "1", 0), lease: 1, evidenceAtLease: 0 }
  const pending = NextWork.none(row)
  expect(yield* tell(pending, () => Effect.die("is not released"))).toBe(pending)
})
