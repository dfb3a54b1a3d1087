import { forAll } from "@pawl/test-support/Properties"
import { Unreachable } from "@pawl/core/PaymentsError"
import type { Switches } from "@pawl/core/Profile"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as AccessToken from "../src/internal/token/AccessToken.ts"
import * as PawlConfig from "../src/PawlConfig.ts"
import * as Memory from "./support/memory.ts"

const tokens = (
  service: Memory.Service,
  profile: Partial<Switches> = {},
  { layer = AccessToken.layer, retryRatio = 0.1 } = {}
) =>
  layer.pipe(
    Layer.provide(
      Layer.mergeAll(service.layer, PawlConfig.layer({ ...Memory.options, retryRatio }))
    ),
    Layer.provide(Memory.profile(profile))
  )

const get = AccessToken.AccessToken.use((token) => token.get)

type Test = () => Generator<Effect.Effect<unknown, unknown, AccessToken.AccessToken>, void, never>

const withTokens = (
  service: Memory.Service,
  test: Test,
  ...options: [Partial<Switches>?, Parameters<typeof tokens>[2]?]
) => Memory.virtual(Effect.provide(Effect.gen(test), tokens(service, ...options)))

const hourly = <A, E, R>(hours: number, effect: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: hours }), () =>
    Effect.andThen(TestClock.adjust("1 hour"), effect)
  )

const day = 24

/** Lets a renewal that a call has started come to its end. */
const renewed = TestClock.adjust("1 millis")

it("C15 many fibers without a token cause one request, however the scheduler interleaves them", async () => {
  for (let operations = 4; operations < 16; operations++) {
    // Each fiber begins a few operations later, so that some begin while the request ends.
    for (let first = 0; first < 40; first += 8) {
      const service = new Memory.Service()
      const delays = [0, ...Array.from({ length: 8 }, (_, index) => first + index)]
      await Memory.virtual(
        Effect.forEach(
          delays,
          (delay) => Effect.andThen(Effect.replicateEffect(Effect.void, delay), get),
          { concurrency: "unbounded" }
        ).pipe(
          Effect.provideService(References.MaxOpsBeforeYield, operations),
          Effect.provide(tokens(service))
        )
      )
      expect(service.auths.length).toBe(1)
    }
  }
})

