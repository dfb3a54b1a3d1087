import { character } from "@pawl/test-support/Text"
import type { ApmPaymentInput } from "@pawl/core/ApmPayment"
import * as Grammar from "@pawl/core/internal/Grammar"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ApmPayments from "../src/ApmPayments.ts"
import * as ApmPayouts from "../src/ApmPayouts.ts"
import * as Memory from "./support/memory.ts"
import { repeats } from "@pawl/test-support/Repeats"

const create = (service: Memory.Service, input: ApmPaymentInput = Memory.payment) =>
  ApmPayments.ApmPayments.use((payments) => Effect.result(payments.create(input))).pipe(
    Memory.settled,
    Effect.provide(Memory.client(service))
  )

const status = (service: Memory.Service, id = "100001") =>
  ApmPayments.ApmPayments.use((payments) => Effect.result(payments.status(id))).pipe(
    Memory.settled,
    Effect.provide(Memory.client(service))
  )

const failure = <A, E>(result: Result.Result<A, E>): E => {
  if (Result.isSuccess(result)) throw new Error("expected a failure")
  return result.failure
}

const tags: Record<number, string> = {
  400: "ValidationFailed",
  401: "Unauthorized",
  404: "NotFound",
  408: "ServiceFailed",
  425: "ServiceFailed",
  429: "RateLimited"
}

const isOpaque = (id: string) => Grammar.identifier.test(id) && id !== "." && id !== ".."

/** Some ids would change if they were read as numbers. */
const identifier = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/u),
  fc.string({ unit: character, minLength: 1 }).filter(isOpaque),
  fc.constantFrom(
    "r:1.2/3",
    "%2e%2e",
    "a?b#c",
    "007",
    "00",
    "1e3",
    "-0",
    "0x10",
    "12345678901234567890",
    "NaN"
  )
)

const fault = fc.constantFrom(...Memory.faults)

describe("a create under faults", () => {
  it("C01 C02 C03 C06 takes effect at most once, and fails with OutcomeUnknown when it may have taken effect", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fault, { nil: undefined }), { maxLength: 12 }),
        async (faults) => {
          const service = new Memory.Service({ faults })
          const result = await Memory.virtual(create(service))
          expect(service.ledger.size).toBeLessThanOrEqual(1)
          expect(service.requests.length).toBeLessThanOrEqual(8)
          expect(new Set(service.requests.map(({ body }) => body)).size).toBe(1)
          const entry = service.ledger.get(Memory.payment.requestId)
          if (Result.isSuccess(result)) {
            expect(result.success).toEqual(
              JSON.parse(new TextDecoder().decode(entry?.response.body))
            )
          } else if (result.failure._tag === "OutcomeUnknown") {
            expect(result.failure.requestId).toBe(Memory.payment.requestId)
          } else {
            expect(entry).toBeUndefined()
          }
        }
      ),
      { numRuns: repeats(250) }
    ))

  it("C01 succeeds when one of four attempts gets a connection", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(6), async (times) => {
        const service = new Memory.Service({
          faults: Array.from({ length: times }, () => "refused")
        })
        const result = await Memory.virtual(create(service))
        expect(service.requests.length).toBe(Math.min(times + 1, 4))
        if (times < 4) expect(Result.isSuccess(result)).toBe(true)
        else
          expect(failure(result)).toMatchObject({ _tag: "Unreachable", sent: false, attempts: 4 })
      })
    ))

  it("C03 returns the original response after a response was lost", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("reset after", "503 after", "truncated after", "silent after"), {
          minLength: 1,
          maxLength: 3
        }),
        async (faults) => {
          // Four attempts do not fit into 30 seconds when three of them time out.
          fc.pre(faults.filter((each) => each === "silent after").length < 2)
          const service = new Memory.Service({ faults })
          const result = await Memory.virtual(create(service))
          expect(Result.getOrThrow(result).transactionId).toBe("100001")
          expect(service.ledger.size).toBe(1)
          expect(service.requests.length).toBe(faults.length + 1)
        }
      )
    ))

  it("C03 fails with OutcomeUnknown, which has the requestId and the last cause, when no response comes", async () => {
    const service = new Memory.Service({ faults: Array.from({ length: 4 }, () => "reset after") })
    const error = failure(await Memory.virtual(create(service)))
    expect(error).toMatchObject({
      _tag: "OutcomeUnknown",
      requestId: "order-1",
      cause: { _tag: "Unreachable", sent: true, attempts: 4 }
    })
  })

  it("fails with OutcomeUnknown when the refusal of a later attempt does not settle the first", async () => {
    for (const last of ["refused", "429", "401"] as const) {
      const service = new Memory.Service({ faults: ["reset after", last, last, last, last, last] })
      const error = failure(await Memory.virtual(create(service)))
      expect(error).toMatchObject({
        _tag: "OutcomeUnknown",
        cause: { _tag: "Unreachable", attempts: 1 }
      })
    }
  })

  it("C06 fails with OutcomeUnknown after a success that cannot be read, and names the field without its value", async () => {
    const service = new Memory.Service({
      answer: () =>
        Memory.answer(200, { transactionId: "not-a-secret\nbut-spaced", transactionStatus: "NEW" })
    })
    const error = failure(await Memory.virtual(create(service)))
    expect(error._tag).toBe("OutcomeUnknown")
    expect(error.message).toContain("field transactionId")
    expect(error.message).not.toContain("spaced")
    expect(service.requests.length).toBe(4)
  })
})

