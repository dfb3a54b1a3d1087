/**
 * Layers that share no service with any other layer.
 */
import * as Layer from "effect/Layer"

/**
 * Returns a layer that builds all its parts again. Effect builds a layer once in a program, so two
 * services with different settings would otherwise share one gateway.
 */
export const isolated = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(Layer.build(Layer.fresh(layer)))