describe("the cached token", () => {
  it("C15 is renewed in the background by the first call of day 29, twelve times in 330 days", async () => {
    const service = new Memory.Service()
    await withTokens(service, function* () {
      const first = yield* get
      const before = yield* hourly(29 * day - 1, get)
      expect(new Set(before)).toEqual(new Set([first]))
      expect(service.auths.length).toBe(1)
      yield* TestClock.adjust("1 hour")
      expect(service.auths.length).toBe(1)
      expect(yield* get).toBe(first)
      yield* renewed
      expect(service.auths.length).toBe(2)
      expect(yield* get).not.toBe(first)
      yield* hourly(301 * day, get)
      expect(service.auths.length).toBe(12)
    })
  })

  it("C15 stays in use with one warning for each failed renewal, which names the failure and no token, until one succeeds", async () => {
    let down = false
    const service: Memory.Service = new Memory.Service({
      auth: () => (down ? Memory.answer(503, "body-canary") : service.issue())
    })
    const logged: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      logged.push(`${logLevel} ${String(message)}`)
    })
    await Memory.virtual(
      Effect.gen(function* () {
        const first = yield* get
        down = true
        yield* TestClock.adjust("28 days")
        // The renewals begin on day 29, and the waits between them are at most an hour.
        expect(new Set(yield* hourly(30, get))).toEqual(new Set([first]))
        expect(logged.length).toBeGreaterThan(3)
        const warning =
          /^Warn The access token could not be renewed\. The old one stays in use\. \S.*503/u
        expect(logged.filter((line) => !warning.test(line))).toEqual([])
        expect(logged.join()).not.toContain(Redacted.value(first.text))
        expect(logged.join()).not.toContain("canary")
        const failures = logged.length
        down = false
        yield* hourly(2, get)
        yield* renewed
        // Renewed before the old token expires and before any call needs it.
        const requests = service.auths.length
        expect(yield* get).not.toBe(first)
        expect([service.auths.length, logged.length]).toEqual([requests, failures])
      }).pipe(
        Effect.provide(Layer.provideMerge(tokens(service), Logger.layer([logger]))),
        Effect.provideService(References.MinimumLogLevel, "Warn")
      )
    )
  })

  it("C15 expires when every renewal fails, and the next call requests a new one", async () => {
    let down = false
    const service: Memory.Service = new Memory.Service({
      auth: () => (down ? Memory.answer(503, "") : service.issue())
    })
    await withTokens(service, function* () {
      yield* get
      down = true
      yield* TestClock.adjust("30 days")
      expect((yield* Memory.settled(Effect.flip(get)))._tag).toBe("ServiceFailed")
      down = false
      expect(Result.isSuccess(yield* Memory.settled(Effect.result(get)))).toBe(true)
    })
  })

  it("is renewed Profile.refreshBefore its end", async () => {
    const service = new Memory.Service()
    await withTokens(
      service,
      function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        yield* get
        yield* TestClock.adjust(Duration.subtract(Duration.days(20), Duration.seconds(1)))
        yield* Effect.andThen(get, renewed)
        expect(service.auths.length).toBe(1)
        yield* TestClock.adjust("1 second")
        yield* Effect.andThen(get, renewed)
        expect(service.auths.length).toBe(2)
      },
      { refreshBefore: Duration.days(10) }
    )
  })

  it("is not renewed after its scope has ended", async () => {
    const service = new Memory.Service()
    await Memory.virtual(
      Effect.gen(function* () {
        const token = yield* Effect.provide(AccessToken.AccessToken, tokens(service))
        yield* token.get
        yield* TestClock.adjust("29 days")
        yield* Effect.andThen(token.get, renewed)
        expect(service.auths.length).toBe(1)
      })
    )
  })

  it("is not renewed if its request ends after its scope has", async () => {
    const service: Memory.Service = new Memory.Service({
      auth: () => Effect.delay(service.issue(), "1 second")
    })
    await Memory.virtual(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(tokens(service), scope)
        const asked = yield* Memory.fork(Effect.provideContext(get, context))
        yield* Scope.close(scope, Exit.void)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(asked)
        yield* TestClock.adjust("29 days")
        yield* Effect.andThen(Effect.provideContext(get, context), renewed)
        expect(service.auths.length).toBe(1)
      })
    )
  })

  it("comes from a request that goes on when its calls have ended, and ends with the scope", () => {
    let ended = 0
    const service: Memory.Service = new Memory.Service({
      auth: () =>
        Effect.delay(service.issue(), "5 seconds").pipe(
          Effect.onInterrupt(() => Effect.sync(() => ended++))
        )
    })
    return Memory.virtual(
      Effect.gen(function* () {
        for (const isClosed of [false, true]) {
          const scope = yield* Scope.make()
          const context = yield* Layer.buildWithScope(tokens(service), scope)
          const call = Effect.provideContext(Effect.timeoutOption(get, "1 second"), context)
          const short = yield* Effect.forkChild(call, { startImmediately: true })
          yield* TestClock.adjust("1 second")
          expect((yield* Fiber.join(short))._tag).toBe("None")
          if (isClosed) yield* Scope.close(scope, Exit.void)
          yield* TestClock.adjust("4 seconds")
          if (!isClosed) expect((yield* call)._tag).toBe("Some")
          expect([service.auths.length, ended]).toEqual(isClosed ? [2, 1] : [1, 0])
        }
      })
    )
  })

  it("C15 is asked for again 1, 2, 4, … and then every 60 minutes after a renewal failed", async () => {
    const times: Array<number> = []
    const service: Memory.Service = new Memory.Service({
      // A 400 is not tried again within the renewal.
      auth: (n) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          times.push(Math.floor(now / 60_000))
          return n === 1 ? service.issue() : Memory.answer(400, "")
        })
    })
    await withTokens(service, function* () {
      yield* get
      yield* TestClock.adjust("29 days")
      yield* Effect.replicateEffect(Effect.andThen(get, TestClock.adjust("1 minute")), 600)
      const waits = times.slice(2).map((time, at) => time - (times[at + 1] ?? 0))
      expect(waits).toEqual([1, 2, 4, 8, 16, 32, ...Array.from({ length: 8 }, () => 60)])
    })
  })

  it("has one renewal, also after another token was dropped", async () => {
    const service = new Memory.Service()
    await withTokens(service, function* () {
      const token = yield* AccessToken.AccessToken
      yield* token.drop(yield* token.get)
      yield* token.get
      yield* TestClock.adjust("29 days")
      yield* Effect.all([token.get, token.get, renewed, token.get, renewed])
      expect(service.auths.length).toBe(3)
    })
  })

  it("C38 has retries as long as each call leaves the share of one", async () => {
    const service: Memory.Service = new Memory.Service({
      auth: (n) => (n % 2 === 1 ? Memory.answer(503, "") : service.issue())
    })
    await withTokens(
      service,
      function* () {
        const token = yield* AccessToken.AccessToken
        for (let call = 0; call < 30; call++) {
          yield* token.drop(yield* Memory.settled(token.get))
        }
        expect(service.auths.length).toBe(60)
      },
      {},
      { retryRatio: 1 }
    )
  })

  it("C32 is asked for by each call, and not renewed, in a layer for single requests", async () => {
    const service: Memory.Service = new Memory.Service({
      auth: () => Effect.delay(service.issue(), "1 second")
    })
    await Memory.virtual(
      Effect.gen(function* () {
        const both = yield* Memory.fork(Effect.all([get, get], { concurrency: 2 }))
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(both)
        expect(service.auths.length).toBe(2)
        yield* get
        yield* TestClock.adjust("29 days")
        yield* Effect.andThen(get, renewed)
        expect(service.auths.length).toBe(2)
      }).pipe(Effect.provide(tokens(service, {}, { layer: AccessToken.layerPerRequest })))
    )
  })

  it("is dropped only by a refusal of this very token", async () => {
    const service = new Memory.Service()
    await withTokens(service, function* () {
      const token = yield* AccessToken.AccessToken
      const first = yield* token.get
      yield* token.drop(first)
      const second = yield* token.get
      yield* token.drop(first)
      expect(yield* token.get).toBe(second)
      expect(service.auths.length).toBe(2)
    })
  })
})