describe("a requestId", () => {
  const race = (
    calls: ReadonlyArray<{
      readonly at: number
      readonly lasts: number
      readonly requestId: string
      readonly amount: string
    }>
  ) => {
    const service = new Memory.Service({
      answer: ({ body }) =>
        Effect.delay(
          Memory.answer(200, { transactionId: "7", transactionStatus: "NEW" }),
          Number(JSON.parse(body ?? "{}").metadata.lasts)
        )
    })
    const outcomes = Effect.gen(function* () {
      const payments = yield* ApmPayments.ApmPayments
      yield* Memory.settled(
        payments.create({ ...Memory.payment, requestId: "warm", metadata: { lasts: "0" } })
      )
      const fibers = yield* Effect.forEach(calls, ({ amount, at, lasts, requestId }) =>
        payments
          .create({ ...Memory.payment, amount, requestId, metadata: { lasts: String(lasts) } })
          .pipe(Effect.result, Effect.delay(at), Effect.forkChild({ startImmediately: true }))
      )
      yield* TestClock.adjust("1 hour")
      return yield* Effect.forEach(fibers, Fiber.join)
    })
    return { service, outcomes: Effect.provide(outcomes, Memory.client(service)) }
  }

  it("C23 has one body at a time: a different request is refused before sending, the same request is sent", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            at: fc.nat(30).map((n) => n * 10),
            // No create ends at the time another begins.
            lasts: fc.constantFrom(15, 35, 105),
            requestId: fc.constantFrom("order-1", "order-2"),
            amount: fc.constantFrom("1.00", "2.00")
          }),
          { maxLength: 12 }
        ),
        async (drawn) => {
          const calls = drawn.toSorted((a, b) => a.at - b.at)
          const { outcomes, service } = race(calls)
          const results = await Memory.virtual(outcomes)
          const sent: Array<(typeof calls)[number]> = []
          for (const [index, call] of calls.entries()) {
            const isRefused = sent.some(
              ({ amount, at, lasts, requestId }) =>
                requestId === call.requestId &&
                call.at < at + lasts &&
                (amount !== call.amount || lasts !== call.lasts)
            )
            const result = results[index]
            if (result === undefined) throw new Error("no result")
            expect(Result.isFailure(result)).toBe(isRefused)
            if (Result.isFailure(result))
              expect(result.failure).toMatchObject({
                _tag: "ValidationFailed",
                sent: false,
                fields: [{ path: "requestId" }]
              })
            else sent.push(call)
          }
          expect(service.requests.length).toBe(1 + sent.length)
        }
      ),
      { numRuns: repeats(150) }
    ))

  it("C23 can be used again after a failure and after an interruption", () =>
    Effect.gen(function* () {
      const payments = yield* ApmPayments.ApmPayments
      const leaving = yield* Effect.forkChild(payments.create(Memory.payment), {
        startImmediately: true
      })
      yield* TestClock.adjust("1 second")
      const other = { ...Memory.payment, amount: "11.00" }
      expect(failure(yield* Effect.result(payments.create(other)))._tag).toBe("ValidationFailed")
      yield* Fiber.interrupt(leaving)
      for (const amount of ["11.00", "12.00"]) {
        const result = yield* Memory.settled(
          Effect.result(payments.create({ ...Memory.payment, amount }))
        )
        expect(failure(result)._tag).toBe("OutcomeUnknown")
      }
    }).pipe(
      Effect.provide(Memory.client(new Memory.Service({ answer: () => Effect.never }))),
      Memory.virtual
    ))

  it("C23 is refused for a second operation while the first is in flight", () =>
    Effect.gen(function* () {
      const [payments, payouts] = [yield* ApmPayments.ApmPayments, yield* ApmPayouts.ApmPayouts]
      yield* Effect.forkChild(payments.create(Memory.payment), { startImmediately: true })
      const second = yield* Effect.result(payouts.create(Memory.payment))
      expect(failure(second)).toMatchObject({ _tag: "ValidationFailed", sent: false })
    }).pipe(
      Effect.provide(Memory.client(new Memory.Service({ answer: () => Effect.never }))),
      Memory.virtual
    ))
})

