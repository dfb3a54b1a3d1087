/**
 * Random values that repeat with their seed. Each name has its own stream.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

export interface SeededRandom {
  readonly below: (limit: number) => number
  readonly isTrue: (probability: number) => boolean
  readonly pick: <A>(from: ReadonlyArray<A>) => A
}

export const make = (seed: number, name: string): SeededRandom => {
  const random = Effect.runSync(Random.withSeed(Random.Random, `${seed} ${name}`))
  const below = (limit: number) => Math.floor(random.nextDoubleUnsafe() * limit)
  return {
    below,
    isTrue: (probability) => random.nextDoubleUnsafe() < probability,
    pick: (from) => {
      if (from.length === 0) throw new Error("The list to pick from is empty")
      return from[below(from.length)] as (typeof from)[number]
    }
  }
}
