import {
  NotFound,
  RateLimited,
  type ReadError,
  ServiceFailed,
  Unreachable
} from "@pawl/core/PaymentsError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import * as Attempts from "../src/internal/wire/Attempts.ts"
import * as Failure from "../src/internal/wire/Failure.ts"
import { type Request, tooLarge, type Transport } from "../src/Transport.ts"
import * as Memory from "./support/memory.ts"

const operation = "attempts"

const failed = Failure.toFailure(new ServiceFailed({ status: 500, attempts: 1 }))

const run = (
  failures: ReadonlyArray<Failure.AttemptFailure | undefined>,
  {
    budget = Attempts.makeBudget(0),
    maxAttempts = 20,
    sendWithin = Infinity,
    startsEarlier = 0,
    totalTimeout = 1_000_000,
    ...rest
  } = {},
  provide: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E> = identity
) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    const remaining: Array<number> = []
    const numbers: Array<number> = []
    yield* TestClock.adjust("1 hour")
    const start = yield* Clock.currentTimeMillis
    const begin = (yield* Clock.monotonicTimeNanos) - BigInt(startsEarlier) * 1_000_000n
    const result = yield* Attempts.run(
      {
        limits: { attemptTimeout: 1000, totalTimeout, maxAttempts, sendWithin },
        budget,
        annotations: { operation },
        shouldRetry: Failure.isTransient,
        ...rest
      },
      (attempt) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          numbers.push(attempt.number)
          remaining.push(attempt.remaining())
          const failure = failures[times.push(now - start) - 1]
          return failure === undefined ? Effect.succeed("value") : Effect.fail(failure)
        }),
      startsEarlier === 0 ? undefined : begin
    ).pipe(
      Effect.match({ onFailure: (failure) => failure, onSuccess: (value) => value }),
      provide,
      Memory.settled
    )
    const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0))
    return { numbers, remaining, result, waits }
  }).pipe(Memory.virtual)

const many = (count: number, failure = failed) => Array.from({ length: count }, () => failure)

const drawing = (draw: number) =>
  Effect.provideService(Random.Random, { nextDoubleUnsafe: () => draw, nextIntUnsafe: () => 0 })

describe("the attempts of a call", () => {
  it("end with the first success, and are numbered from 1", async () => {
    const { numbers, result } = await run(many(3))
    expect([numbers, result]).toEqual([[1, 2, 3, 4], "value"])
  })

  it("are limited by their number, by the budget and by the kind of the failure", async () => {
    expect((await run(many(9), { maxAttempts: 3 })).numbers.length).toBe(3)
    // A new budget has 10 retries.
    expect((await run(many(20))).numbers.length).toBe(11)
    const final = Failure.toFailure(new NotFound({}))
    const { numbers, result } = await run([failed, final, failed])
    expect(numbers.length).toBe(2)
    expect(result).toEqual({ error: final.error, doubt: failed.error })
  })

  it("end with the last error and the latest doubt", async () => {
    const limited = Failure.toFailure(new RateLimited({ attempts: 1 }))
    const later = Failure.toFailure(new ServiceFailed({ status: 502, attempts: 2 }))
    const limits = { maxAttempts: 3 }
    expect((await run([failed, later, limited], limits)).result).toEqual({
      error: limited.error,
      doubt: later.error
    })
    expect((await run([limited, limited, limited], limits)).result).toEqual({
      error: limited.error,
      doubt: undefined
    })
  })

  it.each([
    [0, [160, 320, 640, 1280, 2560, 4000, 4000, 4000]],
    [0.5, [200, 400, 800, 1600, 3200, 5000, 5000, 5000]],
    [1, [240, 480, 960, 1920, 3840, 6000, 6000, 6000]]
  ])(
    "wait 200, 400, 800, … ms, at most 5 s, a fifth more or less: after a draw of %d",
    async (draw, expected) => {
      const { waits } = await run(many(8), {}, drawing(draw))
      expect(waits).toEqual(expected)
    }
  )

  it("C11 C38 wait as long as the service asks, or up to 20 % longer where the deadline allows it", async () => {
    const asked = { ...failed, retryAfter: 10_000 }
    for (const [draw, wait] of [
      [0, 10_000],
      [0.5, 11_000],
      [1, 12_000]
    ] as const) {
      expect((await run([asked], {}, drawing(draw))).waits).toEqual([wait])
    }
    expect((await run([asked], { totalTimeout: 10_001 }, drawing(0.5))).waits).toEqual([10_000])
    expect((await run([asked], { totalTimeout: 10_000 })).waits).toEqual([])
    // The backoff is longer than the `Retry-After`.
    const short = await run([{ ...failed, retryAfter: 1 }])
    expect(short.waits[0]).toBeGreaterThanOrEqual(159)
  })

  it("have the rest of the time of the call, which may have begun before", async () => {
    const { remaining, waits } = await run(many(1), { totalTimeout: 5000 })
    expect(remaining[0]).toBe(5000)
    expect(Math.abs((remaining[1] ?? 0) - (5000 - (waits[0] ?? 0)))).toBeLessThanOrEqual(1)
    expect((await run([], { totalTimeout: 5000, startsEarlier: 2000 })).remaining).toEqual([3000])
    expect((await run([], { totalTimeout: 5000, startsEarlier: 6000 })).remaining).toEqual([0])
  })

  it("end with the last error if a busy process wakes up after the deadline", async () => {
    const late = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.clockWith((clock) =>
        Effect.provideService(
          effect,
          Clock.Clock,
          Object.create(clock, { sleep: { value: () => clock.sleep(Duration.seconds(5)) } })
        )
      )
    const { numbers, result } = await run(many(3), { totalTimeout: 5000 }, late)
    expect(numbers).toEqual([1])
    expect(result).toEqual({ error: failed.error, doubt: failed.error })
  })

  it("begin no more after the time in which the request may be sent", async () => {
    const within = async (sendWithin: number) => {
      const { remaining, waits } = await run(many(5), { sendWithin })
      expect(remaining[0]).toBe(1_000_000)
      return waits
    }
    const waits = await within(3000)
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(3000)
    expect(waits.length).toBeGreaterThan(1)
    expect(await within(1)).toEqual([])
  })
})

