/**
 * How much of its limit on the disk a store uses.
 *
 * It is measured every ten seconds, and once this process has written a sixty-fourth of the limit.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Store } from "./Records.ts"

/** The most bytes of a store, or of each of its databases: no limit by default. */
export const Limit: Context.Reference<number> = /* @__PURE__ */ Context.Reference(
  "@pawl/webhook/internal/records/Room/Limit",
  { defaultValue: () => Infinity }
)

/** The level of a store: `high` is from four fifths of the limit on. */
export type Level = "free" | "high" | "full"

export const isFull = new Error("the store has all bytes of its limit")

/** The approximate bytes of a finished transaction. */
export const documentBytes = 1024

const maxAge = 10_000_000_000n
const part = 1 / 64

export const make = <Stored>(
  { bytes, commit }: Store<Stored>,
  limit: number
): { readonly commit: Store<Stored>["commit"]; readonly level: Effect.Effect<Level> } => {
  if (limit === Infinity) return { commit, level: Effect.succeed("free") }
  let measured = 0
  let written = 0
  let measuredAt: bigint | undefined
  const level = (): Level => {
    const used = measured + written
    return used >= limit ? "full" : used >= 0.8 * limit ? "high" : "free"
  }
  const measure = Effect.suspend(() => {
    const before = written
    return Effect.map(bytes, (size) => {
      measured = size
      written -= before
    })
  })
  return {
    commit: (collection, writes, skipsLocked) => {
      for (const { expected, put } of writes) {
        if (expected === undefined) written += documentBytes
        for (const text of put) written += text.bytes.length
      }
      return commit(collection, writes, skipsLocked)
    },
    level: Effect.flatMap(Clock.Clock, (clock) => {
      const now = clock.monotonicTimeNanosUnsafe()
      const isFresh = measuredAt !== undefined && now - measuredAt < maxAge
      if (isFresh && written < part * limit) return Effect.sync(level)
      measuredAt = now
      return Effect.andThen(Effect.ignore(measure), Effect.sync(level))
    })
  }
}
