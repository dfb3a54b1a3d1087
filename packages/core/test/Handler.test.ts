import * as Handler from "@pawl/core/Handler"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"

class Shop extends Context.Service<Shop, { readonly told: Array<string> }>()("test/Shop") {}

it("a function becomes a handler with the services of the layer", async () => {
  const told: Array<string> = []
  const handler = Handler.layer(({ id, to }) =>
    Effect.map(Shop, (shop) => {
      shop.told.push(`${id} ${to}`)
    })
  )
  const transition: Handler.Transition = {
    id: "1",
    method: "apm",
    kind: "apm-payment",
    transactionId: "100001",
    requestId: null,
    from: null,
    to: "SUCCEED",
    confirmed: true,
    conflict: null,
    sequence: 1,
    attempt: 1,
    signed: null,
    callback: null
  }
  await Handler.Handler.use(({ handle }) => handle(transition)).pipe(
    Effect.provide(Layer.provide(handler, Layer.succeed(Shop, { told }))),
    Effect.runPromise
  )
  expect(told).toEqual(["1 SUCCEED"])
})
