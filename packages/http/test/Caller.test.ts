import { forAll } from "@pawl/test-support/Properties"
import * as Grammar from "@pawl/core/internal/Grammar"
import { repeats } from "@pawl/test-support/Repeats"
import { character } from "@pawl/test-support/Text"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scheduler from "effect/Scheduler"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ApmPayouts } from "../src/ApmPayouts.ts"
import * as Memory from "./support/memory.ts"

const { failure } = Memory

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
  fc.string({ unit: character, minLength: 1 }).filter(isOpaque),
  fc.constantFrom("r:1.2/3", "%2e%2e", "a?b#c", "007", "1e3", "-0", "12345678901234567890", "NaN")
)

const faults = fc.array(fc.option(fc.constantFrom(...Memory.faults), { nil: undefined }), {
  maxLength: 12
})

describe("a create under faults", () => {
  it("C01 C02 C03 C06 takes effect at most once, and fails with OutcomeUnknown when it may have taken effect", () =>
    forAll([faults], { numRuns: repeats(250) }, async (faults) => {
      const service = new Memory.Service({ faults })
      const result = await Memory.run(service, Memory.pay())
      expect(service.ledger.size).toBeLessThanOrEqual(1)
      expect(service.requests.length).toBeLessThanOrEqual(8)
      expect(new Set(service.requests.map(({ body }) => body)).size).toBe(1)
      const entry = service.ledger.get(Memory.payment.requestId)
      if (Result.isSuccess(result)) {
        expect(result.success).toEqual(JSON.parse(new TextDecoder().decode(entry?.response.body)))
      } else if (result.failure._tag === "OutcomeUnknown") {
        expect(result.failure.requestId).toBe(Memory.payment.requestId)
      } else {
        expect(entry).toBeUndefined()
      }
    }))
})

describe("a requestId", () => {
  it("C23 has one body at a time: a different request is refused before sending, the same request is sent", () =>
    forAll(
      [
        fc.array(
          fc.record({
            at: fc.nat(30).map((n) => n * 10),
            // No create ends at the time another begins.
            lasts: fc.constantFrom(15, 35, 105),
            requestId: fc.constantFrom("order-1", "order-2"),
            amount: fc.constantFrom("1.00", "2.00")
          }),
          { maxLength: 12 }
        )
      ],
      { numRuns: repeats(150) },
      async (drawn) => {
        const calls = drawn.toSorted((a, b) => a.at - b.at)
        const service = new Memory.Service({
          answer: ({ body }) =>
            Effect.delay(
              Memory.answer(200, { transactionId: "7", transactionStatus: "NEW" }),
              Number(JSON.parse(body ?? "{}").metadata.lasts)
            )
        })
        const results = await Memory.against(service, function* () {
          yield* Memory.settled(Memory.pay({ requestId: "warm", metadata: { lasts: "0" } }))
          const fibers = yield* Effect.forEach(calls, ({ amount, at, lasts, requestId }) =>
            Memory.pay({ amount, requestId, metadata: { lasts: String(lasts) } }).pipe(
              Effect.result,
              Effect.delay(at),
              Memory.fork
            )
          )
          yield* TestClock.adjust("1 hour")
          return yield* Effect.forEach(fibers, Fiber.join)
        })
        const sent: Array<(typeof calls)[number]> = []
        for (const [index, call] of calls.entries()) {
          const isRefused = sent.some(
            ({ amount, at, lasts, requestId }) =>
              requestId === call.requestId &&
              call.at < at + lasts &&
              (amount !== call.amount || lasts !== call.lasts)
          )
          if (isRefused) {
            expect(results[index]).toMatchObject({ failure: Memory.refusalOf("requestId") })
          } else {
            expect(results[index]).toHaveProperty("success")
            sent.push(call)
          }
        }
        expect(service.requests.length).toBe(1 + sent.length)
      }
    ))

  it("C23 can be used again after a failure and after an interruption", () =>
    Memory.against(Memory.answering(Effect.never), function* () {
      const leaving = yield* Memory.fork(Memory.pay())
      yield* TestClock.adjust("1 second")
      const refused = yield* Effect.flip(Memory.pay({ amount: "11.00" }))
      expect(refused._tag).toBe("ValidationFailed")
      yield* Fiber.interrupt(leaving)
      for (const amount of ["11.00", "12.00"]) {
        const error = yield* Memory.settled(Effect.flip(Memory.pay({ amount })))
        expect(error._tag).toBe("OutcomeUnknown")
      }
    }))

  it.each([2, 3, 5])(
    "C23 can be used with another body after an interruption at any yield, every %i operations",
    async (operations) => {
      for (let yields = 0; yields < 50; yields++) {
        const error = await Memory.against(Memory.answering(Effect.never), function* () {
          const leaving = yield* Effect.forkChild(
            Effect.provideService(Memory.pay(), Scheduler.MaxOpsBeforeYield, operations)
          )
          for (let each = 0; each < yields; each++) yield* Effect.yieldNow
          yield* Fiber.interrupt(leaving)
          // The request for a token goes on, with as many yields.
          yield* Effect.replicateEffect(Effect.yieldNow, 100)
          return yield* Memory.settled(Effect.flip(Memory.pay({ amount: "11.00" })))
        })
        expect([yields, error._tag]).toEqual([yields, "OutcomeUnknown"])
      }
    }
  )
})