describe("the exp claim", () => {
  const now = 1_700_000_000
  const implausible = fc.oneof(
    fc.constantFrom(
      "{}",
      '{"exp":null}',
      '{"exp":"1700090000"}',
      '{"exp":1e400}',
      '{"exp":-1e400}',
      '{"exp":[]}',
      '{"exp":true}',
      "not json",
      "",
      '{"exp":32503680000}'
    ),
    fc.double({ min: -1e12, max: now + 599, noNaN: true }).map((exp) => JSON.stringify({ exp })),
    fc.double({ min: now + 30 * 86_400 + 1, noNaN: true }).map((exp) => JSON.stringify({ exp }))
  )

  it("C16 B05 counts as 30 days when it is implausible, so no claim causes a storm of requests", () =>
    forAll(
      [
        fc.oneof(implausible.map(Memory.jwt), fc.constantFrom("a", "a.b.c", "..", "a.%%.c", "a..c"))
      ],
      { numRuns: 50 },
      async (token) => {
        const service = new Memory.Service({
          auth: () => Memory.answer(200, { accessToken: token })
        })
        await withTokens(service, function* () {
          yield* TestClock.setTime(now * 1000)
          const { expiresAt } = yield* get
          expect(expiresAt).toBe((now + 30 * 86_400) * 1000)
          yield* hourly(28 * day, get)
          expect(service.auths.length).toBe(1)
        })
      }
    ))

  it("C16 C17 is used from 10 minutes to 30 days, with at most one request in 5 minutes", () =>
    forAll([fc.double({ min: 600, max: 30 * 86_400, noNaN: true })], async (life) => {
      const service = new Memory.Service({
        auth: (n) => Memory.answer(200, { accessToken: Memory.jwt({ exp: now + life, n }) })
      })
      await withTokens(service, function* () {
        yield* TestClock.setTime(now * 1000)
        const { expiresAt } = yield* get
        expect(expiresAt / 1000).toBeCloseTo(now + life, 0)
        for (let n = 0; n < 5; n++) {
          yield* TestClock.adjust("59 seconds")
          yield* get
        }
        expect(service.auths.length).toBe(1)
      })
    }))

  it("C17 causes one request when the clock jumps forwards or back", () =>
    forAll(
      [fc.constantFrom(3_600_000, -3_600_000, 315_576_000_000, -600_000, 600_000)],
      async (jump) => {
        let offset = 0
        const service: Memory.Service = new Memory.Service({
          // The clock of the service does not jump.
          auth: (n) =>
            Memory.answer(200, { accessToken: Memory.jwt({ exp: now + 30 * 86_400, n }) })
        })
        const program = Effect.gen(function* () {
          yield* get
          yield* TestClock.adjust("1 day")
          offset = jump
          yield* hourly(100, get)
          expect(service.auths.length).toBeLessThanOrEqual(2)
        }).pipe(Effect.provide(tokens(service)))
        await Memory.virtual(
          Effect.gen(function* () {
            yield* TestClock.setTime(now * 1000)
            const clock = yield* Clock.Clock
            const wall = () => clock.currentTimeMillisUnsafe() + offset
            const skewed = Object.assign({}, clock, {
              currentTimeMillisUnsafe: wall,
              currentTimeMillis: Effect.sync(wall)
            })
            yield* Effect.provideService(program, Clock.Clock, skewed)
          })
        )
      }
    ))
})

