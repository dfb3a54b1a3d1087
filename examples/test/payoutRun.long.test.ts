import { run, start } from "@pawl/test-support/Program"
import { live } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { Transactions } from "@pawl/webhook/LedgerSql"
import { Requests } from "@pawl/webhook/Requests"
import * as Fake from "@pawl/testkit/Fake"
import { Faults } from "@pawl/testkit/Faults"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/testing/TestClock"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as PayoutFile from "../src/payoutRun/PayoutFile.ts"
import * as PayoutRun from "../src/payoutRun/PayoutRun.ts"
import * as Progress from "../src/payoutRun/Progress.ts"
import { nodeAheadBy, sandboxed, settings, temporary } from "./processes.ts"
import * as TestRequests from "./requests.ts"

const head = "id,amount,currency,iban"
const program = new URL("../src/payoutRun.ts", import.meta.url).pathname

/** Starts the program over files in a directory. Its clock is ahead by `ahead` milliseconds. */
const programOf = (directory: string, ahead = 0) =>
  Effect.map(
    settings,
    (own) =>
      [
        process.execPath,
        [...nodeAheadBy(ahead).slice(1), program, join(directory, "payouts.csv")],
        {
          ...own,
          PAYOUTS_FILE: join(directory, "payouts.db")
        }
      ] as const
  )

const write = (directory: string, lines: ReadonlyArray<string>) =>
  Effect.promise(() => writeFile(join(directory, "payouts.csv"), [head, ...lines, ""].join("\n")))

sandboxed("pays each of 500 lines once, whenever its process is killed", function* () {
  const { transactions } = yield* Gateway
  const { add, clear } = yield* Faults
  const directory = yield* temporary
  const amounts = new Map(
    Array.from({ length: 500 }, (_, at) => [`salary-${at}`, `${at + 1}.00`] as const)
  )
  yield* write(
    directory,
    Array.from(amounts, ([id, amount]) => `${id},${amount},EUR,DE89370400440532013000`)
  )
  // Some responses are late by 5 seconds, so that each kill loses some.
  yield* add({ endpoint: "POST /v1/payouts/apm", fault: "delay", rate: 0.05 })
  for (const [at, paid] of [20, 90, 160, 230, 300].entries()) {
    // The leases of the last process are over.
    const { child, exited } = yield* start(...(yield* programOf(directory, at * 31_000)))
    yield* Effect.repeat(transactions, {
      until: ({ length }) => length >= paid,
      schedule: Schedule.spaced("5 millis")
    })
    child.kill("SIGKILL")
    expect((yield* exited).signal).toBe("SIGKILL")
    expect((yield* transactions).length).toBeLessThan(500)
  }

  yield* clear
  const complete = { code: 0, signal: null, stdout: "500 payouts: 500 made\n", stderr: "" }
  expect(yield* run(...(yield* programOf(directory, 5 * 31_000)))).toEqual(complete)
  const made = (yield* transactions).map(({ amount, requestId }) => [requestId, amount] as const)
  expect(made).toHaveLength(500)
  expect(new Map(made)).toEqual(amounts)

  // Started once more, it pays nobody.
  expect(yield* run(...(yield* programOf(directory, 6 * 31_000)))).toEqual(complete)
  expect(yield* transactions).toHaveLength(500)
})

sandboxed(
  "refuses a file in which a line was changed, and pays none of its new lines",
  function* () {
    const { transactions } = yield* Gateway
    const directory = yield* temporary
    yield* write(directory, ["a,10.00,EUR,DE1", "b,20.00,EUR,DE2"])
    expect(yield* run(...(yield* programOf(directory)))).toMatchObject({ code: 0 })
    const added = Array.from({ length: 101 }, (_, at) => `c-${at},30.00,EUR,DE3`)
    yield* write(directory, [...added, "a,99.00,EUR,DE1"])
    const { code, stderr, stdout } = yield* run(...(yield* programOf(directory)))
    expect(code).toBe(1)
    expect(stdout + stderr).toContain("Request a was stored before with another body")
    expect((yield* transactions).map(({ requestId }) => requestId)).toEqual(["a", "b"])
  }
)

