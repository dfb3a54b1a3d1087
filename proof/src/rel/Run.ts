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

/** Options of a run that has more, which only tests change. */
export type Changed<More> = RunOptions & Partial<More>

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

export type Miss = (sentence: string) => void

const listedMisses = 20

/** Runs a part in a scope of its own. Returns its figures and misses. */
export const report = <A extends Figures, Step extends Effect.Effect<unknown, unknown, unknown>>(
  part: (miss: Miss) => Generator<Step, A, never>
) =>
  Effect.gen(function* () {
    const misses: Array<string> = []
    let others = 0
    const miss = (sentence: string): void => {
      if (misses.length < listedMisses) misses.push(sentence)
      else others++
    }
    const figures = yield* Effect.scoped(Effect.gen(() => part(miss)))
    if (others > 0) misses.push(`and ${others} more`)
    return { figures, misses }
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

/** Runs parts one after the other, or `atOnce` at a time. */
export const inSequence = <R>(parts: Parts<R>, atOnce = 1): Effect.Effect<Report, unknown, R> =>
  Effect.forEach(
    parts,
    ([name, part]) =>
      Effect.map(part, (report) => {
        const ended = { name, ...report }
        finished.push(ended)
        return ended
      }),
    { concurrency: atOnce }
  ).pipe(Effect.map(joined))

/**
 * Part of a run on one new store, whose name begins the lines of its log and progress. `Own` has
 * the options of the run that only tests change.
 */
export type StorePart<Own = RunOptions, Name extends StoreName = StoreName> = Own &
  RunOptions & {
    readonly store: Stores.StoreOf<Name>
    readonly miss: Miss
  }

type DatabaseName = Exclude<StoreName, "memory">

export type DatabasePart<Own = RunOptions> = StorePart<Own, DatabaseName>

export const onStore = <Name extends StoreName, Own extends RunOptions, A extends Figures, E, R>(
  name: Name,
  options: Own,
  part: (part: StorePart<Own, Name>) => Effect.Effect<A, E, R>
) =>
  report(function* (miss) {
    return yield* part({
      ...options,
      store: yield* Stores.make(name),
      miss,
      log: (line) => options.log(`${name}: ${line}`),
      progress: (line) => options.progress(`${name}: ${line}`)
    })
  })

export const onStores = <Own extends RunOptions, E, R>(
  options: Own,
  part: (part: StorePart<Own>) => Effect.Effect<Figures, E, R>
) => inSequence(options.stores.map((name) => [name, onStore(name, options, part)] as const))

const databasesOf = ({ stores }: RunOptions) => stores.filter((name) => name !== "memory")

/** Runs one part on each database of the options: processes share no ledger in memory. */
export const onDatabases = <Own extends RunOptions, E, R>(
  options: Own,
  part: (part: DatabasePart<Own>) => Effect.Effect<Figures, E, R>
) => inSequence(databasesOf(options).map((name) => [name, onStore(name, options, part)] as const))

/** Runs some parts, `atOnce` at a time, each on a new database of every kind of the options. */
export const eachOnDatabases = <Own extends RunOptions, Name extends string, E, R>(
  options: Own,
  names: ReadonlyArray<Name>,
  part: (name: Name, part: DatabasePart<Own>) => Effect.Effect<Figures, E, R>,
  atOnce = 1
) => {
  const parts = databasesOf(options).flatMap((store) =>
    names.map(
      (name) => [`${store}.${name}`, onStore(store, options, (each) => part(name, each))] as const
    )
  )
  return inSequence(parts, atOnce)
}

/** Returns the median, 99th percentile and maximum of milliseconds. */
export const percentiles = (durations: ReadonlyArray<number>) => {
  const sorted = durations.toSorted((one, two) => one - two)
  const at = (share: number) =>
    Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 10) / 10
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}
