/**
 * Chance, and how it is had again.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { GatewayConfig } from "../GatewayConfig.ts"

/**
 * Returns the chance of one part of a service, by its name: with a seed it is the same every time, and
 * what one part draws is nothing to another.
 */
export const make = (name: string): Effect.Effect<Random.Random, never, GatewayConfig> =>
  Effect.flatMap(GatewayConfig, ({ seed }) =>
    seed === undefined ? Random.Random : Random.withSeed(Random.Random, `${seed} ${name}`)
  )