describe("a read", () => {
  it("C06 C07 fails with a typed error, never with a defect, for every response", () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.integer({ min: 200, max: 599 }),
          fc.constantFrom(...Object.keys(tags).map(Number))
        ),
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.constantFrom("", "null", "{}", "<html>", '"a', '\ufeff"NEW"')
        ),
        async (code, body) => {
          const service = new Memory.Service({ answer: () => Memory.answer(code, body) })
          const result = await Memory.virtual(status(service))
          if (Result.isSuccess(result))
            expect(code < 300 && typeof result.success === "string").toBe(true)
          else
            expect(result.failure._tag).toBe(
              tags[code] ?? (code >= 500 ? "ServiceFailed" : "UnexpectedResponse")
            )
        }
      ),
      { numRuns: repeats(150) }
    ))

  it("C21 refuses a redirect without following it", async () => {
    for (const code of [301, 302, 303, 307, 308]) {
      const service = new Memory.Service({
        answer: () => Memory.answer(code, "", { location: "https://elsewhere.example/api" })
      })
      expect(failure(await Memory.virtual(status(service)))).toMatchObject({
        _tag: "UnexpectedResponse",
        status: code,
        reason: "redirects are not followed"
      })
      expect(service.requests.map(({ url }) => url)).toEqual([
        "https://payments.example/api/v1/payments/apm/status/100001"
      ])
    }
  })

  it("B01 sends nothing for an id that could change the path", () =>
    fc.assert(
      fc.asyncProperty(
        fc
          .oneof(
            fc.string(),
            fc.string({ unit: character }),
            fc.constantFrom("", ".", "..", "a".repeat(129), "1\n")
          )
          .filter((id) => !isOpaque(id)),
        async (id) => {
          const service = new Memory.Service()
          expect(failure(await Memory.virtual(status(service, id)))).toMatchObject({
            _tag: "ValidationFailed",
            sent: false,
            fields: [{ path: "id" }]
          })
          expect(service.requests.length + service.auths.length).toBe(0)
        }
      )
    ))

  it("B01 puts any other id into the path percent-encoded", () =>
    fc.assert(
      fc.asyncProperty(identifier, async (id) => {
        const service = new Memory.Service()
        expect(Result.isSuccess(await Memory.virtual(status(service, id)))).toBe(true)
        expect(new URL(service.requests[0]?.url ?? "").pathname).toBe(
          `/api/v1/payments/apm/status/${encodeURIComponent(id)}`
        )
      })
    ))
})

