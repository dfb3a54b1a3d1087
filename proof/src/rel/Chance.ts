/**
 * Chance that is had again with its seed. What one part draws, by its name, is nothing to another.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

export interface Chance {
  /** An integer from 0 to below `limit`. */
  readonly below: (limit: number) => number
  readonly is: (probability: number) => boolean
  readonly pick: <A>(from: ReadonlyArray<A>) => A
  readonly shuffle: <A>(all: ReadonlyArray<A>) => Array<A>
}

export const make = (seed: number, name: string): Chance => {
  const random = Effect.runSync(Random.withSeed(Random.Random, `${seed} ${name}`))
  const below = (limit: number) => Math.floor(random.nextDoubleUnsafe() * limit)
  return {
    below,
    is: (probability) => random.nextDoubleUnsafe() < probability,
    pick: (from) => {
      if (from.length === 0) throw new Error("There is nothing to pick from")
      return from[below(from.length)] as (typeof from)[number]
    },
    shuffle: (all) => {
      const shuffled = [...all]
      for (let at = shuffled.length - 1; at > 0; at--) {
        const other = below(at + 1)
        const [one, two] = [shuffled[at], shuffled[other]]
        if (one === undefined || two === undefined) continue
        shuffled[at] = two
        shuffled[other] = one
      }
      return shuffled
    }
  }
}
