import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { GatewayConfig } from "./GatewayConfig.ts"

/** With a seed the numbers repeat, and the draws of one part do not change those of another. */
export const make = (name: string): Effect.Effect<Random.Random, never, GatewayConfig> =>
  Effect.flatMap(GatewayConfig, ({ seed }) =>
    seed === undefined ? Random.Random : Random.withSeed(Random.Random, `${seed} ${name}`)
  )
