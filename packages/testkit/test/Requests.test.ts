/**
 * Requests over the real client and the service in memory, beside a receiver.
 */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Requests from "@pawl/webhook/Requests"
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import * as Seal from "@pawl/webhook/Seal"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "vitest"
import * as Fake from "../src/Fake.ts"
import { Faults } from "../src/Faults.ts"
import { Gateway } from "../src/Gateway.ts"

const secret = Redacted.make("sandbox-secret")

const payment = {
  requestId: "order-1",
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" }
} as const

/** The transitions that the handler was told: the request and the status. */
const world = () => {
  const told: Array<string> = []
  const handler = Handler.layer(({ requestId, to }) =>
    Effect.sync(() => void told.push(`${requestId} ${to}`))
  )
  const layer = Requests.layer({ callbackUrl: "https://shop.example/callback" }).pipe(
    Layer.provideMerge(RequestStore.layerMemory),
    Layer.provideMerge(Layer.provideMerge(Fake.layerReceiver, Receiver.layer())),
    Layer.provideMerge(Layer.fresh(Ledger.layerMemory)),
    Layer.provide([
      handler,
      Verifier.layer({ current: secret }),
      CallbackUrl.layer(secret),
      Seal.layer({ current: secret })
    ]),
    Layer.provide(NodeHmac.layer),
    Layer.provideMerge(Fake.layer()),
    Layer.provideMerge(TestClock.layer())
  )
  return { told, layer }
}

const run = <A>(
  layer: ReturnType<typeof world>["layer"],
  test: Effect.Effect<A, unknown, Layer.Success<ReturnType<typeof world>["layer"]>>
) =>
  test.pipe(
    Effect.provide(layer),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.scoped,
    Effect.runPromise
  )

it("tells the handler of a payment that was made in one call", () => {
  const { layer, told } = world()
  return run(
    layer,
    Effect.gen(function* () {
      const { send } = yield* Requests.Requests
      const response = yield* send("apm-payment", payment)
      expect(response.transactionId).toMatch(/^\d{6,}$/u)
      yield* TestClock.adjust("1 hour")
      expect(told.at(-1)).toBe("order-1 SUCCEED")
      expect(yield* send("apm-payment", payment)).toEqual(response)
    })
  )
})

it("tells the handler of a payment whose answers were lost, and makes it once", () => {
  const { layer, told } = world()
  return run(
    layer,
    Effect.gen(function* () {
      const { get, send } = yield* Requests.Requests
      const faults = yield* Faults
      yield* faults.add({
        endpoint: "POST /v1/payments/apm",
        fault: "reset-after",
        rate: 1,
        times: 12
      })
      const call = yield* Effect.forkChild(
        Effect.result(
          send("apm-payment", { ...payment, metadata: { "sandbox.scenario": "succeed+silent" } })
        )
      )
      yield* TestClock.adjust("3 hours")
      yield* Fiber.join(call)
      expect(yield* get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
      expect(yield* faults.list).toEqual([])
      // No callback came, so the transaction is known from the response to the recovery alone.
      expect(told.at(-1)).toBe("order-1 SUCCEED")
      const { transactions } = yield* Gateway
      expect(yield* transactions).toHaveLength(1)
    })
  )
})

it("sends what was enqueued, and keeps a declined payment as declined", () => {
  const { layer, told } = world()
  return run(
    layer,
    Effect.gen(function* () {
      const { enqueue, send } = yield* Requests.Requests
      const declined = { ...payment, metadata: { "sandbox.scenario": "decline:51" } }
      yield* enqueue("apm-payment", declined)
      yield* TestClock.adjust("1 hour")
      expect(told.at(-1)).toBe("order-1 FAILED")
      // The stored outcome, without another request.
      expect((yield* Effect.flip(send("apm-payment", declined)))._tag).toBe("Declined")
      const { transactions } = yield* Gateway
      expect(yield* transactions).toHaveLength(1)
    })
  )
})
