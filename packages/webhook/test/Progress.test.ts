import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import type { Ledger } from "../src/Ledger.ts"
import { test } from "@pawl/test-support/Tests"
import * as Backlog from "../src/internal/work/Backlog.ts"
import * as Journal from "../src/Journal.ts"
import * as ReadBudget from "../src/internal/rule/ReadBudget.ts"
import type { Leased } from "../src/internal/rule/Row.ts"
import * as Progress from "../src/internal/work/Progress.ts"
import * as World from "@pawl/test-support/World"

const { alarms, minute, second, told } = World

/** An error of PostgreSQL about missing rights. */
const refused = new StoreUnavailable({
  cause: Object.assign(new Error("permission denied for table pawl_transactions"), {
    code: "42501"
  })
})
const cause = "the role has too few rights (SQLSTATE 42501, pawl_transactions)"

type Write = Ledger["Service"]["write"]

const refuses =
  (isRefused: (...write: Parameters<Write>) => boolean) =>
  (ledger: Ledger["Service"]): Partial<Ledger["Service"]> => ({
    write: (...write) => (isRefused(...write) ? Effect.fail(refused) : ledger.write(...write))
  })

const refuse = ({ ofRow }: Effect.Success<ReturnType<typeof Progress.make>>, id: string) => {
  const write = ofRow(
    { method: "apm", scope: "apm", transactionId: id },
    { sort: "rows", isEnd: true }
  )
  return Effect.exit(write(Effect.fail(refused)))
}

const ids = (count: number) => Array.from({ length: count }, (_, id) => String(id))

describe("a worker whose writes are refused", () => {
  test("says so after a minute, with the cause and the rows, and works them off when it is over", function* () {
    let isRefused = true
    const { progress, receive, ...world } = yield* World.started({
      plant: refuses(() => isRefused)
    })
    for (const id of ids(100)) yield* receive(id, "PENDING")
    yield* World.pass("50 seconds")
    expect(alarms(world)).toEqual([`a transaction cannot be written: ${cause}`])
    expect(yield* progress).toMatchObject({ cause: undefined })
    yield* World.pass("15 seconds")
    expect(alarms(world)).toContain(`the worker makes no progress: ${cause}`)
    const { rows, ...state } = yield* progress
    expect(state).toEqual({ cause })
    expect(new Set(rows.map(({ transactionId }) => transactionId))).toEqual(new Set(ids(100)))
    expect(rows[0]).toMatchObject({ method: "apm", cause })
    expect(told(world)).toEqual([])
    isRefused = false
    yield* World.pass("90 seconds")
    expect(told(world)).toHaveLength(100)
    expect(yield* progress).toEqual({ cause: undefined, rows: [] })
  })

  test("makes progress again with the next call, and lists its row no more", function* () {
    let isRefused = true
    const { progress, receive, ...world } = yield* World.started({
      plant: refuses(() => isRefused),
      read: () => (isRefused ? World.unreachable : Effect.succeed("SUCCEED"))
    })
    yield* receive("1", "SUCCEED")
    yield* World.pass("10 seconds")
    isRefused = false
    yield* World.pass("45 seconds")
    expect(told(world)).toEqual(["SUCCEED"])
    expect(yield* progress).toEqual({ cause: undefined, rows: [] })
    yield* World.pass("10 seconds")
    expect(alarms(world)).toEqual([`a transaction cannot be written: ${cause}`])
  })

  test("raises the alarm again every 10 minutes, and at no other time", function* () {
    const { receive, ...world } = yield* World.started({ plant: refuses(() => true) })
    yield* receive("1", "PENDING")
    yield* World.pass("35 minutes")
    expect(alarms(world).filter((reason) => reason.includes("progress"))).toHaveLength(4)
  })

  test("ends within a second", function* () {
    const { receive, stop } = yield* World.started({ plant: refuses(() => true) })
    for (const id of ids(10)) yield* receive(id, "PENDING")
    yield* World.pass("500 millis")
    const stopped = yield* Effect.forkChild(stop)
    yield* World.pass("1 second")
    expect(stopped.pollUnsafe()).toBeDefined()
  })

  test("makes no progress if only the marks are refused, and does not call the handler in between", function* () {
    const { progress, receive, ...world } = yield* World.started({
      plant: refuses((_, { told }) => told !== undefined)
    })
    yield* receive("1", "PENDING")
    yield* World.pass("10 minutes")
    expect(yield* progress).toMatchObject({ cause, rows: [{ transactionId: "1" }] })
    // The row is claimed again after its lease, and the start counts as an attempt.
    const gaps = World.gaps(World.times(world))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(30 * second)
    expect(world.calls.map(({ attempt }) => attempt)).toEqual(world.calls.map((_, at) => at + 1))
  })

  test("tries a refused write four times more, without an alarm", function* () {
    let tries = 0
    const { receive, ...world } = yield* World.started({
      plant: (ledger) => ({
        write: (...write) =>
          Effect.suspend(() => (++tries < 5 ? Effect.fail(refused) : ledger.write(...write)))
      })
    })
    yield* receive("1", "PENDING")
    yield* World.pass("20 seconds")
    expect(told(world)).toEqual(["PENDING"])
    expect(alarms(world)).toEqual([])
  })

  test("shows the last thousand rows, for a quarter of an hour after their last refusal", function* () {
    const progress = yield* Progress.make(() => Effect.void)
    const refuseAll = (some: ReadonlyArray<string>) =>
      Effect.forkScoped(
        Effect.forEach(some, (id) => refuse(progress, id), { concurrency: "unbounded" })
      )
    const shown = Effect.map(progress.state, ({ rows }) =>
      rows.map(({ transactionId }) => transactionId)
    )
    yield* refuseAll(ids(1002))
    yield* World.pass("1 minute")
    expect(yield* shown).toEqual(ids(1002).slice(2))
    yield* World.pass("13 minutes")
    yield* refuseAll(["5", "late"])
    yield* World.pass("1 minute")
    expect(yield* shown).toEqual([
      ...ids(1002)
        .slice(3)
        .filter((id) => id !== "5"),
      "5",
      "late"
    ])
    // Another process may have written the others.
    yield* World.pass("2 minutes")
    expect(yield* shown).toEqual(["5", "late"])
  })

  test("frees the slots of rows that are refused, goes on with the others, and shows the refused ones", function* () {
    const { progress, receive, ...world } = yield* World.started({
      plant: refuses(({ transactionId }) => transactionId.startsWith("bad"))
    })
    for (const id of ids(70)) yield* receive(`bad${id}`, "PENDING")
    for (const id of ids(10)) yield* receive(id, "PENDING")
    yield* World.pass("20 seconds")
    expect(told(world)).toHaveLength(10)
    const { rows, ...state } = yield* progress
    expect(state).toEqual({ cause: undefined })
    expect(rows).toHaveLength(70)
    expect(rows[0]).toMatchObject({ transactionId: expect.stringMatching(/^bad/u), cause })
  })
})

