import { StoreUnavailable } from "@pawl/core/CallbackError"
import { statuses } from "@pawl/core/Status"
import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { test } from "@pawl/test-support/Tests"

import * as Journal from "../src/Journal.ts"
import { Ledger, layerMemory, register as registerOperation } from "../src/Ledger.ts"
import * as Metrics from "../src/Metrics.ts"
import * as Receiver from "../src/Receiver.ts"
import { dependencies } from "./doors.ts"
import { card, checksum, incoming } from "@pawl/test-support/Service"
import * as World from "@pawl/test-support/World"

const series = (text: string) =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#") && !line.includes("_bucket"))
      .map((line) => [
        line.slice(0, line.lastIndexOf(" ")),
        Number(line.slice(line.lastIndexOf(" ")))
      ])
  )

test.with(() => layerMemory)(
  "raises an alarm when an operation is registered with another order, and names the field alone (R44)",
  function* () {
    const register = (amount: string) =>
      registerOperation("apm-payment", { transactionId: "1", transactionStatus: "NEW" }, { amount })
    yield* register("10.00")
    yield* register("10.00")
    const error = yield* Effect.flip(register("25.00"))
    expect(error).toMatchObject({ _tag: "RegisteredDifferently", field: "amount" })
    const reason = "The operation is already registered with another amount"
    expect(error.message).toBe(reason)
    expect(series(yield* Metrics.scrape)).toMatchObject({
      [`pawl_webhook_alarms_total{reason="${reason}"}`]: 1
    })
  }
)

