/**
 * The comparison of a day with the service, and its books.
 */
import { describe, expect, it } from "@effect/vitest"
import { NotFound, Unreachable } from "@pawl/core/PaymentsError"
import type { Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { spawnSync } from "node:child_process"
import * as DayBooks from "../src/DayBooks.ts"
import * as DayComparison from "../src/DayComparison.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"

const day = 20_000 * 86_400_000
const size = 1200

/** Fills a ledger with transactions of a day, of which the handler was told SUCCEED, and of the days beside it. */
const fill = Effect.gen(function* () {
  const ledger = yield* Ledger
  const made = (transactionId: string, at: number) =>
    ledger.register(
      { kind: "apm-payment", transactionId, amount: "10.00", currency: "EUR", requestId: "r,1" },
      at
    )
  for (let id = 0; id < size; id++) yield* made(String(id), day + id)
  yield* made("before", day - 1)
  yield* made("behind", day + 86_400_000)
  const { rows } = yield* ledger.claim({ at: 2 * day, until: 3 * day, limit: size + 2 })
  yield* Effect.forEach(rows, (row) => ledger.write(row, { told: "SUCCEED", sequence: 1 }))
})

/** Twelve drifts. */
const drifts = new Map<string, Status | "404">(
  [3, 40, 99, 100, 101, 500, 800, 900, 998, 999, 1000, 1199].map((id, index) => [
    String(id),
    (["FAILED", "CHARGEBACK", "404", "REFUNDED"] as const)[index % 4] ?? "404"
  ])
)

const read = (id: string): Effect.Effect<Status, NotFound> => {
  const status = drifts.get(id) ?? "SUCCEED"
  return status === "404" ? Effect.fail(new NotFound({})) : Effect.succeed(status)
}

const compare = (
  found: Map<string, DayComparison.Compared>,
  reader: (id: string) => Effect.Effect<Status, NotFound | Unreachable>,
  rate = 1000
) =>
  DayComparison.run({
    day,
    rate,
    isKnown: ({ transactionId }) => found.has(transactionId),
    note: (each) => Effect.sync(() => void found.set(each.transactionId, each))
  }).pipe(
    Effect.provide(
      Layer.succeed(StatusReader, {
        read: (_, id) =>
          Effect.map(reader(id), (status) => ({ kind: "apm-payment" as const, status }))
      })
    )
  )

describe("the comparison of a day", () => {
  it.effect("finds exactly the planted drifts, and goes on where a run was killed", () =>
    Effect.gen(function* () {
      yield* fill
      const found = new Map<string, DayComparison.Compared>()
      const reads: Array<string> = []
      const reader = (id: string) => Effect.suspend(() => (reads.push(id), read(id)))
      const first = yield* Effect.forkChild(compare(found, reader))
      yield* TestClock.adjust("600 millis")
      yield* Fiber.interrupt(first)
      const before = found.size
      expect(before).toBeGreaterThan(500)
      expect(before).toBeLessThan(700)
      const second = yield* Effect.forkChild(compare(found, reader))
      yield* TestClock.adjust("10 seconds")
      const counts = yield* Fiber.join(second)
      expect(counts).toEqual({ compared: size - before, known: before, unanswered: 0 })
      expect(found.size).toBe(size)
      expect(reads.length).toBeLessThanOrEqual(size + 8)
      const differing = [...found.values()].filter(DayComparison.differs)
      expect(new Map(differing.map((each) => [each.transactionId, each.theirs]))).toEqual(drifts)
    }).pipe(Effect.provide(layerMemory, { local: true }))
  )

  it.effect("makes no more reads in a second than its rate, and leaves what is not answered", () =>
    Effect.gen(function* () {
      yield* fill
      const found = new Map<string, DayComparison.Compared>()
      let reads = 0
      const reader = (id: string) =>
        Effect.suspend((): Effect.Effect<Status, NotFound | Unreachable> => {
          reads++
          return id === "7"
            ? Effect.fail(new Unreachable({ reason: "reset", sent: true, attempts: 1 }))
            : read(id)
        })
      const run = yield* Effect.forkChild(compare(found, reader, 50))
      for (let second = 1; second <= 3; second++) {
        const before = reads
        yield* TestClock.adjust("1 second")
        expect(reads - before).toBeLessThanOrEqual(51)
      }
      yield* TestClock.adjust("2 minutes")
      expect(yield* Fiber.join(run)).toMatchObject({ compared: size - 1, unanswered: 1 })
      expect(found.has("7")).toBe(false)
    }).pipe(Effect.provide(layerMemory, { local: true }))
  )
})

const compared = (
  kind: DayComparison.Compared["kind"],
  theirs: string,
  fields: Partial<DayComparison.Compared> = {}
): DayComparison.Compared => ({
  kind,
  transactionId: "100001",
  requestId: null,
  amount: "10.00",
  currency: "EUR",
  ours: "SUCCEED",
  theirs,
  ...fields
})

const books = [
  compared("apm-payment", "SUCCEED"),
  compared("card-payment", "CHARGEBACK", { amount: "0.5", currency: "USD" }),
  compared("card-payment", "REFUNDED", { requestId: 'a "b"' }),
  compared("refund", "SUCCEED", { amount: "4.00" }),
  compared("card-payout", "SUCCEED", { transactionId: "=1+1", requestId: "x,y" }),
  compared("apm-payout", "FAILED"),
  compared("apm-payment", "SUCCEED", { amount: null }),
  compared("apm", "404", { ours: null, requestId: "=2;\n" })
]

describe("the books of a day", () => {
  it("list the differences as CSV, and no cell is a formula", () => {
    expect(DayBooks.csv(books).split("\r\n")).toEqual([
      "kind,transactionId,requestId,amount,currency,ours,theirs",
      "card-payment,100001,,0.5,USD,SUCCEED,CHARGEBACK",
      'card-payment,100001,"a ""b""",10.00,EUR,SUCCEED,REFUNDED',
      "apm-payout,100001,,10.00,EUR,SUCCEED,FAILED",
      'apm,100001,"\'=2;\n",10.00,EUR,,404',
      ""
    ])
  })

  const hasHledger = spawnSync("hledger", ["--version"]).status === 0
  it.skipIf(!hasHledger)("are accepted by hledger, and balance to what the service states", () => {
    const input = DayBooks.journal("2026-11-21", books)
    const run = (...args: ReadonlyArray<string>) =>
      spawnSync("hledger", ["-f", "-", ...args], { input, encoding: "utf8" })
    const check = run("check", "--strict")
    expect([check.status, check.stderr]).toEqual([0, ""])
    const { stdout } = run("balance", "--no-total", "--flat", "assets")
    // Of EUR: two sales, less the refund and the payout.
    expect(stdout.trim().split(/\s+/u).join(" ")).toBe("6.00 EUR assets:payments service")
    expect(run("balance", "--no-total", "expenses:chargebacks").stdout).toContain("0.50 USD")
  })
})