describe("a read", () => {
  it("C06 C07 fails with a typed error, never with a defect, for every response", () =>
    forAll(
      [
        fc.oneof(
          fc.integer({ min: 200, max: 599 }),
          fc.constantFrom(...Object.keys(tags).map(Number))
        ),
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.constantFrom("", "null", "{}", "<html>", '"a', '\ufeff"NEW"')
        )
      ],
      { numRuns: repeats(150) },
      async (code, body) => {
        const service = Memory.answering(Memory.answer(code, body))
        const result = await Memory.run(service, Memory.readStatus())
        if (Result.isSuccess(result))
          expect(code < 300 && typeof result.success === "string").toBe(true)
        else
          expect(result.failure._tag).toBe(
            tags[code] ?? (code >= 500 ? "ServiceFailed" : "UnexpectedResponse")
          )
      }
    ))

  it("B01 sends nothing for an id that could change the path", () =>
    forAll(
      [
        fc
          .oneof(
            fc.string(),
            fc.string({ unit: character }),
            fc.constantFrom("", ".", "..", "a".repeat(129), "1\n")
          )
          .filter((id) => !isOpaque(id))
      ],
      async (id) => {
        const service = new Memory.Service()
        expect(await Memory.failureOf(service, Memory.readStatus(id))).toMatchObject(
          Memory.refusalOf("id")
        )
        expect(service.requests.length + service.auths.length).toBe(0)
      }
    ))

  it("B01 puts any other id into the path percent-encoded", () =>
    forAll([identifier], async (id) => {
      const service = new Memory.Service()
      expect(Result.isSuccess(await Memory.run(service, Memory.readStatus(id)))).toBe(true)
      expect(new URL(service.requests[0]?.url ?? "").pathname).toBe(
        `/api/v1/payments/apm/status/${encodeURIComponent(id)}`
      )
    }))
})

