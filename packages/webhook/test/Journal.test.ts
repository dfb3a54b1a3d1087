import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import { CurrentLogAnnotations } from "effect/References"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"
import { type Entry, type Event, Journal, layer } from "../src/Journal.ts"
import * as Activity from "../src/internal/journal/Activity.ts"

const withJournal = test.with(() => layer)

const listenTo = <A>(stream: Stream.Stream<A>) =>
  Effect.forkChild(Stream.runCollect(stream), { startImmediately: true })

const rowOf = (transactionId: string) => ({ method: "apm", transactionId }) as const
const row = rowOf("1")
const entries: ReadonlyArray<Event> = [
  { _tag: "Accepted", claim: "NEW", isNew: true },
  { _tag: "Read", result: "404" },
  { _tag: "Told", to: "NEW", confirmed: false, conflict: null, attempt: 1 },
  { _tag: "HandlerFailed", to: "NEW", attempt: 1 },
  { _tag: "Quarantined", field: "amount" },
  { _tag: "DeadLettered", reason: "handler-failed" },
  { _tag: "Alarm", reason: "the service went back to an earlier status" }
]

withJournal("passes every entry to every listener in order, with its row and time", function* () {
  const journal = yield* Journal
  const listen = listenTo(Stream.take(journal.entries, entries.length))
  const listeners = [yield* listen, yield* listen]
  for (const entry of entries) {
    yield* journal.record(row, entry)
    yield* TestClock.adjust(1000)
  }
  for (const listener of listeners) {
    expect(yield* Fiber.join(listener)).toEqual(
      entries.map((entry, index) => ({ ...entry, ...row, at: index * 1000 }))
    )
  }
})

withJournal("does not wait for a slow listener, which loses the oldest entries", function* () {
  const journal = yield* Journal
  const latch = yield* Latch.make()
  const received: Array<Entry> = []
  yield* listenTo(
    Stream.tap(journal.entries, (entry) => Effect.map(latch.await, () => received.push(entry)))
  )
  const all = Array.from({ length: 20_000 }, (_, index) => rowOf(`${index}`))
  for (const each of all) yield* journal.record(each, { _tag: "Read", result: "404" })
  yield* latch.open
  yield* Effect.replicateEffect(Effect.yieldNow, 10_000, { discard: true })
  expect(received.length).toBeLessThan(all.length / 2)
  expect(received.slice(-4000).map(({ transactionId }) => transactionId)).toEqual(
    all.slice(-4000).map(({ transactionId }) => transactionId)
  )
})

withJournal("logs a warning only for entries that need a person", function* () {
  const { kept, lines } = World.keepLog("All", ({ fiber, logLevel, message }) => [
    logLevel,
    message,
    fiber.getRef(CurrentLogAnnotations)
  ])
  const journal = yield* Journal
  for (const entry of entries) yield* kept(journal.record(row, entry))
  expect(lines).toEqual(
    entries.map((entry, index) =>
      index < 4 ? ["Debug", [{ ...entry, ...row, at: 0 }], {}] : ["Warn", [entry], row]
    )
  )
})

withJournal("has a stream with only the alarms", function* () {
  const journal = yield* Journal
  const listening = yield* listenTo(Stream.take(journal.alarms, 4))
  for (const entry of entries) yield* journal.record(row, entry)
  yield* journal.raiseAlarm("callbacks are refused")
  const received = yield* Fiber.join(listening)
  expect(received).toEqual([
    ...entries.slice(4).map((entry) => ({ ...entry, ...row, at: 0 })),
    { _tag: "Alarm", reason: "callbacks are refused", at: 0 }
  ])
})