describe("timeouts and waits", () => {
  const retrying = (code: number, retryAfter: string) => {
    const times: Array<number> = []
    const service = new Memory.Service({
      answer: (_, n) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          times.push(now)
          return n === 1
            ? Memory.answer(code, "", { "retry-after": retryAfter })
            : Memory.status("NEW")
        })
    })
    return { service, times }
  }

  it("C11 sends nothing before Retry-After, and makes no retry when that is after the deadline", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(429, 503),
        fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 10 ** 9 })),
        fc.boolean(),
        async (code, seconds, asDate) => {
          fc.pre(!asDate || seconds < 10 ** 8)
          const { service, times } = retrying(
            code,
            asDate ? new Date(seconds * 1000).toUTCString() : String(seconds)
          )
          const result = await Memory.virtual(status(service))
          if (seconds < 30) {
            expect(Result.isSuccess(result)).toBe(true)
            expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(seconds * 1000)
          } else {
            expect(times.length).toBe(1)
            expect(failure(result)).toMatchObject(
              code === 429
                ? { _tag: "RateLimited", retryAfter: seconds * 1000, attempts: 1 }
                : { _tag: "ServiceFailed" }
            )
          }
        }
      )
    ))

  it("C11 ignores a malformed Retry-After", () =>
    fc.assert(
      fc.asyncProperty(
        fc
          .oneof(
            fc.constantFrom(
              "soon",
              "-1",
              "1.5",
              "1e3",
              " 5",
              "",
              "9".repeat(400),
              "Wed 21 Oct",
              "2030-01-01"
            ),
            fc.string()
          )
          .filter((text) => !/^[0-9]{1,15}$/u.test(text)),
        async (retryAfter) => {
          const { service, times } = retrying(429, retryAfter)
          expect(Result.isSuccess(await Memory.virtual(status(service)))).toBe(true)
          expect((times[1] ?? 0) - (times[0] ?? 0)).toBeLessThan(300)
        }
      )
    ))

  it("C04 ends by the deadline when any part hangs", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fault, { nil: undefined }), { minLength: 8, maxLength: 8 }),
        fc.constantFrom<"auth" | "call">("auth", "call"),
        async (faults, hangs) => {
          const service = new Memory.Service(
            hangs === "auth" ? { auth: () => Effect.never } : { faults }
          )
          await Memory.virtual(
            Effect.gen(function* () {
              const payments = yield* ApmPayments.ApmPayments
              const fiber = yield* Effect.forkChild(Effect.exit(payments.create(Memory.payment)))
              // A wait with jitter may end between two milliseconds.
              yield* TestClock.adjust("30001 millis")
              expect(fiber.pollUnsafe()).toBeDefined()
            }).pipe(Effect.provide(Memory.client(service)))
          )
        }
      )
    ))

  it("C04 fails a create with OutcomeUnknown when no response comes in time", async () => {
    const service = new Memory.Service({ answer: () => Effect.never })
    const error = failure(await Memory.virtual(create(service)))
    expect(error).toMatchObject({
      _tag: "OutcomeUnknown",
      cause: { reason: "payments.example: no response in time", sent: true }
    })
    expect(service.requests.length).toBe(3)
  })

  it("C04 interrupts a request after its timeout, and when its call is interrupted", () => {
    let open = 0
    const hanging = Effect.callback<never>(() => {
      open++
      return Effect.sync(() => open--)
    })
    return Effect.gen(function* () {
      const payments = yield* ApmPayments.ApmPayments
      const call = yield* Effect.forkChild(payments.create(Memory.payment), {
        startImmediately: true
      })
      yield* TestClock.adjust("9999 millis")
      expect(open).toBe(1)
      yield* TestClock.adjust("1 millis")
      expect(open).toBe(0)
      yield* TestClock.adjust("1 second")
      expect(open).toBe(1)
      yield* Fiber.interrupt(call)
      expect(open).toBe(0)
    }).pipe(
      Effect.provide(Memory.client(new Memory.Service({ answer: () => hanging }))),
      Memory.virtual
    )
  })

  it("C04 leaves no timer running after a response", () => {
    const asleep = new Set<symbol>()
    const payment = Memory.answer(200, { transactionId: "1", transactionStatus: "NEW" })
    const service = new Memory.Service({ answer: () => Effect.delay(payment, "1 second") })
    const calls = Effect.gen(function* () {
      const payments = yield* ApmPayments.ApmPayments
      const call = yield* Effect.forkChild(payments.create(Memory.payment), {
        startImmediately: true
      })
      // The timers of the response and of the timeout.
      expect(asleep.size).toBe(2)
      yield* TestClock.adjust("1 second")
      expect((yield* Fiber.join(call)).transactionId).toBe("1")
      expect(asleep.size).toBe(0)
    }).pipe(Effect.provide(Memory.client(service)))
    return Effect.flatMap(Clock.Clock, (clock) => {
      const sleep = (duration: Duration.Duration) =>
        Effect.suspend(() => {
          const sleeper = Symbol("sleeper")
          asleep.add(sleeper)
          return Effect.ensuring(
            clock.sleep(duration),
            Effect.sync(() => asleep.delete(sleeper))
          )
        })
      return Effect.provideService(
        calls,
        Clock.Clock,
        Object.assign(Object.create(clock), { sleep })
      )
    }).pipe(Memory.virtual)
  })

  it("waits at most 5 seconds between attempts, 20 % more or less", async () => {
    const times: Array<number> = []
    const service = new Memory.Service({
      answer: () =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          times.push(now)
          return Memory.answer(500, "")
        })
    })
    await ApmPayments.ApmPayments.use(({ status }) =>
      Effect.exit(status("7", { maxAttempts: 30, totalTimeout: "10 minutes" }))
    ).pipe(
      Memory.settled,
      Effect.provide(Memory.client(service, { retryRatio: 40 })),
      Memory.virtual
    )
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(waits.length).toBe(29)
    for (const wait of waits.slice(5)) {
      expect(wait).toBeGreaterThanOrEqual(3999)
      expect(wait).toBeLessThanOrEqual(6001)
    }
    // Of 24 draws some are on each side.
    expect(Math.min(...waits.slice(5))).toBeLessThan(4900)
    expect(Math.max(...waits.slice(5))).toBeGreaterThan(5100)
  })

  it("C11 makes no attempt at the very deadline", async () => {
    const { service, times } = retrying(503, "30")
    expect(failure(await Memory.virtual(status(service)))).toMatchObject({ _tag: "ServiceFailed" })
    expect(times.length).toBe(1)
  })

  it("lengthens the waits between attempts, with jitter", async () => {
    const waits = () => {
      const times: Array<number> = []
      const service = new Memory.Service({
        answer: () =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            times.push(now)
            return Memory.answer(500, "")
          })
      })
      return Effect.as(status(service), times).pipe(
        Effect.map(([a = 0, b = 0, c = 0, d = 0]) => [b - a, c - b, d - c])
      )
    }
    const first = await Memory.virtual(waits())
    const second = await Memory.virtual(waits())
    for (const [index, base] of [200, 400, 800].entries()) {
      expect(first[index]).toBeGreaterThanOrEqual(base * 0.8 - 1)
      expect(first[index]).toBeLessThanOrEqual(base * 1.2 + 1)
    }
    expect(first).not.toEqual(second)
  })
})