const refusesLease = (ledger: Ledger["Service"]): Partial<Ledger["Service"]> => {
  const paused: Array<Leased> = []
  return {
    claim: (options) =>
      Effect.map(ledger.claim(options), ({ rows, ...claim }) => {
        const isBad = ({ transactionId }: Leased) => transactionId === "bad"
        paused.push(...rows.filter(isBad))
        const refusals = paused.map((leased) => ({ one: { leased }, error: refused }))
        const others = rows.filter((row) => !isBad(row))
        const failure = refusals.length > 0 && others.length === 0 ? refused : undefined
        return { ...claim, rows: others, refused: refusals, failure }
      })
  }
}

test("a worker whose only due row is refused shows it at once, and does not delay a new callback", function* () {
  const { progress, receive, ...world } = yield* World.started({ plant: refusesLease })
  yield* receive("bad", "PENDING")
  yield* World.pass("10 millis")
  expect(alarms(world)).toEqual([`a transaction cannot be written: ${cause}`])
  yield* World.pass("61 seconds")
  expect(alarms(world)).toContain(`the worker makes no progress: ${cause}`)
  yield* receive("1", "PENDING")
  yield* World.pass("10 millis")
  expect(told(world)).toEqual(["PENDING"])
  expect(yield* progress).toMatchObject({ rows: [{ transactionId: "bad", cause }] })
})

test("a worker makes progress again with the next claim, if another process has the row that was refused", function* () {
  const { progress } = yield* World.started({
    plant: (ledger) => ({
      ...ledger,
      pollInterval: Duration.seconds(1),
      claim: (options) =>
        Effect.flatMap(ledger.claim(options), (claim) =>
          Effect.map(Clock.currentTimeMillis, (now) => ({
            ...claim,
            failure: now < 3 * minute ? refused : undefined
          }))
        )
    })
  })
  yield* World.pass("2 minutes")
  expect(yield* progress).toMatchObject({ cause })
  yield* World.pass("62 seconds")
  expect(yield* progress).toEqual({ cause: undefined, rows: [] })
})

