import { Unreachable } from "@pawl/core/PaymentsError"
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Gateway } from "../src/Gateway.ts"
import { type Test, toEffect } from "@pawl/test-support/TestGateway"
import { repeats } from "@pawl/test-support/Repeats"
import * as Network from "./support/network.ts"

/** Milliseconds for this many calls on a busy machine. */
const timeout = 300_000

const payment = {
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" }
}

/** Seeds the lost responses; fast-check's seed reproduces them. */
const seed = fc.readConfigureGlobal()?.seed ?? 0

const isAuth = ({ url }: { readonly url: string }) => url.endsWith("/v1/auth")

const run = <A>(
  test: Test<A, ApmPayments | Gateway>,
  through: Parameters<typeof Network.client>[0]
): Promise<A> =>
  toEffect(test).pipe(
    Effect.provide(Network.client(through)),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Random.withSeed(seed),
    Effect.scoped,
    Effect.runPromise
  )

const during = <A, E, R>(time: Duration.Input, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    yield* TestClock.adjust(time)
    return yield* Fiber.join(fiber)
  })

describe("payments over a network that loses 3 answers of 10", () => {
  const count = repeats(10_000, 10)

  it("C03 take effect once each, with their true outcome reported", { timeout }, async () => {
    let exchanges = 0
    let lost = 0
    let unknown = 0
    const reset = new Unreachable({ reason: "the connection was reset", sent: true, attempts: 1 })

    /** The connection breaks after the service handled the request, or no response arrives. */
    const lossy = (_: unknown, exchange: Network.Exchange): Network.Exchange =>
      Effect.gen(function* () {
        const response = yield* exchange
        exchanges++
        if ((yield* Random.next) >= 0.3) return response
        return yield* lost++ % 2 === 0 ? Effect.fail(reset) : Effect.never
      })

    await run(function* () {
      const payments = yield* ApmPayments
      const gateway = yield* Gateway
      const pay = (n: number) =>
        payments
          .create({
            ...payment,
            requestId: `order-${n}`,
            metadata: { "sandbox.scenario": n % 10 === 0 ? "decline:51" : "succeed" }
          })
          .pipe(
            Effect.tapErrorTag("OutcomeUnknown", ({ requestId }) =>
              Effect.sync(() => {
                assert.strictEqual(requestId, `order-${n}`)
                unknown++
              })
            ),
            // The requestId and the fields are the same.
            Effect.retry({ while: ({ isRetryable }) => isRetryable }),
            Effect.result
          )
      const numbers = Array.from({ length: count }, (_, n) => n)
      const outcomes = yield* during("1 day", Effect.forEach(numbers, pay, { concurrency: 500 }))

      const actual = new Map((yield* gateway.transactions).map((each) => [each.requestId, each]))
      assert.lengthOf(yield* gateway.transactions, count)
      assert.strictEqual(actual.size, count)
      for (const [n, outcome] of outcomes.entries()) {
        const { status, transactionId } = actual.get(`order-${n}`) ?? assert.fail("no effect")
        if (n % 10 === 0) {
          assert.deepInclude(Result.isFailure(outcome) ? outcome.failure : outcome, {
            _tag: "Declined",
            transactionId,
            declineCode: 51
          })
          assert.strictEqual(status, "FAILED")
        } else {
          assert.strictEqual(Result.getOrThrow(outcome).transactionId, transactionId)
          assert.strictEqual(status, "SUCCEED")
        }
      }
    }, lossy)

    // The network really lost that many responses.
    assert.closeTo(lost / exchanges, 0.3, 3 / Math.sqrt(count))
    assert.isAbove(unknown, count / 500)
  })
})

describe("1,000 concurrent calls with a refused token", () => {
  it(
    "C12 cost one request to /auth in each round, and no call fails with 401",
    { timeout },
    async () => {
      const rounds = repeats(100, 20)
      const pending = Effect.succeed({ status: 200, headers: {}, body: Buffer.from('"PENDING"') })
      const refused = new Set<string | undefined>()
      let current: string | undefined
      let auths = 0
      let sends = 0
      let refusals = 0

      const refusing: Parameters<typeof Network.client>[0] = (request, exchange) =>
        Effect.suspend(() => {
          if (isAuth(request)) {
            auths++
            return Effect.delay(exchange, "300 millis")
          }
          sends++
          current = request.headers["authorization"]
          if (!refused.has(current)) return request.method === "GET" ? pending : exchange
          refusals++
          // Some responses arrive long after the token was renewed.
          return Effect.delay(
            Effect.succeed({ status: 401, headers: {}, body: new Uint8Array() }),
            50 + (sends % 20) * 50
          )
        })

      await run(function* () {
        const payments = yield* ApmPayments
        const { transactionId } = yield* during("1 second", payments.create(payment))
        for (let round = 1; round <= rounds; round++) {
          refused.add(current)
          sends = 0
          const results = yield* during(
            "1 minute",
            Effect.forEach(
              Array.from({ length: 1000 }),
              () => Effect.result(payments.status(transactionId)),
              { concurrency: "unbounded" }
            )
          )
          assert.isTrue(results.every(Result.isSuccess))
          assert.strictEqual(auths, 1 + round)
          assert.strictEqual(sends, 2000)
        }
        assert.strictEqual(refusals, rounds * 1000)
      }, refusing)
    }
  )
})

describe("330 days of calls", () => {
  it("C15 make only the first caller wait for a token", async () => {
    let auths = 0
    const slow: Parameters<typeof Network.client>[0] = (request, exchange) => {
      if (!isAuth(request)) return exchange
      auths++
      return Effect.delay(exchange, "5 seconds")
    }
    await run(function* () {
      const payments = yield* ApmPayments
      const waited = Effect.gen(function* () {
        const before = yield* Clock.currentTimeMillis
        yield* payments.status("1").pipe(Effect.catchTag("NotFound", () => Effect.void))
        return (yield* Clock.currentTimeMillis) - before
      })
      assert.strictEqual(yield* during("5 seconds", waited), 5000)
      const hours = Array.from({ length: 330 * 24 })
      const calls = Effect.forEach(hours, () => Effect.delay(waited, "1 hour"))
      assert.deepStrictEqual(new Set(yield* during("330 days", calls)), new Set([0]))
      assert.strictEqual(auths, 12)
    }, slow)
  })
})
