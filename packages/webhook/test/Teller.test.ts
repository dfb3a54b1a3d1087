import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Evidence from "@pawl/core/Evidence"
import * as Handler from "@pawl/core/Handler"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect } from "vitest"
import { Confirmer } from "../src/internal/work/Confirmer.ts"
import * as Journal from "../src/Journal.ts"
import { layerMemory, Ledger } from "../src/Ledger.ts"
import { blank, type DeadLetter, type Row } from "../src/internal/rule/Row.ts"
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
  expect(story?.row).toMatchObject({
    attempt: 0,
    failingSince: undefined,
    pendingStatus: undefined
  })
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
    { ...subject, _tag: "Told", to: "SUCCEED", confirmed: true, conflict, attempt: 1 }
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

const committingUnless = (isDown: Effect.Effect<boolean>): World.Options => ({
  commit: (_, told) =>
    Effect.andThen(Effect.when(Effect.fail(new StoreUnavailable({})), isDown), told)
})

test("a commit is tried again every second while the store is not available, and releases its row", function* () {
  const tries: Array<number> = []
  const isDown = Effect.map(Clock.currentTimeMillis, (at) => tries.push(at) < 4)
  const { receive, ...world } = yield* World.started(committingUnless(isDown))
  yield* receive("1", "PENDING")
  yield* World.pass("10 seconds")
  expect(tries).toEqual([0, second, 2 * second, 3 * second])
  expect(world.calls).toHaveLength(1)
  expect(entriesOf(world, "Told", "HandlerFailed")).toMatchObject([{ _tag: "Told", to: "PENDING" }])
  // Its lease would have ended by then, and its read is due later.
  expect(yield* world.ledger.backlog(world.now() + 40 * second)).toMatchObject({ due: 0 })
})

test("the worker makes no progress while a commit is tried again", function* () {
  const isDown = Effect.map(Clock.currentTimeMillis, (at) => at < 90 * second)
  const { progress, receive } = yield* World.started(committingUnless(isDown))
  yield* receive("1", "PENDING")
  yield* World.pass("70 seconds")
  expect((yield* progress).cause).toBe("the store does not answer")
  yield* World.pass("20 seconds")
  expect((yield* progress).cause).toBeUndefined()
})

test("a call whose lease is lost before its mark is neither told nor failed", function* () {
  let steal: Effect.Effect<unknown, StoreUnavailable> = Effect.void
  const { kill, progress, receive, ...world } = yield* World.started({
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
  yield* World.pass("2 minutes")
  expect((yield* progress).cause).toBeUndefined()
  yield* kill
})

const tellOf = Effect.gen(function* () {
  const confirmer = { policy: "final", read: () => Effect.never } as const
  const tell = yield* Effect.flatMap(Ledger, (ledger) => Teller.make(ledger, defaults)).pipe(
    Effect.provide([
      Layer.fresh(layerMemory),
      Layer.succeed(Confirmer, confirmer),
      Journal.layer,
      Handler.layer(() => Effect.die("is not called"))
    ])
  )
  return (row: Row) => {
    const pending = NextWork.none({ ...row, lease: 1, evidenceAtLease: 0 })
    return Effect.map(
      tell(pending, () => Effect.die("is not released")),
      (told) => ({ pending, told })
    )
  }
})

test("a row with nothing to tell is returned as it is", function* () {
  const { pending, told } = yield* (yield* tellOf)(blank("apm", "1", 0))
  expect(told).toBe(pending)
})

test.each<[DeadLetter["reason"], Partial<Row>, Partial<DeadLetter>]>([
  [
    "handler-failed",
    { pendingStatus: "PENDING", attempt: 2, failingSince: -2 * World.day },
    { reason: "unknown-transaction", at: 5, to: "PENDING" }
  ],
  ["amount-mismatch", { ordered: { amount: "2.00" } }, { at: 0, to: "PENDING" }],
  ["unreadable", { unreadable: "callback" }, { at: 0, to: undefined }]
])("a row of an unknown id is parked as %s", function* (reason, row, deadLetter) {
  const signed = { account: "4711", amount: "1.00", currency: "EUR", transactionId: "1" }
  const { told } = yield* (yield* tellOf)({
    ...blank("apm-payment", "1", 0),
    evidence: Evidence.claimed("PENDING"),
    newestCallbacks: { PENDING: { at: 0, signed } },
    deadLetter: { reason: "unknown-transaction", at: 5, to: undefined },
    ...row
  })
  expect(told?.change).toEqual({
    // The row of an unknown id is not read again.
    deadLetter: { reason, ...deadLetter },
    failingSince: undefined,
    facts: [{ fact: "parked", reason, at: 0, to: deadLetter.to }]
  })
})
