import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import { authenticate, payment, Receiver, send, testGateway } from "@pawl/test-support/TestGateway"
import * as VirtualClock from "../src/VirtualClock.ts"

describe("the wall clock", () => {
  /** Provides the clock of a test, and a function that sets its wall clock back. */
  const onWallClock = <A, E>(
    test: (wall: {
      readonly setBack: (by: number) => void
      readonly pass: TestClock.TestClock["adjust"]
    }) => Effect.Effect<A, E, Scope.Scope>
  ): Promise<A> =>
    Effect.gen(function* () {
      const clock = yield* TestClock.make()
      let behind = 0
      const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() - behind
      return yield* Effect.provideService(
        test({ setBack: (by) => void (behind = by), pass: clock.adjust }),
        Clock.Clock,
        {
          ...clock,
          currentTimeMillisUnsafe,
          currentTimeMillis: Effect.sync(currentTimeMillisUnsafe)
        }
      )
    }).pipe(Effect.scoped, Effect.runPromise)

  const wokenAfter = (
    meanwhile: (
      setBack: (by: number) => void
    ) => Effect.Effect<void, never, VirtualClock.VirtualClock>
  ) =>
    onWallClock(({ pass, setBack }) =>
      Effect.gen(function* () {
        const sleeper = yield* Effect.forkChild(Effect.sleep("10 minutes"), {
          startImmediately: true
        })
        yield* Effect.yieldNow
        yield* meanwhile(setBack)
        let minute = 0
        for (; sleeper.pollUnsafe() === undefined && minute < 20; minute++) {
          yield* pass("1 minute")
        }
        return minute
      }).pipe(Effect.provide(VirtualClock.layer()))
    )

  it("lets a sleeper wake earlier by an advance that did not reach it", async () => {
    assert.strictEqual(
      await wokenAfter(() =>
        VirtualClock.VirtualClock.use(({ advance }) => advance(Duration.minutes(7)))
      ),
      3
    )
  })

  it("holds up no sleeper when it is set back", async () => {
    assert.strictEqual(await wokenAfter((setBack) => Effect.sync(() => setBack(3_600_000))), 10)
  })

  it("holds up no transaction when it is set back, and no callback that is sent while others are posted", () =>
    onWallClock(({ pass, setBack }) =>
      Effect.gen(function* () {
        const scenario =
          "steps:NEW,PENDING,PENDING,PENDING,PENDING,PENDING,PROCESSING,SUCCEED+shuffle"
        const token = yield* authenticate
        yield* send("POST", "/payments/apm", { token, body: payment({ scenario }) })
        yield* pass("1100 millis")
        setBack(3_600_000)
        yield* pass("1 minute")
        const { received } = yield* Receiver
        assert.sameMembers(
          received.map(({ body }) => body["transactionStatus"]),
          ["NEW", "PENDING", "PROCESSING", "SUCCEED"]
        )
      }).pipe(Effect.provide(testGateway({}, (n) => (n === 0 ? "never" : 200), Layer.empty)))
    ))
})

it("identifiers are whole numbers on a clock that is ahead by a part of a millisecond", () =>
  Effect.gen(function* () {
    const token = yield* authenticate
    const { body } = yield* send("POST", "/payments/apm", { token, body: payment() })
    assert.match(body, /"transactionId":"[0-9]+"/u)
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        testGateway({}, undefined, Layer.empty),
        VirtualClock.layer({ advanced: Duration.millis(0.333) })
      )
    ),
    Effect.runPromise
  ))
