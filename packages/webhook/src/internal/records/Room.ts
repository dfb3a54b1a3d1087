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

export const isFull = new Error("the store has reached its limit")

export const documentBytes = 1024

const maxAge = 10_000_000_000n
const part = 1 / 64

export const make = <Stored>(
  { bytes, commit }: Pick<Store<Stored>, "bytes" | "commit">,
  limit: number
): { readonly commit: Store<Stored>["commit"]; readonly level: Effect.Effect<Level> } => {
  if (limit === Infinity) return { commit, level: Effect.succeed("free") }
  /** The bytes of the store without those that this process has written. */
  let others = 0
  let written = 0
  let measuredAt = -maxAge
  let measured = 0
  const level = (): Level => {
    const used = others + written
    return used >= limit ? "full" : used >= 0.8 * limit ? "high" : "free"
  }
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
      const isFresh = now - measuredAt < maxAge && written - measured < part * limit
      if (isFresh) return Effect.sync(level)
      const before = written
      measuredAt = now
      measured = before
      const measure = Effect.map(bytes, (size) => {
        others = size - before
      })
      return Effect.andThen(Effect.ignore(measure), Effect.sync(level))
    })
  }
}
