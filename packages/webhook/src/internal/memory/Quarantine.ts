/**
 * The quarantine in memory: verified callbacks that cannot be acted on.
 */
import type { Method } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import type { Accepted } from "../../Ledger.ts"
import { quarantineLimit } from "../../RowRule.ts"
import type { Verified } from "../../Verifier.ts"

interface Quarantined {
  readonly verified: Verified
  readonly firstAt: number
  readonly newestAt: number
}

/** Makes an empty quarantine. */
export const make = () => {
  /** The stored bodies by method and signed id. */
  const quarantine = new Map<string, ReadonlyArray<Quarantined>>()

  return {
    accept: (verified: Verified, at: number): Effect.Effect<Accepted> => {
      const key = `${verified.method}/${verified.signed.transactionId}`
      const bodies = quarantine.get(key) ?? []
      const repeated = bodies.find((each) => isSame(each.verified.bytes, verified.bytes))
      if (repeated !== undefined) {
        const newest = { ...repeated, newestAt: at }
        quarantine.set(
          key,
          bodies.map((each) => (each === repeated ? newest : each))
        )
        return Effect.succeed({ isNew: false })
      }
      const isFull = bodies.length >= quarantineLimit
      const kept = bodies.slice(0, quarantineLimit - 1)
      quarantine.set(key, [...kept, { verified, firstAt: at, newestAt: at }])
      return Effect.succeed(isFull ? { isNew: true, hasReplaced: true } : { isNew: true })
    },

    list: (): ReadonlyArray<Verified> =>
      [...quarantine.values()]
        .flat()
        .toSorted((one, two) => one.firstAt - two.firstAt)
        .map(({ verified }) => verified),

    /** Deletes the bodies of a transaction, and returns their number. */
    remove: (method: Method, transactionId: string): number => {
      const key = `${method}/${transactionId}`
      const { length } = quarantine.get(key) ?? []
      quarantine.delete(key)
      return length
    },

    /** Deletes up to `limit` bodies whose newest copy came before a time, and returns how many. */
    deleteBodies: (before: number, limit: number): number => {
      let deleted = 0
      for (const [key, bodies] of quarantine) {
        const old = bodies.filter(({ newestAt }) => newestAt < before).slice(0, limit - deleted)
        deleted += old.length
        if (old.length > 0)
          quarantine.set(
            key,
            bodies.filter((each) => !old.includes(each))
          )
      }
      return deleted
    }
  }
}

const isSame = (one: Uint8Array, two: Uint8Array): boolean =>
  one.length === two.length && one.every((byte, at) => byte === two[at])
