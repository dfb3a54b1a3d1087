/**
 * Layers that share no service with any other layer: Effect builds a layer value once in a program, so two
 * clients with different settings would share an access token.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Returns a layer that builds everything in it anew, and is itself built once. */
export const isolated = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(Layer.build(Layer.fresh(layer)))

/** Returns a layer that is built once for each combination of the services `keys` in its context. */
export const isolatedBy = <A, E, R>(
  keys: ReadonlyArray<Context.Key<unknown, object>>,
  layer: Layer.Layer<A, E, R>
): Layer.Layer<A, E, R> => {
  const root: Node<A, E, R> = { children: new WeakMap(), layer: isolated(layer) }
  const layerFor = (context: Context.Context<unknown>): Layer.Layer<A, E, R> =>
    keys.reduce<Node<A, E, R>>(({ children }, key) => {
      const service = Context.getUnsafe(context, key)
      const child = children.get(service) ?? { children: new WeakMap(), layer: isolated(layer) }
      children.set(service, child)
      return child
    }, root).layer
  return Layer.fromBuild((memoMap, scope) =>
    Effect.contextWith((context: Context.Context<R>) =>
      Layer.buildWithMemoMap(layerFor(context as Context.Context<unknown>), memoMap, scope)
    )
  )
}

interface Node<A, E, R> {
  readonly children: WeakMap<object, Node<A, E, R>>
  readonly layer: Layer.Layer<A, E, R>
}
