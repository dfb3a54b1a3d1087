import * as ApmPayments from "@pawl/http/ApmPayments"
import { Courier } from "@pawl/testkit/Courier"
import * as Fake from "@pawl/testkit/Fake"
import * as Faults from "@pawl/testkit/Faults"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { createHash } from "node:crypto"
import { assert, it } from "vitest"

const scenarios = [
  "succeed+shuffle+duplicate+forged",
  "decline:51+shuffle+forged",
  "challenge+duplicate+late",
  "refund+shuffle+late+duplicate",
  "conflict+shuffle",
  "chargeback+forged+lost"
]

const simulate = (seed: number) =>
  Effect.gen(function* () {
    const trace: Array<unknown> = []
    const fake = yield* Fake.Fake
    const faults = yield* Faults.Faults
    const apm = yield* ApmPayments.ApmPayments
    yield* faults.add({ endpoint: "POST /v1/payments/apm", fault: "reset-after", rate: 0.3 })
    let callbacks = 0
    yield* fake.deliverTo(({ body, search }) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        trace.push([at, search, new TextDecoder().decode(body)])
        return ++callbacks % 3 === 0 ? 503 : 200
      })
    )
    const create = (index: number) =>
      apm
        .create({
          requestId: `r-${index}`,
          accountId: "77",
          amount: "10.50",
          currency: "EUR",
          apmPayload: { paymentMethod: "WALLET" },
          callbackUrl: "https://shop.example/cb",
          metadata: { "sandbox.scenario": scenarios[index % scenarios.length] ?? "" }
        })
        .pipe(Effect.exit, Effect.delay(`${index * 37} millis`), Effect.forkChild)
    yield* Effect.forEach(Array.from({ length: 6 }).keys(), create, { discard: true })
    yield* TestClock.adjust("2 hours")
    trace.push(yield* (yield* Courier).deliveries, yield* (yield* Gateway).transactions)
    return { hash: createHash("sha256").update(JSON.stringify(trace)).digest("hex"), callbacks }
  }).pipe(
    Effect.provide(Layer.provideMerge(Fake.layer({ seed }), TestClock.layer())),
    Effect.runPromise
  )

it("ten runs under one seed have the same callbacks and transactions, to the millisecond and the byte", async () => {
  const first = await simulate(1)
  assert.isAbove(first.callbacks, 6 * 3)
  for (let run = 1; run < 10; run++) assert.deepStrictEqual(await simulate(1), first)
})

it("runs under five seeds all differ", async () => {
  const runs = await Promise.all([1, 2, 3, 4, 5].map(simulate))
  assert.strictEqual(new Set(runs.map(({ hash }) => hash)).size, 5)
})