describe("a payout run", () => {
  const inMemory = live.with(() =>
    TestRequests.layer.pipe(Layer.provideMerge(Fake.layer()), Layer.provideMerge(TestClock.layer()))
  )

  const payout = (id: string, scenario: string): PayoutFile.Payout => ({
    requestId: id,
    accountId: "4711",
    amount: "10.00",
    currency: "EUR",
    apmPayload: { paymentMethod: "BANK_TRANSFER" },
    metadata: { "sandbox.scenario": scenario }
  })

  inMemory("reports each end, and goes on with a line that was added after them", function* () {
    const { transactions } = yield* Gateway
    const { cancel, enqueue } = yield* Requests
    const notSent = payout("d", "succeed")
    yield* enqueue("apm-payout", notSent)
    expect(yield* cancel("d")).toBe(true)
    const payouts = [payout("a", "succeed"), payout("b", "decline:14"), payout("c", "no story")]
    const ends: Array<unknown> = []
    for (const added of [[], [], [payout("e", "succeed")]]) {
      const running = yield* Effect.forkChild(PayoutRun.run([...payouts, notSent, ...added]))
      yield* TestClock.adjust("15 minutes")
      ends.push(Object.fromEntries(yield* Fiber.join(running)))
    }
    const first = { a: "made", b: "declined", c: "parked", d: "not sent" }
    expect(ends).toEqual([first, first, { ...first, e: "made" }])
    expect((yield* transactions).map(({ requestId }) => requestId)).toEqual(["a", "b", "e"])
  })

  inMemory(
    "writes a long file in pieces, and waits for a store that does not answer",
    function* () {
      const { run } = yield* Transactions
      let calls = 0
      const refused = yield* Deferred.make<void>()
      const written = yield* Deferred.make<void>()
      const transactions: Transactions["Service"] = {
        run: (work, key) =>
          Effect.suspend(() => {
            calls++
            if (calls === 2)
              return Effect.andThen(
                Deferred.succeed(refused, undefined),
                new StoreUnavailable({ cause: "test" })
              )
            const ran = run(work, key)
            return calls < 5 ? ran : Effect.tap(ran, Deferred.succeed(written, undefined))
          })
      }
      const payouts = Array.from({ length: 250 }, (_, at) => payout(`${at}`, "succeed"))
      const running = yield* PayoutRun.run(payouts).pipe(
        Effect.provideService(Transactions, transactions),
        Effect.forkChild
      )
      // A piece takes real time, so virtual time passes only while the run waits.
      yield* Deferred.await(refused)
      yield* World.settled
      yield* TestClock.adjust("1 second")
      yield* Deferred.await(written)
      yield* TestClock.adjust("1 minute")
      expect(new Set((yield* Fiber.join(running)).values())).toEqual(new Set(["made"]))
      // The first piece, the refused second one, the first again, and the last two.
      expect(calls).toBe(5)
    }
  )
})

describe("a file of payouts", () => {
  it.for([
    ["another first line", "id,amount", "The first line is not id,amount,currency,iban"],
    ["a missing cell", `${head}\na,10.00,EUR`, "Line 2 cannot be used: it does not have 4 cells"],
    ["a quoted cell", `${head}\n"a",10.00,EUR,DE1`, "Line 2 cannot be used: it does not have 4"],
    ["an id twice", `${head}\na,1.00,EUR,DE1\na,2.00,EUR,DE2`, "Line 3 cannot be used: its id"],
    ["no id", `${head}\n,1.00,EUR,DE1`, "Line 2 cannot be used: its id is empty"],
    ["another amount", `${head}\na,ten,EUR,DE1`, "Line 2 cannot be used: its amount"]
  ] as const)("is refused for %s", ([, text, message]) => {
    const error = Result.getOrThrow(Result.flip(PayoutFile.parse(text)))
    expect(error.message).toContain(message)
    expect(error.message).not.toContain("ten")
  })

  it("may have lines that end as on Windows", () => {
    const payouts = Result.getOrThrow(PayoutFile.parse(`${head}\r\na,1.00,EUR,DE1\r\n`))
    expect(payouts).toMatchObject([{ requestId: "a", apmPayload: { account: "DE1" } }])
  })
})

describe("the progress", () => {
  it("is a bar that grows to its full width", () => {
    expect(Progress.bar(0, 500)).toBe(`${"░".repeat(40)} 0/500`)
    expect(Progress.bar(250, 500)).toBe(`${"█".repeat(20)}${"░".repeat(20)} 250/500`)
    expect(Progress.bar(500, 500)).toBe(`${"█".repeat(40)} 500/500`)
  })

  it("is drawn on a terminal only", async () => {
    const drawn = async (isTTY: boolean) => {
      const texts: Array<string> = []
      const output = { isTTY, write: (text: string) => texts.push(text) }
      const draw = Progress.draw(1, output)
      await Effect.runPromise(draw(new Map()))
      await Effect.runPromise(draw(new Map([["a", "made"]])))
      return texts
    }
    expect(await drawn(true)).toEqual([`\r${Progress.bar(0, 1)}`, `\r${Progress.bar(1, 1)}\n`])
    expect(await drawn(false)).toEqual([])
  })

  it("ends with the payouts that were not made", () => {
    const ends = new Map([
      ["a", "made"],
      ["b", "declined"],
      ["c", "made"]
    ] as const)
    expect(Progress.summary(ends)).toBe("3 payouts: 2 made, 1 declined\nb: declined")
  })
})
