/**
 * Layers that share nothing.
 */
import * as Layer from "effect/Layer"

/**
 * Returns the layer with everything in it built for itself: Effect builds a layer once a program, so two
 * services with different settings would otherwise find themselves on one gateway.
 */
export const apart = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(Layer.build(Layer.fresh(layer)))
