import { isolated, isolatedBy } from "@pawl/core/internal/Isolated"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"

class Region extends Context.Service<Region, { readonly name: string }>()("test/Region") {}
class Currency extends Context.Service<Currency, { readonly name: string }>()("test/Currency") {}
class Built extends Context.Service<Built, { readonly number: number; readonly text: string }>()(
  "test/Built"
) {}

const numbering = () => {
  let number = 0
  return Layer.effect(
    Built,
    Effect.gen(function* () {
      const [{ name: region }, { name: currency }] = [yield* Region, yield* Currency]
      return { number: ++number, text: `${region} ${currency}` }
    })
  )
}

const region = (name: string) => Layer.succeed(Region, { name })
const currency = (name: string) => Layer.succeed(Currency, { name })

const [north, south] = [region("north"), region("south")]
const [euro, dollar] = [currency("EUR"), currency("USD")]

const buildAll = (layers: ReadonlyArray<Layer.Layer<Built>>) =>
  Effect.gen(function* () {
    const memoMap = yield* Layer.makeMemoMap
    const scope = yield* Effect.scope
    return yield* Effect.forEach(layers, (layer) =>
      Effect.map(Layer.buildWithMemoMap(layer, memoMap, scope), (context) => {
        const { number, text } = Context.get(context, Built)
        return `${number} ${text}`
      })
    )
  }).pipe(Effect.scoped, Effect.runPromise)

const withPairs = (layer: Layer.Layer<Built, never, Region | Currency>) =>
  [
    Layer.merge(north, euro),
    Layer.merge(north, euro),
    Layer.merge(south, euro),
    Layer.merge(north, dollar),
    Layer.merge(south, euro)
  ].map((pair) => Layer.provide(layer, pair))

it("an isolated layer builds the layers in it anew, and is itself built once", async () => {
  const inner = Layer.provide(numbering(), Layer.merge(north, euro))
  const outer = isolated(inner)
  const built = await buildAll([inner, outer, inner, outer])
  expect(built).toEqual(["1 north EUR", "2 north EUR", "1 north EUR", "2 north EUR"])
})

it("a layer that is isolated by services is built once for each combination of them", async () => {
  const built = await buildAll(withPairs(isolatedBy([Region, Currency], numbering())))
  expect(built).toEqual(["1 north EUR", "1 north EUR", "2 south EUR", "3 north USD", "2 south EUR"])
})

it("a layer that is isolated by no service is built once", async () => {
  expect(await buildAll(withPairs(isolatedBy([], numbering())))).toEqual(
    Array(5).fill("1 north EUR")
  )
})

it("a layer that is isolated by one service is shared whatever the others are", async () => {
  const built = await buildAll(withPairs(isolatedBy([Region], numbering())))
  expect(built).toEqual(["1 north EUR", "1 north EUR", "2 south EUR", "1 north EUR", "2 south EUR"])
})
