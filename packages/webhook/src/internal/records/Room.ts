/**
 * The room of a store: how many of the bytes that it may have on its disk are used.
 *
 * The store is measured again after ten seconds, or once this process has written a sixty-fourth of the limit. In between the written
 * bytes are added. So processes that share a store pass the limit by no more than they write in ten seconds.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Store } from "./Records.ts"

/** Reference to the most bytes of a store, or of each of its databases: no limit by default. */
export const Limit: Context.Reference<number> = /* @__PURE__ */ Context.Reference(
  "@pawl/webhook/internal/records/Room/Limit",
  { defaultValue: () => Infinity }
)

/** The level of a store: `high` from four fifths of its limit on, and `full` from the limit on. */
export type Level = "free" | "high" | "full"

/** The cause of a callback that is refused because the store is full. */
export const isFull = new Error("the store has all bytes of its limit")

/** The bytes of a finished transaction with its places in the indexes, about. */
export const documentBytes = 1024

const maxAge = 10_000_000_000n
/** The part of the limit that may be written before the store is measured again. */
const part = 1 / 64

/** Measures a store, and counts what is written to it. */
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
      // A store that cannot be measured cannot be written either, and has an alarm for that.
      return Effect.andThen(Effect.ignore(measure), Effect.sync(level))
    })
  }
}