withJournal(
  "raises one alarm per burst, and another one when the burst lasts for 10 minutes",
  function* () {
    const journal = yield* Journal
    const received: Array<Entry> = []
    yield* listenTo(Stream.tap(journal.alarms, (entry) => Effect.sync(() => received.push(entry))))
    for (let minute = 0; minute < 62; minute++) {
      for (let time = 0; time < 20; time++) yield* journal.raiseAlarm("refused")
      if (minute === 5) yield* journal.raiseAlarm("another reason")
      yield* TestClock.adjust("1 minute")
    }
    yield* World.settled
    const minutes = (reason: string) =>
      received.flatMap((entry) =>
        entry._tag === "Alarm" && entry.reason === reason ? [entry.at / 60_000] : []
      )
    expect(minutes("refused")).toEqual([0, 10, 20, 30, 40, 50, 60])
    expect(minutes("another reason")).toEqual([5])
  }
)

test("has entries for the callbacks, reads and transitions of a transaction", function* () {
  const { receive, ...world } = yield* World.started({ read: World.says("SUCCEED") })
  for (const status of ["SUCCEED", "SUCCEED", "SETTLED"]) {
    yield* receive("1", status)
    yield* World.settled
  }
  yield* receive("..", "SUCCEED")
  yield* World.settled
  const accepted = { _tag: "Accepted", claim: "SUCCEED", at: 0, method: "apm" }
  expect(world.entries).toMatchObject([
    { ...accepted, isNew: true },
    { _tag: "Read", result: "SUCCEED" },
    { _tag: "Told", to: "SUCCEED", confirmed: true, attempt: 1 },
    { ...accepted, isNew: false },
    { _tag: "Quarantined", field: "transactionStatus", transactionId: "1" },
    { _tag: "Quarantined", field: "transactionId", transactionId: ".." }
  ])
})

test("A32: a full quarantine answers 200 and has an alarm of its own, and the first of a kind is logged", function* () {
  const { receive, ...world } = yield* World.started({ read: World.says("SUCCEED") })
  const { kept, lines } = World.keepLog("Warn")
  const answers = yield* Effect.forEach(
    Array.from({ length: 20 }, (_, n) => `SETTLED_${n}`),
    (status) => receive("1", status)
  ).pipe(kept)
  expect(new Set(answers)).toEqual(new Set([200]))
  expect(yield* receive("1", "SUCCEED")).toBe(200)
  yield* World.settled
  const alarms = world.entries.flatMap((entry) => (entry._tag === "Alarm" ? [entry.reason] : []))
  expect(alarms).toEqual([
    "more than 16 callbacks of a transaction cannot be acted on: only the first 15 and the last one are kept"
  ])
  const first = { _tag: "Quarantined", field: "transactionStatus" }
  expect(lines).toEqual([[first], [expect.objectContaining({ _tag: "Alarm" })]])
})

test("has the result of each read", function* () {
  const answers = [World.notFound, World.unreachable, Effect.succeed("SETTLED")]
  const { receive, ...world } = yield* World.started({
    read: () => answers.shift() ?? Effect.succeed("SUCCEED")
  })
  yield* receive("1", "SUCCEED")
  yield* World.pass("1 minute")
  const reads = world.entries.flatMap((entry) => (entry._tag === "Read" ? [entry.result] : []))
  expect(reads).toEqual(["404", "no answer", "SETTLED", "SUCCEED"])
})

const { minute } = World
const failed = (attempt: number): Event => ({ _tag: "HandlerFailed", to: "NEW", attempt })
const told: Event = { _tag: "Told", to: "NEW", confirmed: true, conflict: null, attempt: 3 }
const dead: Event = { _tag: "DeadLettered", reason: "handler-failed" }
const alarm = (reason: string): Event => ({ _tag: "Alarm", reason })

const begin = Effect.gen(function* () {
  const journal = yield* Journal
  return { latest: Activity.observe(journal), ...journal }
})

