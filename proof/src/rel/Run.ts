/**
 * What a reliability run is, and what it reports.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Where a receiver keeps its ledger in a run. */
export type StoreName = "memory" | "sqlite" | "postgres"

/**
 * What a run is asked for.
 *
 * - `count`: how much of it, in the run's own unit.
 * - `stores`: on which stores.
 * - `say`: takes a line of progress.
 */
export interface Wanted {
  readonly seed: number
  readonly count: number
  readonly stores: ReadonlyArray<StoreName>
  readonly say: (line: string) => void
}

/** What came of a run: what was counted, and in sentences what did not hold. */
export interface Report {
  readonly figures: Readonly<Record<string, number>>
  readonly misses: ReadonlyArray<string>
}

/**
 * A run.
 *
 * - `unit`, `count`: what is counted, and how many of it make a full run on each store.
 * - `stores`: where it runs unless it is told.
 */
export interface Run {
  readonly what: string
  readonly unit: string
  readonly count: Readonly<Partial<Record<StoreName, number>>>
  readonly stores: ReadonlyArray<StoreName>
  readonly make: (wanted: Wanted) => Effect.Effect<Report, unknown, Scope.Scope>
}

/** Collects what did not hold; a sentence that comes again and again is not kept for ever. */
export const tally = () => {
  const misses: Array<string> = []
  let more = 0
  return {
    miss: (sentence: string): void => {
      if (misses.length < 20) misses.push(sentence)
      else more++
    },
    misses: (): ReadonlyArray<string> => (more === 0 ? misses : [...misses, `and ${more} more`])
  }
}

/** Runs parts one after the other; each figure and each miss carries the name of its part. */
export const inTurn = <R>(
  parts: ReadonlyArray<readonly [string, Effect.Effect<Report, unknown, R>]>
): Effect.Effect<Report, unknown, R> =>
  Effect.map(
    Effect.forEach(parts, ([name, part]) => Effect.map(part, (report) => ({ name, ...report }))),
    (reports) => ({
      figures: Object.fromEntries(
        reports.flatMap(({ figures, name }) =>
          Object.entries(figures).map(([figure, value]) => [`${name}.${figure}`, value])
        )
      ),
      misses: reports.flatMap(({ misses, name }) => misses.map((miss) => `${name}: ${miss}`))
    })
  )

/** Returns the middle and the 99th percentile of some durations, and the longest, in milliseconds. */
export const spread = (durations: ReadonlyArray<number>) => {
  const sorted = durations.toSorted((one, two) => one - two)
  const at = (share: number) =>
    Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 10) / 10
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}