describe("a refused token", () => {
  const many = (count: number) =>
    Effect.gen(function* () {
      const payments = yield* ApmPayments.ApmPayments
      return yield* Effect.forEach(
        Array.from({ length: count }, (_, index) => String(index)),
        (id) => Effect.result(payments.status(id)),
        { concurrency: "unbounded" }
      )
    })

  it("C12 causes one request to /auth for 1,000 concurrent calls, each sent at most twice", async () => {
    const service = new Memory.Service()
    await Memory.virtual(
      Effect.gen(function* () {
        yield* many(1)
        service.valid.clear()
        const results = yield* Memory.settled(many(1000))
        expect(results.every(Result.isSuccess)).toBe(true)
      }).pipe(Effect.provide(Memory.client(service)))
    )
    expect(service.auths.length).toBe(2)
    expect(service.requests.length).toBeLessThanOrEqual(1 + 2000)
  })

  it("C12 is dropped only once, however late the other refusals come", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5000), { minLength: 1, maxLength: 50 }), async (delays) => {
        const service: Memory.Service = new Memory.Service({
          answer: (request, n) =>
            Effect.delay(
              Effect.suspend(() =>
                service.valid.has(request.headers["authorization"]?.slice(7) ?? "")
                  ? Memory.status("NEW")
                  : Memory.answer(401, "")
              ),
              delays[n % delays.length] ?? 0
            )
        })
        await Memory.virtual(
          Effect.gen(function* () {
            yield* Memory.settled(many(1))
            service.valid.clear()
            const results = yield* Memory.settled(many(delays.length))
            expect(results.every(Result.isSuccess)).toBe(true)
          }).pipe(Effect.provide(Memory.client(service)))
        )
        expect(service.auths.length).toBe(2)
      })
    ))

  it("C13 causes one retry, then Unauthorized without a request to /auth for the cooldown time", async () => {
    const service = new Memory.Service({ answer: () => Memory.answer(401, "") })
    await Memory.virtual(
      Effect.gen(function* () {
        const first = yield* many(1)
        expect(first.map(failure)).toMatchObject([{ _tag: "Unauthorized", sent: true }])
        expect([service.auths.length, service.requests.length]).toEqual([2, 2])
        yield* TestClock.adjust("29 seconds")
        const second = yield* many(1000)
        expect(new Set(second.map((result) => failure(result)._tag))).toEqual(
          new Set(["Unauthorized"])
        )
        // None causes a request for a token.
        expect([service.auths.length, service.requests.length]).toEqual([2, 1002])
        yield* TestClock.adjust("1 second")
        yield* many(1)
        expect([service.auths.length, service.requests.length]).toEqual([3, 1004])
      }).pipe(Effect.provide(Memory.client(service)))
    )
  })

  describe("C28 that only one operation gets", () => {
    const refusing = () =>
      new Memory.Service({
        answer: ({ url }) =>
          url.includes("/payouts/") ? Memory.answer(401, "") : Memory.status("NEW")
      })
    const payout = ApmPayouts.ApmPayouts.use((payouts) => Effect.result(payouts.status("1")))

    it("fails that operation, and no other", async () => {
      const service = refusing()
      await Memory.virtual(
        Effect.gen(function* () {
          expect((yield* many(10)).every(Result.isSuccess)).toBe(true)
          expect(failure(yield* payout)).toMatchObject({ _tag: "Unauthorized", sent: true })
          expect((yield* many(100)).every(Result.isSuccess)).toBe(true)
        }).pipe(Effect.provide(Memory.client(service)))
      )
      expect(service.auths.length).toBe(2)
    })

    it("causes one request to /auth in the cooldown time, however often it is called", async () => {
      const service = refusing()
      await Memory.virtual(
        Effect.gen(function* () {
          yield* many(1)
          for (let n = 0; n < 50; n++) {
            expect(failure(yield* payout)._tag).toBe("Unauthorized")
            expect((yield* many(1)).every(Result.isSuccess)).toBe(true)
            yield* TestClock.adjust("500 millis")
          }
          expect(service.auths.length).toBe(2)
          yield* TestClock.adjust("5 seconds")
          yield* payout
          expect(service.auths.length).toBe(3)
        }).pipe(Effect.provide(Memory.client(service)))
      )
    })
  })

  it("C28 causes one request to /auth in the cooldown time while every token is refused", async () => {
    const service = new Memory.Service({ answer: () => Memory.answer(401, "") })
    await Memory.virtual(
      Effect.gen(function* () {
        const payouts = yield* ApmPayouts.ApmPayouts
        // The first token, and one after the first 401.
        for (let second = 0; second < 30; second++) {
          yield* Effect.all([many(20), Effect.result(payouts.status("1"))], {
            concurrency: "unbounded"
          })
          expect(service.auths.length).toBe(2)
          yield* TestClock.adjust("1 second")
        }
        yield* Effect.all([many(20), Effect.result(payouts.status("1"))], {
          concurrency: "unbounded"
        })
        expect(service.auths.length).toBe(3)
      }).pipe(Effect.provide(Memory.client(service)))
    )
  })

  it("C28 says that nothing was sent when /auth refuses the credentials", async () => {
    const service = new Memory.Service({ auth: () => Memory.answer(401, "") })
    await Memory.virtual(
      Effect.gen(function* () {
        for (let n = 0; n < 2; n++)
          expect(failure((yield* many(1))[0]!)).toMatchObject({
            _tag: "Unauthorized",
            sent: false
          })
        expect([service.auths.length, service.requests.length]).toEqual([1, 0])
      }).pipe(Effect.provide(Memory.client(service)))
    )
  })

  it("C13 starts the cooldown after wrong credentials too", async () => {
    const service = new Memory.Service({ auth: () => Memory.answer(401, { message: "no" }) })
    await Memory.virtual(
      Effect.gen(function* () {
        for (let n = 0; n < 100; n++)
          expect(failure((yield* many(1))[0]!)._tag).toBe("Unauthorized")
        expect([service.auths.length, service.requests.length]).toEqual([1, 0])
        yield* TestClock.adjust("30 seconds")
        yield* many(1)
        expect(service.auths.length).toBe(2)
      }).pipe(Effect.provide(Memory.client(service)))
    )
  })

  it("C13 keeps its cooldown when the clock is set back", async () => {
    const service = new Memory.Service({ answer: () => Memory.answer(401, "") })
    await Memory.virtual(
      Effect.gen(function* () {
        yield* TestClock.setTime(7_200_000)
        yield* many(1)
        yield* TestClock.adjust("30 seconds")
        yield* TestClock.setTime(0)
        yield* many(1)
        expect(service.requests.length).toBe(4)
      }).pipe(Effect.provide(Memory.client(service)))
    )
  })
})

