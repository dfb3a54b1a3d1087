/**
 * A reliability run and its report.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export type StoreName = "memory" | "sqlite" | "postgres"

/** Options of a run: `count` in its unit, `loss` the probability of a loss. */
export interface RunOptions {
  readonly seed: number
  readonly count: number
  readonly stores: ReadonlyArray<StoreName>
  readonly log: (line: string) => void
  /** Shows what is done and left. */
  readonly progress: (line: string) => void
  readonly loss?: number | undefined
}

export interface Report {
  readonly figures: Readonly<Record<string, number>>
  readonly misses: ReadonlyArray<string>
}

export interface Run {
  readonly summary: string
  readonly unit: string
  readonly count: Readonly<Partial<Record<StoreName, number>>>
  readonly stores: ReadonlyArray<StoreName>
  readonly make: (options: RunOptions) => Effect.Effect<Report, unknown, Scope.Scope>
}

const listedMisses = 20

export const collectMisses = () => {
  const misses: Array<string> = []
  let others = 0
  return {
    miss: (sentence: string): void => {
      if (misses.length < listedMisses) misses.push(sentence)
      else others++
    },
    misses: (): ReadonlyArray<string> => (others === 0 ? misses : [...misses, `and ${others} more`])
  }
}

interface Part extends Report {
  readonly name: string
}

/** The finished parts of this process, of which an interrupted run reports. */
export const finished: Array<Part> = []

export const joined = (parts: ReadonlyArray<Part>): Report => ({
  figures: Object.fromEntries(
    parts.flatMap(({ figures, name }) =>
      Object.entries(figures).map(([figure, value]) => [`${name}.${figure}`, value])
    )
  ),
  misses: parts.flatMap(({ misses, name }) => misses.map((miss) => `${name}: ${miss}`))
})

export const inSequence = <R>(
  parts: ReadonlyArray<readonly [string, Effect.Effect<Report, unknown, R>]>
): Effect.Effect<Report, unknown, R> =>
  Effect.forEach(parts, ([name, part]) =>
    Effect.map(part, (report) => {
      const ended = { name, ...report }
      finished.push(ended)
      return ended
    })
  ).pipe(Effect.map(joined))

/** Runs one part for each database of the options. Processes share no ledger in memory. */
export const onDatabases = <R>(
  { stores }: Pick<RunOptions, "stores">,
  part: (store: Exclude<StoreName, "memory">) => Effect.Effect<Report, unknown, R>
): Effect.Effect<Report, unknown, R> =>
  inSequence(stores.filter((name) => name !== "memory").map((name) => [name, part(name)] as const))

/** Returns the median, 99th percentile and maximum of milliseconds. */
export const percentiles = (durations: ReadonlyArray<number>) => {
  const sorted = durations.toSorted((one, two) => one - two)
  const at = (share: number) =>
    Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 10) / 10
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}
