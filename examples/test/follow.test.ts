import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Fake from "@pawl/testkit/Fake"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "vitest"
import { handler, payToTheEnd, Transitions } from "../src/follow.ts"

const merchant = Fake.layerReceiver.pipe(
  Layer.provideMerge(Receiver.layer()),
  Layer.provide([
    Verifier.layer({ current: Redacted.make("sandbox-secret") }),
    Ledger.layerMemory,
    handler
  ]),
  Layer.provide(NodeHmac.layer),
  Layer.provideMerge(Transitions.layer),
  Layer.provideMerge(Fake.layer({ pace: "1 second" })),
  Layer.provideMerge(TestClock.layer())
)

/** Returns the final status, and after how many seconds the program knows it. */
const end = (scenario: string) =>
  Effect.gen(function* () {
    const fiber = yield* payToTheEnd("order-1", { "sandbox.scenario": scenario }).pipe(
      Effect.flatMap(({ status }) =>
        Effect.map(Clock.currentTimeMillis, (now) => [status, Math.floor(now / 1000)])
      ),
      Effect.forkChild({ startImmediately: true })
    )
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provide(merchant), Effect.runPromise)

it("knows the final status as soon as its callback arrives", async () => {
  expect(await end("succeed")).toEqual(["SUCCEED", 3])
})

it("knows the final status after five minutes when no callback arrives", async () => {
  expect(await end("succeed+silent")).toEqual(["SUCCEED", 300])
})