withJournal("counts each kind of event, with the time of the last one", function* () {
  const { latest, note, record } = yield* begin
  const none = { count: 0, at: undefined }
  expect((yield* latest).events).toEqual(
    Object.fromEntries(Activity.names.map((name) => [name, none]))
  )
  for (const at of [1, 2]) {
    for (const name of ["acceptedCurrent", "acceptedPrevious", "refused", "denied"] as const)
      note(name, at)
  }
  note("notStored", 3)
  yield* record(row, { _tag: "Read", result: "NEW" })
  yield* record(row, { _tag: "Read", result: "no answer" })
  yield* record(row, { _tag: "Accepted", claim: "NEW", isNew: true })
  yield* record(row, failed(1))
  yield* TestClock.adjust(10)
  yield* record(row, told)
  expect((yield* latest).events).toEqual({
    acceptedCurrent: { count: 2, at: 2 },
    acceptedPrevious: { count: 2, at: 2 },
    refused: { count: 2, at: 2 },
    denied: { count: 2, at: 2 },
    notStored: { count: 1, at: 3 },
    answered: { count: 1, at: 0 },
    silent: { count: 1, at: 0 },
    handlerFailed: { count: 1, at: 0 },
    told: { count: 1, at: 10 }
  })
})

withJournal("counts the events of the last 60 minutes that had one, oldest first", function* () {
  const { latest, note } = yield* begin
  for (let at = 0; at < 62; at++) note("refused", at * minute + 7)
  note("refused", 61 * minute + 59_999)
  note("denied", 61 * minute + 59_999)
  // A quiet minute is left out. A time before the last minute counts in it.
  note("refused", 63 * minute)
  note("refused", 0)
  const { minutes } = yield* latest
  expect(minutes).toHaveLength(60)
  expect(minutes[0]).toEqual({ at: 3 * minute, counts: { refused: 1 } })
  expect(minutes.slice(-2)).toEqual([
    { at: 61 * minute, counts: { refused: 2, denied: 1 } },
    { at: 63 * minute, counts: { refused: 2 } }
  ])
})

withJournal(
  "lists a transaction as failing until its handler succeeds or it is parked",
  function* () {
    const { latest, record } = yield* begin
    const failing = Effect.map(latest, ({ failing }) =>
      failing.map(({ attempts, transactionId }) => [transactionId, attempts])
    )
    for (const id of ["1", "2", "3"]) yield* record(rowOf(id), failed(1))
    yield* TestClock.adjust(5)
    yield* record(row, failed(2))
    expect(yield* failing).toEqual([
      ["1", 2],
      ["3", 1],
      ["2", 1]
    ])
    expect((yield* latest).failing[0]).toEqual({ ...rowOf("1"), to: "NEW", attempts: 2, at: 5 })
    yield* record(rowOf("3"), dead)
    yield* record({ method: "card", transactionId: "2" }, told)
    expect(yield* failing).toEqual([
      ["1", 2],
      ["2", 1]
    ])
    yield* record(rowOf("2"), told)
    expect(yield* failing).toEqual([["1", 2]])
  }
)

withJournal("counts alarms by their reason, newest first, with the last transaction", function* () {
  const { latest, record } = yield* begin
  yield* record(row, alarm("one"))
  yield* record(rowOf("2"), dead)
  yield* record(rowOf("3"), { _tag: "Quarantined", field: "amount" })
  yield* TestClock.adjust(5)
  yield* record({ method: "card", transactionId: "4" }, alarm("one"))
  expect((yield* latest).alarms).toEqual([
    { reason: "one", count: 2, at: 5, method: "card", transactionId: "4" },
    { reason: "a callback in quarantine: amount", count: 1, at: 0, ...rowOf("3") },
    { reason: "a dead letter: handler-failed", count: 1, at: 0, ...rowOf("2") }
  ])
})

withJournal("keeps the newest 50 alarms, failing and recent transactions", function* () {
  const { latest, record } = yield* begin
  for (let id = 1; id <= 51; id++) {
    yield* record(rowOf(`${id}`), failed(1))
    yield* record(rowOf(`${id}`), alarm(`${id}`))
  }
  // The oldest that is seen again becomes the newest.
  yield* record(rowOf("2"), failed(2))
  const { alarms, failing, recent } = yield* latest
  expect(alarms).toHaveLength(50)
  expect(alarms.at(-1)?.reason).toBe("2")
  for (const list of [failing, recent]) {
    expect(list).toHaveLength(50)
    expect([list[0]?.transactionId, list.at(-1)?.transactionId]).toEqual(["2", "3"])
  }
  expect(recent[0]).toEqual(rowOf("2"))
})
