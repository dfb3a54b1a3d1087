import { expect, it } from "@effect/vitest"
import { Journal } from "@pawl/webhook/Journal"
import { Receiver } from "@pawl/webhook/Receiver"
import { Requests } from "@pawl/webhook/Requests"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Merchant from "../src/Merchant.ts"

const order = {
  requestId: "order-1",
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" }
}

it.effect("tells the end of an enqueued payment, if its work begins before time passes", () => {
  const told: Array<string> = []
  const handle = ({ to }: { readonly to: string }) => Effect.sync(() => told.push(to))
  return Effect.gen(function* () {
    const { enqueue } = yield* Requests
    yield* enqueue("apm-payment", order)
    yield* TestClock.adjust(0)
    yield* TestClock.adjust("1 minute")
    expect(told).toEqual(["NEW", "PENDING", "PROCESSING", "SUCCEED"])
  }).pipe(Effect.provide(Merchant.layer({ handle })))
})

it.effect("has a receiver for the program's own route, whose alarms are in the journal", () =>
  Effect.gen(function* () {
    const { receive } = yield* Receiver
    const { alarms } = yield* Journal
    const first = yield* Effect.forkChild(Stream.runHead(alarms), { startImmediately: true })
    const body = new TextEncoder().encode("{}")
    const incoming = { method: "POST", path: "/callback", search: "", checksum: "forged", body }
    const json = { contentType: "application/json", contentEncoding: undefined }
    expect(yield* receive({ ...incoming, ...json })).toBe(400)
    expect(yield* Fiber.join(first)).toMatchObject({ value: { _tag: "Alarm" } })
  }).pipe(Effect.provide(Merchant.layer()))
)