describe("C04 the time limits of a call", () => {
  it("end it by the deadline when any part hangs", () =>
    forAll([faults, fc.boolean()], (faults, authHangs) =>
      Memory.against(
        new Memory.Service(authHangs ? { auth: () => Effect.never } : { faults }),
        function* () {
          const fiber = yield* Effect.forkChild(Effect.exit(Memory.pay()))
          // A wait with jitter may end between two milliseconds.
          yield* TestClock.adjust("30001 millis")
          expect(fiber.pollUnsafe()).toBeDefined()
        }
      )
    ))

  it("interrupt its request, and so does an interruption of the call", () => {
    let open = 0
    const hanging = Effect.callback<never>(() => {
      open++
      return Effect.sync(() => open--)
    })
    return Memory.against(Memory.answering(hanging), function* () {
      const call = yield* Memory.fork(Memory.pay())
      for (const [wait, expected] of [
        [9999, 1],
        [1, 0],
        [1000, 1]
      ] as const) {
        yield* TestClock.adjust(wait)
        expect(open).toBe(expected)
      }
      yield* Fiber.interrupt(call)
      expect(open).toBe(0)
    })
  })

  it("leave no timer running after a response", () => {
    const asleep = new Set<symbol>()
    const payment = Memory.answer(200, { transactionId: "1", transactionStatus: "NEW" })
    const service = Memory.answering(Effect.delay(payment, "1 second"))
    const calls = Effect.gen(function* () {
      const call = yield* Memory.fork(Memory.pay())
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
})

const many = (count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => String(index)),
    (id) => Effect.result(Memory.readStatus(id)),
    { concurrency: "unbounded" }
  )

describe("a refused token", () => {
  const numbers = ({ auths, requests }: Memory.Service) => [auths.length, requests.length]

  it("C12 is dropped only once, however late the other refusals come", () =>
    forAll(
      [fc.array(fc.nat(5000), { minLength: 1, maxLength: 50 })],
      { examples: [[Array.from({ length: 1000 }, (_, n) => (n * 37) % 5000)]] },
      async (delays) => {
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
        await Memory.against(service, function* () {
          yield* Memory.settled(many(1))
          service.valid.clear()
          const results = yield* Memory.settled(many(delays.length))
          expect(results.every(Result.isSuccess)).toBe(true)
        })
        expect(service.auths.length).toBe(2)
      }
    ))

  it("C13 causes one retry, then Unauthorized without a request to /auth for the cooldown time", async () => {
    const service = Memory.answering(Memory.answer(401, ""))
    await Memory.against(service, function* () {
      const first = yield* many(1)
      expect(first.map(failure)).toMatchObject([{ _tag: "Unauthorized", sent: true }])
      expect(numbers(service)).toEqual([2, 2])
      yield* TestClock.adjust("29 seconds")
      const second = yield* many(1000)
      expect(new Set(second.map((result) => failure(result)._tag))).toEqual(
        new Set(["Unauthorized"])
      )
      // None causes a request for a token.
      expect(numbers(service)).toEqual([2, 1002])
      yield* TestClock.adjust("1 second")
      yield* many(1)
      expect(numbers(service)).toEqual([3, 1004])
    })
  })

  it("C28 that only one operation gets fails no other, and causes one request to /auth in the cooldown time", () => {
    const service = new Memory.Service({
      answer: ({ url }) =>
        url.includes("/payouts/") ? Memory.answer(401, "") : Memory.status("NEW")
    })
    const payout = ApmPayouts.use((payouts) => Effect.flip(payouts.status("1")))
    return Memory.against(service, function* () {
      yield* many(1)
      for (let n = 0; n < 50; n++) {
        expect(yield* payout).toMatchObject({ _tag: "Unauthorized", sent: true })
        expect((yield* many(10)).every(Result.isSuccess)).toBe(true)
        yield* TestClock.adjust("500 millis")
      }
      expect(service.auths.length).toBe(2)
      yield* TestClock.adjust("5 seconds")
      yield* payout
      expect(service.auths.length).toBe(3)
    })
  })

  it.each([400, 401])(
    "C13 C28 by /auth itself (%i) starts the cooldown too, and nothing was sent",
    (status) => {
      const service = new Memory.Service({ auth: () => Memory.answer(status, { message: "no" }) })
      return Memory.against(service, function* () {
        for (let n = 0; n < 100; n++)
          expect((yield* many(1)).map(failure)).toMatchObject([
            { _tag: "Unauthorized", sent: false }
          ])
        expect(numbers(service)).toEqual([1, 0])
        yield* TestClock.adjust("30 seconds")
        yield* many(1)
        expect(service.auths.length).toBe(2)
      })
    }
  )

  it("C13 keeps its cooldown when the clock is set back", () => {
    const service = Memory.answering(Memory.answer(401, ""))
    return Memory.against(service, function* () {
      yield* TestClock.setTime(7_200_000)
      yield* many(1)
      yield* TestClock.adjust("30 seconds")
      yield* TestClock.setTime(0)
      yield* many(1)
      expect(service.requests.length).toBe(4)
    })
  })
})

describe("a request for an access token", () => {
  it("that hangs fails a create, which was not sent", async () => {
    const service = new Memory.Service({ auth: () => Effect.never })
    expect(await Memory.failureOf(service, Memory.pay())).toMatchObject({
      _tag: "Unreachable",
      sent: false
    })
    expect(service.requests.length).toBe(0)
  })

  it("C14 fails all waiting calls when it fails, and the next call makes a new one", () => {
    const service: Memory.Service = new Memory.Service({
      auth: (n) => Effect.delay(n <= 4 ? Memory.answer(500, "") : service.issue(), "1 second")
    })
    return Memory.against(service, function* () {
      const results = yield* Memory.settled(many(1000))
      expect(new Set(results.map((result) => failure(result)._tag))).toEqual(
        new Set(["ServiceFailed"])
      )
      expect(service.auths.length).toBe(4)
      expect((yield* Memory.settled(many(1))).every(Result.isSuccess)).toBe(true)
      expect(service.auths.length).toBe(5)
    })
  })

  it("C14 continues for the other calls when the first of them is interrupted", () =>
    forAll([fc.uniqueArray(fc.nat(9), { maxLength: 9 })], (leaving) => {
      const service: Memory.Service = new Memory.Service({
        auth: () => Effect.delay(service.issue(), "5 seconds")
      })
      return Memory.against(service, function* () {
        const fibers = yield* Effect.replicateEffect(Memory.fork(Memory.readStatus()), 10)
        yield* TestClock.adjust("1 second")
        yield* Effect.forEach(leaving, (index) => Fiber.interrupt(fibers[index]!))
        yield* TestClock.adjust("10 seconds")
        for (const [index, fiber] of fibers.entries()) {
          expect(fiber.pollUnsafe()?._tag).toBe(leaving.includes(index) ? "Failure" : "Success")
        }
        expect(service.auths.length).toBe(1)
      })
    }))
})