test("a worker shows a row that the store refuses to lease, with an alarm, and goes on", function* () {
  const { progress, receive, ...world } = yield* World.started({ plant: refusesLease })
  for (const id of ["bad", "1"]) yield* receive(id, "PENDING")
  yield* World.pass("20 seconds")
  expect(told(world)).toEqual(["PENDING"])
  expect(alarms(world)).toEqual([`a transaction cannot be written: ${cause}`])
  expect(yield* progress).toMatchObject({
    cause: undefined,
    rows: [{ transactionId: "bad", cause }]
  })
})

test("a worker whose claims fail says so after a minute, and makes progress again with the next claim", function* () {
  const { progress, ...world } = yield* World.started({
    isRefused: (now) => now < 3 * minute
  })
  yield* World.pass("59 seconds")
  expect(yield* progress).toEqual({ cause: undefined, rows: [] })
  yield* World.pass("2 seconds")
  expect(yield* progress).toEqual({ cause: "the store does not answer", rows: [] })
  expect(alarms(world)).toEqual(["the worker makes no progress: the store does not answer"])
  yield* World.pass("2 minutes")
  expect(yield* progress).toEqual({ cause: undefined, rows: [] })
})

test("a worker whose claims are refused says so, although it can note that it is alive", function* () {
  const { progress } = yield* World.started({
    pollInterval: Duration.seconds(1),
    plant: () => ({ claim: () => Effect.fail(refused) })
  })
  for (let minutes = 1; minutes < 5; minutes++) {
    yield* World.pass("61 seconds")
    expect(yield* progress).toEqual({ cause, rows: [] })
  }
})

describe("a backlog", () => {
  const pollInterval = Duration.seconds(10)

  test.each([
    [
      "the slots of the handler",
      { handle: () => Effect.sleep("4 minutes") },
      "PENDING",
      "more work falls due than is done: every slot for calls of the handler is in use"
    ],
    [
      "the slots of reads",
      { read: () => Effect.never },
      "SUCCEED",
      "more work falls due than is done: every slot for reads is in use"
    ]
  ] as const)("that grows is an alarm that names %s", function* (_, options, status, reason) {
    const { receive, ...world } = yield* World.started({
      ...options,
      limits: { calls: 8, reads: 8 },
      pollInterval
    })
    for (let minutes = 0; minutes < 6; minutes++) {
      for (const id of ids(20)) yield* receive(`${minutes}-${id}`, status)
      yield* World.pass("1 minute")
    }
    expect(alarms(world)).toEqual([reason])
  })

  test("is not blamed on a read budget that was used up an hour ago", function* () {
    const use = ReadBudget.make(100)
    use.putOff("ask", 0, 0)
    yield* World.pass("1 hour")
    const reasons: Array<string> = []
    let due = 0
    yield* Effect.forkScoped(
      Backlog.watch({
        ledger: {
          ...(yield* World.make()).ledger,
          pollInterval,
          backlog: () => Effect.succeed({ due: due++, oldestDueAt: 0, deadLetters: 0 })
        },
        journal: {
          ...Context.get(yield* Layer.build(Journal.layer), Journal.Journal),
          raiseAlarm: (reason) => Effect.sync(() => void reasons.push(reason))
        },
        progress: yield* Progress.make(() => Effect.void),
        free: () => ({ ask: 0, repeat: 1, retry: 1, tell: 1, watch: 1 }),
        readUse: Effect.map(Clock.currentTimeMillis, use.read)
      })
    )
    yield* World.pass("4 minutes")
    expect(reasons).toEqual([`${Backlog.grows}: every slot for reads is in use`])
  })

  test("that only shrinks is none", function* () {
    const { receive, ...world } = yield* World.started({
      handle: () => Effect.sleep("1 minute"),
      limits: { calls: 16 },
      pollInterval
    })
    for (const id of ids(50)) yield* receive(id, "PENDING")
    yield* World.pass("8 minutes")
    expect(told(world)).toHaveLength(50)
    expect(alarms(world)).toEqual([])
  })
})