it("C17 a call asks again after a failed request or a dropped token, though the clock was set back", async () => {
  const service: Memory.Service = new Memory.Service({
    auth: (n) => (n === 1 ? Memory.answer(401, "") : service.issue())
  })
  await withTokens(service, function* () {
    yield* TestClock.setTime(7_200_000)
    yield* Effect.flip(get)
    yield* TestClock.setTime(3_600_000)
    const first = yield* get
    yield* AccessToken.AccessToken.use((token) => token.drop(first))
    yield* TestClock.setTime(0)
    expect(yield* get).not.toBe(first)
  })
})

describe("a refusal by /auth", () => {
  const failure = (auth: Memory.Answer) =>
    Memory.virtual(
      Effect.flip(get).pipe(
        Memory.settled,
        Effect.provide(tokens(new Memory.Service({ auth: () => auth })))
      )
    )

  it("C31 says that the request which needs the token was not sent", async () => {
    const reset = new Unreachable({ reason: "reset", sent: true, attempts: 1 })
    expect(await failure(Effect.fail(reset))).toMatchObject({
      _tag: "Unreachable",
      reason: "payments.example: reset",
      sent: false,
      attempts: 4
    })
  })

  it.each([
    [200, "UnexpectedResponse", "check the base URL, or set Profile.tokenField"],
    [302, "UnexpectedResponse", "The operation was not sent"],
    [400, "Unauthorized", "The service refused the credentials"],
    [401, "Unauthorized", ""],
    [404, "UnexpectedResponse", "the base URL has no /v1/auth"],
    [409, "UnexpectedResponse", "The operation was not sent"],
    [429, "RateLimited", "The operation was not sent"],
    [503, "ServiceFailed", "The operation was not sent"]
  ])("with %i is no error of the call that needs a token", async (status, tag, message) => {
    const error = await failure(Memory.answer(status, "why"))
    expect(error).toMatchObject({ _tag: tag, status, sent: false })
    expect(error.message).toContain(message)
    // The body of a success may have a token.
    expect("body" in error).toBe(status !== 200)
  })
})