test("counts the result of every callback, and the reads and transitions after it", function* () {
  let failures = 2
  const { receive, ...world } = yield* World.started({
    read: World.says("SUCCEED"),
    handle: () => (failures-- > 0 ? Effect.fail("no") : Effect.void)
  })
  for (const status of ["PENDING", "PENDING", "SUCCEED", "SETTLED"]) {
    yield* receive("1", status)
    yield* World.pass("10 seconds")
  }
  const scraped = yield* Effect.provideService(Metrics.scrape, Ledger, world.ledger)
  expect(series(scraped)).toMatchObject({
    pawl_webhook_callbacks_accepted_total: 4,
    pawl_webhook_callbacks_repeated_total: 1,
    pawl_webhook_callbacks_quarantined_total: 1,
    pawl_webhook_handler_failures_total: 2,
    'pawl_webhook_transitions_told_total{to="PENDING"}': 1,
    'pawl_webhook_transitions_told_total{to="SUCCEED"}': 1,
    'pawl_webhook_reads_total{answer="answered"}': 1,
    pawl_webhook_accept_duration_seconds_count: 4,
    pawl_webhook_dead_letters: 0
  })
  expect(scraped).toMatch(/^# TYPE pawl_webhook_callbacks_accepted_total counter$/mu)
  expect(scraped).toMatch(/^pawl_webhook_accept_duration_seconds_bucket\{le="\+Inf"\} 4$/mu)
})

test("shows the current number of dead letters, until they are redriven", function* () {
  let isBroken = true
  const { receive, ...world } = yield* World.started({
    handle: () => (isBroken ? Effect.die("broken") : Effect.void),
    retrySchedule: World.hourly
  })
  yield* receive("1", "PENDING")
  yield* World.pass("26 hours")
  const scrape = Effect.map(Effect.provideService(Metrics.scrape, Ledger, world.ledger), series)
  expect(yield* scrape).toMatchObject({
    pawl_webhook_dead_letters: 1,
    'pawl_webhook_transactions_dead_lettered_total{reason="handler-failed"}': 1
  })
  isBroken = false
  yield* world.ledger.redrive({ method: "apm", transactionId: "1" }, world.now())
  yield* World.pass("1 minute")
  expect(yield* scrape).toMatchObject({
    pawl_webhook_dead_letters: 0,
    'pawl_webhook_transitions_told_total{to="PENDING"}': 1
  })
})

test("shows for how long the oldest row of the backlog has been due", function* () {
  const world = yield* World.make()
  yield* world.ledger.register({ kind: "card-payment", transactionId: "1" }, world.now())
  yield* World.pass("90 seconds")
  const scraped = yield* Effect.provideService(Metrics.scrape, Ledger, world.ledger)
  expect(series(scraped)).toMatchObject({
    pawl_webhook_transactions_due: 1,
    pawl_webhook_oldest_due_age_seconds: 90
  })
})

test.with(() => Layer.merge(Journal.layer, layerMemory))(
  "has a few dozen series for any number of transactions, and no series names a transaction",
  function* () {
    const journal = yield* Journal.Journal
    for (let index = 0; index < 2000; index++) {
      const row = { method: "card", transactionId: `secret-${index}` } as const
      const claim = statuses[index % statuses.length] ?? "NEW"
      yield* journal.record(row, { _tag: "Accepted", claim, isNew: index % 2 === 0 })
      yield* journal.record(row, { _tag: "Read", result: `status-${index}` })
      const told = { confirmed: true, conflict: null, attempt: 1 }
      yield* journal.record(row, { _tag: "Told", to: claim, ...told })
      yield* journal.record(row, { _tag: "DeadLettered", reason: "handler-failed" })
    }
    const scraped = yield* Metrics.scrape
    expect(scraped).not.toMatch(/secret-|status-/u)
    expect(scraped.split("\n").length).toBeLessThan(80)
  }
)

test.with(() => layerMemory)(
  "leaves out the series of a ledger that is not available",
  function* () {
    const ledger = yield* Ledger
    expect(yield* Metrics.scrape).toMatch(/pawl_webhook_dead_letters 0/u)
    const scraped = yield* Effect.provideService(Metrics.scrape, Ledger, {
      ...ledger,
      backlog: () => Effect.fail(new StoreUnavailable({}))
    })
    expect(scraped).not.toMatch(/dead_letters|due/u)
  }
)

const receiving = Effect.map(
  Layer.build(Receiver.layer().pipe(Layer.provide([dependencies, layerMemory]))),
  (built) => ({
    reasons: World.alarmsOf(Context.get(built, Journal.Journal)),
    receive: Context.get(built, Receiver.Receiver).receive
  })
)

test("counts refusals by their status, and raises one alarm for many of 401", function* () {
  const { reasons, receive } = yield* receiving
  const asked = [
    ...[{ method: "GET" }, { contentType: "text/plain" }, { search: "" }].map((changes) =>
      incoming("card", card(), { ...changes, checksum: undefined })
    ),
    ...Array.from({ length: 50 }, () => incoming("card", card(), { checksum: "x" }))
  ]
  for (const each of asked) yield* receive(each)
  const scraped = series(yield* Effect.provide(Metrics.scrape, layerMemory))
  expect(scraped).toMatchObject({
    'pawl_webhook_callbacks_refused_total{http_response_status_code="405"}': 1,
    'pawl_webhook_callbacks_refused_total{http_response_status_code="415"}': 1,
    'pawl_webhook_callbacks_refused_total{http_response_status_code="400"}': 1,
    'pawl_webhook_callbacks_refused_total{http_response_status_code="401"}': 50
  })
  expect(reasons).toEqual([expect.stringMatching(/refused with 401.*62 minutes/u)])
})

test("raises an alarm when the previous secret verifies a callback after the current one did", function* () {
  const { reasons, receive } = yield* receiving
  const old = incoming("card", card(), {
    checksum: checksum("card", card(), "previous-secret")
  })
  yield* receive(old)
  expect(reasons).toEqual([])
  yield* receive(incoming("card", card()))
  expect(reasons).toEqual([])
  for (let time = 0; time < 5; time++) yield* receive(old)
  expect(reasons).toEqual([expect.stringMatching(/previous merchant secret/u)])
})

test("raises one alarm for a conflict, with its transaction", function* () {
  const answers = ["FAILED", "SUCCEED", "SUCCEED"] as const
  let asked = 0
  const { receive, ...world } = yield* World.started({
    read: () => Effect.succeed(answers[asked++] ?? "SUCCEED")
  })
  for (const status of ["FAILED", "SUCCEED", "SUCCEED"]) {
    yield* receive("1", status)
    yield* World.pass("5 seconds")
  }
  const { length } = world.reads
  yield* World.pass("3 days")
  expect(world.reads.length).toBeGreaterThan(length)
  expect(World.alarms(world)).toEqual(["several final statuses conflict"])
  expect(world.entries.find(({ _tag }) => _tag === "Alarm")).toMatchObject({
    method: "apm",
    transactionId: "1"
  })
})
