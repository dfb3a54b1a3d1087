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
import { Callbacks, handler, payToTheEnd } from "../src/follow.ts"

/** A merchant whose receiver tells whoever follows, over the service in memory, in virtual time. */
const merchant = Fake.layerReceiver.pipe(
  Layer.provideMerge(Receiver.layer()),
  Layer.provide([
    Verifier.layer({ current: Redacted.make("sandbox-secret") }),
    Ledger.layerMemory,
    handler
  ]),
  Layer.provide(NodeHmac.layer),
  Layer.provideMerge(Callbacks.layer),
  Layer.provideMerge(Fake.layer({ pace: "1 second" })),
  Layer.provideMerge(TestClock.layer())
)

/** Where a payment of the scenario ends, and after how many seconds this was known. */
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

it("knows the end as soon as its callback comes", async () => {
  expect(await end("succeed")).toEqual(["SUCCEED", 3])
})

it("knows the end after five minutes where no callback comes", async () => {
  expect(await end("succeed+silent")).toEqual(["SUCCEED", 300])
})
