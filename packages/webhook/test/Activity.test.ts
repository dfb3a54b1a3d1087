import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import { test } from "@pawl/test-support/Tests"
import * as Activity from "../src/internal/journal/Activity.ts"
import { type Event, Journal, layer } from "../src/Journal.ts"

const { minute } = Activity
const rowOf = (transactionId: string) => ({ method: "apm", transactionId }) as const
const failed = (attempt: number): Event => ({ _tag: "HandlerFailed", to: "NEW", attempt })
const told: Event = { _tag: "Told", to: "NEW", confirmed: true, conflict: null, attempt: 3 }
const dead: Event = { _tag: "DeadLettered", reason: "handler-failed" }
const alarm = (reason: string): Event => ({ _tag: "Alarm", reason })

const withJournal = test.with(() => layer)

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
  yield* record(rowOf("1"), { _tag: "Read", result: "NEW" })
  yield* record(rowOf("1"), { _tag: "Read", result: "no answer" })
  yield* record(rowOf("1"), { _tag: "Accepted", claim: "NEW", isNew: true })
  yield* record(rowOf("1"), failed(1))
  yield* TestClock.adjust(10)
  yield* record(rowOf("1"), told)
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
    yield* record(rowOf("1"), failed(2))
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
  yield* record(rowOf("1"), alarm("one"))
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
