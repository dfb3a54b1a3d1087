/**
 * A reliability run, its parts and its report.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stores from "./Stores.ts"

export type StoreName = Stores.Store["_tag"]

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

type Figures = Readonly<Record<string, number>>

export interface Report {
  readonly figures: Figures
  readonly misses: ReadonlyArray<string>
}

export interface Run {
  readonly summary: string
  readonly unit: string
  readonly count: Readonly<Partial<Record<StoreName, number>>>
  /** The stores of a run without `--store`; all of `count` by default. */
  readonly stores?: ReadonlyArray<StoreName>
  readonly make: (options: RunOptions) => Effect.Effect<Report, unknown, Scope.Scope>
}

/** Returns the stores on which a run is possible, and those without `--store`. */
export const storesOf = ({ count, stores }: Run) => {
  const possible = Object.keys(count) as ReadonlyArray<StoreName>
  return { possible, usual: stores ?? possible }
}

/** Notes an expectation that did not hold. */
export type Miss = (sentence: string) => void

const listedMisses = 20

/** Runs a part in a scope of its own. Returns its figures and misses. */
export const report = <A extends Figures, E, R>(
  part: (miss: Miss) => Effect.Effect<A, E, R>
): Effect.Effect<
  { readonly figures: A; readonly misses: ReadonlyArray<string> },
  E,
  Exclude<R, Scope.Scope>
> =>
  Effect.suspend(() => {
    const listed: Array<string> = []
    let others = 0
    const miss = (sentence: string): void => {
      if (listed.length < listedMisses) listed.push(sentence)
      else others++
    }
    return Effect.map(Effect.scoped(part(miss)), (figures) => ({
      figures,
      misses: others === 0 ? listed : [...listed, `and ${others} more`]
    }))
  })

interface NamedReport extends Report {
  readonly name: string
}

/** The finished parts of this process, of which an interrupted run reports. */
export const finished: Array<NamedReport> = []

export const joined = (reports: ReadonlyArray<NamedReport>): Report => ({
  figures: Object.fromEntries(
    reports.flatMap(({ figures, name }) =>
      Object.entries(figures).map(([figure, value]) => [`${name}.${figure}`, value])
    )
  ),
  misses: reports.flatMap(({ misses, name }) => misses.map((miss) => `${name}: ${miss}`))
})

export type Parts<R> = ReadonlyArray<readonly [string, Effect.Effect<Report, unknown, R>]>

export const inSequence = <R>(parts: Parts<R>): Effect.Effect<Report, unknown, R> =>
  Effect.forEach(parts, ([name, part]) =>
    Effect.map(part, (report) => {
      const ended = { name, ...report }
      finished.push(ended)
      return ended
    })
  ).pipe(Effect.map(joined))

/** Part of a run on one new store, whose name begins the lines of its log and progress. */
export interface StorePart<Name extends StoreName = StoreName> extends RunOptions {
  readonly store: Stores.StoreOf<Name>
  readonly miss: Miss
}

type DatabaseName = Exclude<StoreName, "memory">

export type DatabasePart = StorePart<DatabaseName>

export const onStore = <Name extends StoreName, A extends Figures, E, R>(
  name: Name,
  options: RunOptions,
  part: (part: StorePart<Name>) => Effect.Effect<A, E, R>
) =>
  report((miss) =>
    Effect.flatMap(Stores.make(name), (store) =>
      part({
        ...options,
        store,
        miss,
        log: (line) => options.log(`${name}: ${line}`),
        progress: (line) => options.progress(`${name}: ${line}`)
      })
    )
  )

/** Runs one part on each store of the options. */
export const onStores = <E, R>(
  options: RunOptions,
  part: (part: StorePart) => Effect.Effect<Figures, E, R>
) => inSequence(options.stores.map((name) => [name, onStore(name, options, part)] as const))

/** Returns the stores of the options but memory: processes share no ledger in memory. */
export const databasesOf = ({ stores }: RunOptions): ReadonlyArray<DatabaseName> =>
  stores.filter((name) => name !== "memory")

/** Runs one part on each database of the options. */
export const onDatabases = <E, R>(
  options: RunOptions,
  part: (part: DatabasePart) => Effect.Effect<Figures, E, R>
) => inSequence(databasesOf(options).map((name) => [name, onStore(name, options, part)] as const))

/** Returns the median, 99th percentile and maximum of milliseconds. */
export const percentiles = (durations: ReadonlyArray<number>) => {
  const sorted = durations.toSorted((one, two) => one - two)
  const at = (share: number) =>
    Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 10) / 10
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}