describe("a request for an access token", () => {
  it("fails a create with the error of /auth, because the create itself was not sent", async () => {
    for (const [auth, tag] of [
      [Memory.answer(500, ""), "ServiceFailed"],
      [Memory.answer(404, ""), "UnexpectedResponse"],
      [Memory.answer(400, ""), "UnexpectedResponse"],
      [Memory.answer(200, "{}"), "UnexpectedResponse"],
      [Effect.never, "Unreachable"]
    ] as const) {
      const service = new Memory.Service({ auth: () => auth })
      const error = failure(await Memory.virtual(create(service)))
      expect(error._tag).toBe(tag)
      if (error._tag === "Unreachable") expect(error.sent).toBe(false)
      expect(service.requests.length).toBe(0)
    }
  })

  it("C14 fails all waiting calls when it fails, and the next call makes a new one", async () => {
    const service: Memory.Service = new Memory.Service({
      auth: (n) => Effect.delay(n <= 4 ? Memory.answer(500, "") : service.issue(), "1 second")
    })
    await Memory.virtual(
      Effect.gen(function* () {
        const payments = yield* ApmPayments.ApmPayments
        const ask = Effect.result(payments.status("1"))
        const results = yield* Memory.settled(
          Effect.all(
            Array.from({ length: 1000 }, () => ask),
            { concurrency: "unbounded" }
          )
        )
        expect(new Set(results.map((result) => failure(result)._tag))).toEqual(
          new Set(["ServiceFailed"])
        )
        expect(service.auths.length).toBe(4)
        expect(Result.isSuccess(yield* Memory.settled(ask))).toBe(true)
        expect(service.auths.length).toBe(5)
      }).pipe(Effect.provide(Memory.client(service)))
    )
  })

  it("C14 continues for the other calls when the first of them is interrupted", () =>
    fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(9), { maxLength: 9 }), async (leaving) => {
        const service: Memory.Service = new Memory.Service({
          auth: () => Effect.delay(service.issue(), "5 seconds")
        })
        await Memory.virtual(
          Effect.gen(function* () {
            const payments = yield* ApmPayments.ApmPayments
            const fibers = yield* Effect.forEach(Array.from({ length: 10 }), () =>
              Effect.forkChild(payments.status("1"), { startImmediately: true })
            )
            yield* TestClock.adjust("1 second")
            yield* Effect.forEach(leaving, (index) => Fiber.interrupt(fibers[index]!))
            yield* TestClock.adjust("10 seconds")
            for (const [index, fiber] of fibers.entries()) {
              expect(fiber.pollUnsafe()?._tag).toBe(leaving.includes(index) ? "Failure" : "Success")
            }
            expect(service.auths.length).toBe(1)
          }).pipe(Effect.provide(Memory.client(service)))
        )
      })
    ))
})

