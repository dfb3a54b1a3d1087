import { describe, expect, it } from "@effect/vitest"
import type { KnownKind } from "@pawl/core/Kind"
import {
  NotFound,
  type ReadError,
  Unauthorized,
  Unreachable,
  ValidationFailed
} from "@pawl/core/PaymentsError"
import type { Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { spawnSync } from "node:child_process"
import * as DayBooks from "../src/internal/books/DayBooks.ts"
import * as DayComparison from "../src/internal/books/DayComparison.ts"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import type { RowKey } from "@pawl/webhook/internal/rule/RowPages"
import { ledgerOf } from "@pawl/test-support/Places"
import { aheadOf, keepLog } from "@pawl/test-support/World"
import { card, verified } from "@pawl/test-support/Service"
import { files } from "@pawl/test-support/Stores"
import { live, test as virtual } from "@pawl/test-support/Tests"

const test = virtual.with(() => layerMemory)

const file = files()
const day = 20_000 * 86_400_000
const size = 1200

/** Makes transactions that were told SUCCEED, on a day and beside it. */
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

interface Answer {
  readonly kind: KnownKind
  readonly status: Status
}

const compareRows = (
  found: Map<string, DayComparison.Compared>,
  read: (id: string) => Effect.Effect<Answer, ReadError>,
  rate = 1000,
  on = day
) => {
  const keyOf = ({ scope, transactionId }: RowKey) => `${scope}/${transactionId}`
  return DayComparison.run({
    day: on,
    rate,
    isKnown: (key) => found.has(keyOf(key)),
    note: (each) => Effect.sync(() => void found.set(keyOf(each), each))
  }).pipe(Effect.provide(Layer.succeed(StatusReader, { read: (_, id) => read(id) })))
}

const compare = (
  found: Map<string, DayComparison.Compared>,
  read: (id: string) => Effect.Effect<Status, ReadError>,
  rate?: number
) =>
  compareRows(
    found,
    (id) => Effect.map(read(id), (status) => ({ kind: "apm-payment", status })),
    rate
  )

describe("the comparison of a day", () => {
  test("finds exactly the planted drifts, and goes on where a run was killed", function* () {
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
  })

  test("makes no more reads in a second than its rate, and leaves what is not answered", function* () {
    yield* fill
    let ahead = 3_600_000
    const skewed = aheadOf(yield* Clock.Clock, () => ahead)
    const found = new Map<string, DayComparison.Compared>()
    let reads = 0
    const reader = (id: string) =>
      Effect.suspend((): Effect.Effect<Status, NotFound | Unreachable> => {
        reads++
        return id === "7"
          ? Effect.fail(new Unreachable({ reason: "reset", sent: true, attempts: 1 }))
          : read(id)
      })
    const run = yield* Effect.forkChild(
      Effect.provideService(compare(found, reader, 50), Clock.Clock, skewed)
    )
    for (let second = 1; second <= 3; second++) {
      const before = reads
      yield* TestClock.adjust("1 second")
      expect(reads - before).toBeLessThanOrEqual(51)
      // A clock that is set back stops no read.
      ahead = 0
      expect(reads - before).toBeGreaterThan(40)
    }
    yield* TestClock.adjust("2 minutes")
    expect(yield* Fiber.join(run)).toMatchObject({ compared: size - 1, unanswered: 1 })
    expect([...found.values()].map(({ transactionId }) => transactionId)).not.toContain("7")
  })

  test("says once why statuses could not be read, and repeats only reads that may succeed", function* () {
    const ledger = yield* Ledger
    const ids = ["1", "2", "3"]
    for (const transactionId of ids)
      yield* ledger.register({ kind: "apm-payment", transactionId }, day)
    const unauthorized = new Unauthorized({ sent: true })
    const unreachable = new Unreachable({ reason: "reset", sent: true, attempts: 1 })
    const quoting = new ValidationFailed({
      sent: true,
      fields: [{ path: "id", message: "4242424242424242 is wrong" }]
    })
    const answers: ReadonlyArray<[number, unknown, Effect.Effect<never, ReadError>]> = [
      [1, unauthorized.message, Effect.fail(unauthorized)],
      [1, "The service refused the request", Effect.fail(quoting)],
      [4, unreachable.message, Effect.fail(unreachable)],
      [4, expect.stringContaining("timed out"), Effect.never]
    ]
    for (const [times, message, answer] of answers) {
      const { kept, lines } = keepLog("Warn", (entry) => [entry.message].flat())
      let reads = 0
      const read = () => Effect.suspend(() => (reads++, answer))
      const run = yield* Effect.forkChild(compareRows(new Map(), read, 10).pipe(kept))
      yield* TestClock.adjust("5 minutes")
      yield* Fiber.join(run)
      expect(lines).toEqual([["A status could not be read", message]])
      expect(reads).toBe(times * ids.length)
    }
  })
})

const toEnd = <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(run)
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

const newCard = verified("card", card({ transactionId: "1", transactionStatus: "PENDING" }))

describe("a row whose kind is not known", () => {
  test("is booked with the kind that the service states, and a payout is no sale", function* () {
    const ledger = yield* Ledger
    yield* ledger.accept(newCard, day + 1)
    for (const [kind, account] of [
      ["card-payment", "income:sales"],
      ["card-payout", "expenses:payouts"],
      ["refund", "expenses:refunds"]
    ] as const) {
      const found = new Map<string, DayComparison.Compared>()
      yield* toEnd(compareRows(found, () => Effect.succeed({ kind, status: "SUCCEED" })))
      expect([...found.values()]).toMatchObject([{ scope: "card", kind, theirs: "SUCCEED" }])
      const journal = DayBooks.journal("2026-11-21", [...found.values()])
      expect(journal.match(/^ {4}(?:income|expenses):\w+/gmu)).toEqual([`    ${account}`])
    }
  })

  test("is booked with the amount that the service signed as paid, not that of its order", function* () {
    const ledger = yield* Ledger
    const order = { kind: "card-payment", transactionId: "1", currency: "EUR" } as const
    yield* ledger.register({ ...order, amount: "10.00", account: "mid-1" }, day + 1)
    const amountAfter = Effect.fnUntraced(function* (callback: Parameters<typeof card>[0]) {
      yield* ledger.accept(verified("card", card({ transactionId: "1", ...callback })), day + 1)
      const found = new Map<string, DayComparison.Compared>()
      yield* toEnd(
        compareRows(found, () => Effect.succeed({ kind: "card-payment", status: "SUCCEED" }))
      )
      return [...found.values()].map(({ amount }) => amount)
    })
    expect(yield* amountAfter({ transactionStatus: "PENDING", orderAmount: "9.00" })).toEqual([
      "10.00"
    ])
    expect(yield* amountAfter({ mid: "mid-2", orderAmount: "7.00" })).toEqual(["10.00"])
    expect(yield* amountAfter({ orderAmount: "12.00" })).toEqual(["12.00"])
    const { rows } = yield* ledger.claim({ at: day + 2, until: day + 3, limit: 1 })
    yield* Effect.forEach(rows, (row) => ledger.write(row, { told: "SUCCEED", sequence: 1 }))
    expect(yield* amountAfter({ orderAmount: "12.00" })).toEqual(["12.00"])
  })

  test("is compared once, even if its kind is known at the next run", function* () {
    const ledger = yield* Ledger
    yield* ledger.accept(newCard, day + 1)
    const found = new Map<string, DayComparison.Compared>()
    const answer = { kind: "card-payment", status: "SUCCEED" } as const
    const run = toEnd(compareRows(found, () => Effect.succeed(answer)))
    expect(yield* run).toEqual({ compared: 1, known: 0, unanswered: 0 })
    const { rows } = yield* ledger.claim({ at: day + 2, until: day + 3, limit: 1 })
    const change = { kind: "card-payment", told: "SUCCEED", sequence: 1 } as const
    yield* Effect.forEach(rows, (row) => ledger.write(row, change))
    expect(yield* run).toEqual({ compared: 0, known: 1, unanswered: 0 })
    expect(found.size).toBe(1)
  })
})

describe("a status that is told after its page was read", () => {
  const ids = Array.from({ length: 100 }, (_, id) => String(1000 + id))

  const make = Effect.gen(function* () {
    const ledger = yield* Ledger
    yield* Effect.forEach(ids, (transactionId) =>
      ledger.register({ kind: "apm-payment", transactionId }, day + 1)
    )
    const { rows } = yield* ledger.claim({ at: day + 2, until: day + 9e9, limit: ids.length })
    yield* Effect.forEach(rows, (row) => ledger.write(row, { told: "SUCCEED", sequence: 1 }))
    return (told: Status) =>
      Effect.forEach(
        rows.filter(({ transactionId }) => transactionId === "1099"),
        (row) => Effect.orDie(ledger.write(row, { told, sequence: 2 }))
      )
  })

  test("is no difference", function* () {
    const tell = yield* make
    const found = new Map<string, DayComparison.Compared>()
    let status: Status = "SUCCEED"
    const read = (id: string) =>
      Effect.sync((): Answer => ({
        kind: "apm-payment",
        status: id === "1099" ? status : "SUCCEED"
      }))
    const run = yield* Effect.forkChild(compareRows(found, read, 10))
    yield* TestClock.adjust("3 seconds")
    // The last row is read seven seconds later.
    status = "CHARGEBACK"
    yield* tell("CHARGEBACK")
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(run)
    expect(found.size).toBe(ids.length)
    expect([...found.values()].filter(DayComparison.differs)).toEqual([])
  })

  test("is compared with an answer that is not older than it", function* () {
    const tell = yield* make
    const found = new Map<string, DayComparison.Compared>()
    const answers: Array<Status> = ["REFUNDED", "CHARGEBACK"]
    const read = (id: string): Effect.Effect<Answer> =>
      id === "1099"
        ? Effect.as(tell("CHARGEBACK"), {
            kind: "apm-payment",
            status: answers.shift() ?? "CHARGEBACK"
          })
        : Effect.succeed({ kind: "apm-payment", status: "SUCCEED" })
    yield* toEnd(compareRows(found, read))
    expect(answers).toEqual([])
    expect(found.size).toBe(ids.length)
    expect([...found.values()].filter(DayComparison.differs)).toEqual([])
  })
})

test("all shards are compared, even if their databases order ids as a language does", function* () {
  const { compare } = new Intl.Collator("en-US")
  const shard = Effect.map(Layer.build(Layer.fresh(layerMemory)), (built): Ledger["Service"] => {
    const ledger = Context.get(built, Ledger)
    return {
      ...ledger,
      page: ({ after, before, from }) =>
        Effect.map(ledger.page({ before, from, limit: 1000 }), ({ rows }) => {
          const behind = rows
            .filter((row) => compare(row.transactionId, after?.transactionId ?? "") > 0)
            .toSorted((one, two) => compare(one.transactionId, two.transactionId))
          return { rows: behind.slice(0, 5), last: behind.length < 5 ? undefined : behind[4] }
        })
    }
  })
  const [one, two] = [yield* shard, yield* shard]
  const ledger = { ...one, shards: [one, two] }
  const ids = Array.from({ length: 40 }, (_, n) => `${n % 2 === 0 ? "tx" : "TX"}${100 + n * 7}`)
  yield* Effect.forEach(ids, (transactionId, n) =>
    (n % 3 === 0 ? one : two).register({ kind: "apm-payment", transactionId }, day + 1)
  )
  const found = new Map<string, DayComparison.Compared>()
  const answer = { kind: "apm-payment", status: "PENDING" } as const
  yield* toEnd(compareRows(found, () => Effect.succeed(answer))).pipe(
    Effect.provideService(Ledger, ledger)
  )
  const compared = [...found.values()].map(({ transactionId }) => transactionId)
  expect(compared.toSorted()).toEqual(ids.toSorted())
})

live(
  "a transaction that cannot be read is compared with every day, until it is restored",
  function* () {
    const store = yield* Layer.build(Layer.fresh(ledgerOf(file())))
    const sql = Context.get(store, SqlClient)
    const ledger = Context.get(store, Ledger)
    for (const transactionId of ["1", "2"])
      yield* ledger.accept(verified("card", card({ transactionId })), day)
    const write = (document: unknown) =>
      sql`UPDATE pawl_transactions SET document = ${String(document)} WHERE key LIKE '1%'`
    const [{ document } = {}] = yield* sql`SELECT document FROM pawl_transactions
      WHERE key LIKE '1%'`
    const answer = { kind: "card-payment", status: "SUCCEED" } as const
    const compareOn = (on: number) =>
      Effect.gen(function* () {
        const found = new Map<string, DayComparison.Compared>()
        yield* compareRows(found, () => Effect.succeed(answer), 1000, on)
        // Eight rows are compared at once, so they end in any order.
        return [...found.values()].toSorted((one, two) =>
          one.transactionId < two.transactionId ? -1 : 1
        )
      }).pipe(Effect.provideService(Ledger, ledger))
    const one = compared("card-payment", "SUCCEED", {
      scope: "card",
      transactionId: "1",
      amount: null,
      currency: null,
      ours: null
    })
    yield* write("")
    expect(yield* compareOn(day + 86_400_000)).toEqual([one])
    expect(yield* compareOn(day)).toEqual([
      one,
      { ...one, transactionId: "2", amount: "10.00", currency: "EUR" }
    ])
    yield* write(document)
    expect(yield* compareOn(day + 86_400_000)).toEqual([])
    expect(yield* compareOn(day)).toMatchObject([{ transactionId: "1", amount: "10.00" }, {}])
  }
)

const compared = (
  kind: DayComparison.Compared["kind"],
  theirs: string,
  fields: Partial<DayComparison.Compared> = {}
): DayComparison.Compared => ({
  scope: kind,
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
  compared("card-payment", "REFUNDED", { transactionId: "100002", requestId: 'a "b"' }),
  compared("refund", "SUCCEED", { amount: "4.00" }),
  compared("card-payout", "SUCCEED", { transactionId: "=1+1", requestId: "x,y" }),
  compared("apm-payout", "FAILED"),
  // No refund is booked of these, because only a card payment has refunds.
  compared("apm-payment", "REFUNDED", { transactionId: "100005", ours: "REFUNDED" }),
  compared("apm-payout", "REFUNDED", { transactionId: "100006", ours: "REFUNDED" }),
  compared("card-payout", "REFUNDED", { transactionId: "100007", ours: "REFUNDED" }),
  compared("card-payout", "CHARGEBACK", { transactionId: "100008", ours: "CHARGEBACK" }),
  compared("apm-payment", "SUCCEED", { transactionId: "100003", amount: null }),
  // Its request has no currency, and its callbacks were lost.
  compared("refund", "SUCCEED", { transactionId: "100009", amount: "4.00", currency: null }),
  // The second row of the first transaction.
  compared("apm-payment", "SUCCEED", { scope: "apm", amount: null }),
  compared("card", "SUCCEED", { transactionId: "100004" }),
  compared("apm", "404", { ours: null, requestId: "=2;\n" })
]

describe("the books of a day", () => {
  it("list the differences as CSV, and no cell is a formula", () => {
    expect(DayBooks.csv(books).split("\r\n")).toEqual([
      "kind,transactionId,requestId,amount,currency,ours,theirs",
      "card-payment,100001,,0.5,USD,SUCCEED,CHARGEBACK",
      'card-payment,100002,"a ""b""",10.00,EUR,SUCCEED,REFUNDED',
      "apm-payout,100001,,10.00,EUR,SUCCEED,FAILED",
      'apm,100001,"\'=2;\n",10.00,EUR,,404',
      ""
    ])
  })

  it("have each transaction once, and no sale whose kind is not known", () => {
    const journal = DayBooks.journal("2026-11-21", books)
    const booked = journal.match(/^2026-11-21 \* \S+ \S+/gmu)
    expect(booked).toEqual([
      "2026-11-21 * apm-payment 100001",
      "2026-11-21 * card-payment 100001",
      "2026-11-21 * card-payment 100001",
      "2026-11-21 * card-payment 100002",
      "2026-11-21 * refund 100001",
      "2026-11-21 * card-payout _1_1",
      ...[
        "apm-payment 100005",
        "apm-payout 100006",
        "card-payout 100007",
        "card-payout 100008"
      ].flatMap((each) => [`2026-11-21 * ${each}`, `2026-11-21 * ${each}`])
    ])
    expect(journal).toContain("; apm-payment 100003 is SUCCEED, and its amount is not known.")
    expect(journal).toContain("; refund 100009 of 4.00 is SUCCEED, and its currency is not known.")
    expect(journal).toContain("; card 100004 of 10.00 is SUCCEED, and its kind is not known.")
    expect(DayBooks.unbooked(books)).toBe(3)
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
    expect(run("balance", "--no-total", "expenses:payouts").stdout).toContain("10.00 EUR")
    expect(run("balance", "--no-total", "expenses:refunds").stdout).toContain("14.00 EUR")
  })
})
