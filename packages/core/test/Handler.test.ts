import * as Handler from "@pawl/core/Handler"
import { transition } from "@pawl/test-support/Service"
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
  await Handler.Handler.use(({ handle }) => handle(transition)).pipe(
    Effect.provide(Layer.provide(handler, Layer.succeed(Shop, { told }))),
    Effect.runPromise
  )
  expect(told).toEqual(["card-payment:100001:1:SUCCEED SUCCEED"])
})