const request: Request = {
  method: "GET",
  url: "https://a.example:8443/x",
  headers: {},
  body: undefined
}

describe("one attempt", () => {
  const attempt = { number: 3, remaining: () => 0, sendable: () => 0 }

  const failureOf = (sent: Attempts.Sent) =>
    Effect.flip(Attempts.requireSuccess(request, sent, attempt, Effect.succeed)).pipe(
      Memory.virtual
    )

  it("succeeds with a status from 200 to 299", async () => {
    for (const status of [200, 299]) {
      const response = Memory.respond(status, "")
      const sent = Attempts.requireSuccess(
        request,
        Effect.succeed(response),
        attempt,
        Effect.succeed
      )
      expect(await Effect.runPromise(sent)).toBe(response)
    }
    for (const status of [199, 300])
      expect((await failureOf(Memory.answer(status, ""))).error._tag).toBe("UnexpectedResponse")
  })

  it("fails with its number, the wait that the service asks for, and the host", async () => {
    expect(await failureOf(Memory.answer(503, "", { "retry-after": "7" }))).toMatchObject({
      error: { _tag: "ServiceFailed", attempts: 3 },
      retryAfter: 7000
    })
    for (const sent of [true, false]) {
      const error: ReadError = new Unreachable({ reason: "reset", sent, attempts: 1 })
      expect((await failureOf(Effect.fail(error))).error).toMatchObject({
        _tag: "Unreachable",
        reason: "a.example:8443: reset",
        sent,
        attempts: 3
      })
    }
  })

  it("fails with the error of a response that is too long", async () => {
    const error = tooLarge(200)
    expect((await failureOf(Effect.fail(error))).error).toBe(error)
  })

  it.each([
    [1000, 5000, 1000],
    [5000, 1000, 1000]
  ])("with the limits %d and %d ends after %d ms", async (attemptTimeout, total, within) => {
    const limits: Array<[number, number | undefined]> = []
    const hanging = (keepsTime: boolean): Transport["Service"] => ({
      keepsTime,
      send: (_, within, total) => {
        limits.push([Duration.toMillis(within), total && Duration.toMillis(total)])
        return Effect.never
      }
    })
    const send = (keepsTime: boolean) =>
      Attempts.send(hanging(keepsTime), request, attemptTimeout, {
        number: 1,
        remaining: () => total,
        sendable: () => Infinity
      }).pipe(
        Effect.timeoutOption("1 minute"),
        Effect.exit,
        Effect.timed,
        Memory.settled,
        Memory.virtual
      )
    const [ended, exit] = await send(false)
    expect(Duration.toMillis(ended)).toBe(within)
    if (!Exit.isFailure(exit)) throw new Error("no failure")
    expect(Cause.squash(exit.cause)).toMatchObject({
      _tag: "Unreachable",
      reason: "no response in time",
      sent: true,
      attempts: 1
    })
    // A transport that keeps the time itself is not interrupted.
    const [kept] = await send(true)
    expect(Duration.toMillis(kept)).toBe(60_000)
    expect(limits).toEqual([
      [within, total],
      [within, total]
    ])
  })
})

const spendAll = ({ spend }: Attempts.RetryBudget): number => {
  let retries = 0
  while (retries < 1000 && spend()) retries++
  return retries
}

it("a new client has 10 retries, and each call adds its share of one", () => {
  const budget = Attempts.makeBudget(0.5)
  expect(spendAll(budget)).toBe(10)
  budget.earn()
  expect(spendAll(budget)).toBe(0)
  budget.earn()
  expect(spendAll(budget)).toBe(1)
})

it.each([
  [0.5, 100],
  [250, 250]
])("calls that add %d each leave at most %i retries", (ratio, most) => {
  const budget = Attempts.makeBudget(ratio)
  for (let calls = 0; calls < 1000; calls++) budget.earn()
  expect(spendAll(budget)).toBe(most)
})