describe("a request that the service refuses", () => {
  const refusal = async (body: unknown, metadata: Record<string, string> = {}) => {
    const service = new Memory.Service({ answer: () => Memory.answer(400, body) })
    const error = failure(await Memory.virtual(create(service, { ...Memory.payment, metadata })))
    if (error._tag !== "ValidationFailed") throw new Error(error._tag)
    return error
  }

  it("names the fields for every common shape of the body", async () => {
    const fields = [{ path: "amount", message: "too small" }]
    for (const body of [
      { message: "bad", errors: [{ field: "amount", message: "too small" }] },
      { errors: { amount: "too small" } },
      { errors: { amount: ["too small"] } },
      { errors: { amount: { message: "too small" } } },
      { violations: [{ name: "amount", reason: "too small" }] },
      { issues: [{ path: ["amount"], message: "too small" }] },
      {
        type: "about:blank",
        title: "Bad",
        "invalid-params": [{ name: "amount", reason: "too small" }]
      },
      { field: "amount", message: "too small" },
      { errors: [{ pointer: "amount", detail: "too small" }] },
      { error: { param: "amount", message: "too small", code: "parameter_invalid" } },
      // Google
      {
        error: {
          code: 400,
          message: "Request contains an invalid argument.",
          status: "INVALID_ARGUMENT",
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.BadRequest",
              fieldViolations: [{ field: "amount", description: "too small" }]
            }
          ]
        }
      },
      // Spring
      {
        timestamp: "2030-01-01T00:00:00Z",
        status: 400,
        error: "Bad Request",
        path: "/api/v1/payments/apm",
        errors: [{ objectName: "payment", field: "amount", defaultMessage: "too small" }]
      }
    ]) {
      expect((await refusal(body)).fields).toEqual(fields)
    }
    expect(
      (await refusal({ error: "Bad Request", message: "no", path: "/api/v1/payments/apm" })).fields
    ).toEqual([{ path: "", message: "no" }])
    expect((await refusal({ title: "Bad", detail: "no such method" })).fields).toEqual([
      { path: "", message: "no such method" }
    ])
  })

  it.each([
    [403, "UnexpectedResponse"],
    [409, "UnexpectedResponse"],
    [422, "UnexpectedResponse"],
    [500, "ServiceFailed"],
    [503, "ServiceFailed"]
  ])("C37 keeps the reasons and the body of a %i, redacted", async (code, tag) => {
    const body = { errors: [{ field: "amount", message: "100001 is closed" }] }
    const service = new Memory.Service({ answer: () => Memory.answer(code, body) })
    const error = failure(await Memory.virtual(status(service)))
    expect(error).toMatchObject({
      _tag: tag,
      fields: [{ path: "amount", message: "100001 is closed" }]
    })
    if (!("body" in error) || error.body === undefined) throw new Error("no body")
    expect(Redacted.value(error.body)).toBe(JSON.stringify(body))
    expect(JSON.stringify(error)).not.toContain("errors")
  })

  it("keeps field names and removes the values that were sent", async () => {
    const message = "EWALLET is not a paymentMethod, order-1 is refused\n\u001b[31m"
    const quoted = await refusal(
      { errors: { "apmPayload.paymentMethod": message } },
      { about: "paymentMethod" }
    )
    expect(quoted.fields).toEqual([
      { path: "apmPayload.paymentMethod", message: "… is not a paymentMethod, … is refused [31m" }
    ])
  })

  it("cuts long messages", async () => {
    const errors = Array.from({ length: 60 }, () => ({
      field: "a".repeat(300),
      message: "b".repeat(300)
    }))
    const { fields } = await refusal({ errors })
    expect([fields.length, fields[0]?.path.length, fields[0]?.message.length]).toEqual([
      50, 200, 200
    ])
  })

  it("has no fields when the body names none, and keeps every body redacted", () =>
    fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string(), fc.constant("<html>")), async (body) => {
        const error = await refusal(body)
        expect(error.sent).toBe(true)
        expect(Redacted.value(error.body!)).toBe(
          new TextDecoder().decode(new TextEncoder().encode(body))
        )
        expect(
          error.fields.every(({ message, path }) => message.length <= 200 && path.length <= 200)
        ).toBe(true)
      })
    ))
})
