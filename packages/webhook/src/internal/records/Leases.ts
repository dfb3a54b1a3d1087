import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import { indexOf, type Values } from "./Codecs.ts"
import type * as Changes from "./Changes.ts"
import * as DueSearch from "./DueSearch.ts"
import * as Known from "./Known.ts"
import type * as Refusals from "./Refusals.ts"
import { type Collection, laneCount, type Line, type Store, type Write } from "./Records.ts"

/** The milliseconds after which an unreadable document is leased again. */
const unreadablePause = 300_000

interface Tools<Stored> {
  readonly store: Store<Stored>
  readonly known: ReturnType<typeof Known.make<Stored>>
  readonly search: ReturnType<typeof DueSearch.make>
  readonly nextVersion: Changes.NextVersion
  readonly refresh: Effect.Effect<void, SqlError>
  readonly refusals: Refusals.Refusals | undefined
  readonly bounded: <A>(call: Effect.Effect<A, SqlError>) => Effect.Effect<A, StoreUnavailable>
}

export const make = <Stored>({
  bounded,
  known,
  nextVersion,
  refresh,
  refusals,
  search,
  store
}: Tools<Stored>) => {
  const parkOf = (
    { document, key, lane, listedAt, version }: Line<Stored> & { readonly lane: number },
    at: number
  ): Write<Stored> => {
    const due = Array.from({ length: laneCount }, (_, each) =>
      each === lane ? at + unreadablePause : undefined
    )
    const since = listedAt ?? at
    return {
      key,
      expected: version,
      version: nextVersion(version),
      document,
      index: { ...Known.nowhere, due, listed: [since, since], parts: 1 },
      put: [],
      remove: []
    }
  }

  /** Leases documents that no other process changed meanwhile. */
  return Effect.fnUntraced(function* <Name extends Collection, A>(
    collection: Name,
    asked: DueSearch.Asked,
    take: (
      found: ReadonlyArray<Known.Found<Values[Name]> & { readonly version: number }>
    ) => ReadonlyMap<string, { readonly value: Values[Name]; readonly result: ReadonlyArray<A> }>
  ): Effect.fn.Return<
    {
      readonly taken: ReadonlyArray<A>
      readonly dueAt: number | undefined
      /** The documents that cannot be read; those that were not listed before have no `listedAt`. */
      readonly unreadable: ReadonlyArray<Pick<Line<unknown>, "key" | "listedAt">>
      /** The results that the store refuses to write, each with its error. */
      readonly refused: ReadonlyArray<Refusals.Refused<A>>
      /** An error of the store if it refuses all. */
      readonly failure: StoreUnavailable | undefined
    },
    StoreUnavailable
  > {
    if (asked.limits.every((limit) => limit === undefined)) return noWork
    const searching = yield* search.begin(collection, refusals?.widened(asked) ?? asked)
    let soonestFound: number | undefined
    const ranges = DueSearch.rangesOf(searching)
    const lines = yield* bounded(Effect.andThen(refresh, store.due(collection, ranges))).pipe(
      Effect.tap((found) =>
        Effect.sync(() => {
          soonestFound = Math.min(...found.map(({ at }) => at))
        })
      ),
      Effect.ensuring(Effect.sync(() => search.end(collection, searching, soonestFound)))
    )
    const later = lines.filter(({ document }) => document === undefined).map(({ at }) => at)
    const left = new Set<Refusals.Refusal>()
    const documents = new Map(
      lines.flatMap((line) => {
        const { document } = line
        if (document === undefined) return []
        const one = refusals?.of(Known.idOf(collection, line.key))
        if (one !== undefined) {
          left.add(one)
          return []
        }
        const read = { ...line, document }
        return [[line.key, { line: read, found: known.read(collection, read) }] as const]
      })
    )
    const readable = [...documents.values()].flatMap(({ found, line }) =>
      Result.isSuccess(found.value)
        ? [
            {
              key: line.key,
              value: found.value.success as Values[Name],
              version: nextVersion(line.version),
              found
            }
          ]
        : []
    )
    const unreadable = [...documents.values()].flatMap(({ found, line }) =>
      Result.isFailure(found.value) ? [{ ...line, lane: ranges[line.range]?.lane ?? 0 }] : []
    )
    const changed = take(readable)
    const writes = readable.flatMap(({ found, key, version }) => {
      const value = changed.get(key)?.value
      return value === undefined ? [] : [known.writeOf(collection, found, { key, value, version })]
    })
    const parks = unreadable.map((line) => parkOf(line, asked.at))
    const refused = new Set<string>()
    const commit = (some: ReadonlyArray<Write<Stored>>) =>
      some.length === 0
        ? Effect.succeed(new Map())
        : bounded(store.together(store.commit(collection, some, true)))
    const refuse = (key: string, error: StoreUnavailable) => {
      refused.add(key)
      const results = changed.get(key)?.result ?? []
      const refusal = { error, refused: results.map((one) => ({ one, error })) }
      left.add(refusal)
      refusals?.keep(Known.idOf(collection, key), refusal, asked.at)
    }
    const all = [...parks, ...writes]
    const conflicts = yield* refusals?.commit(all, commit, refuse) ?? commit(all)
    const [first] = left
    const isNoneWritten = refused.size === parks.length + writes.length
    const failure = isNoneWritten ? first?.error : undefined
    const isWritten = (key: string) => !conflicts.has(key) && !refused.has(key)
    for (const write of writes) {
      if (isWritten(write.key)) {
        known.keep(collection, write, changed.get(write.key)?.value, false)
      } else known.forget(collection, write.key)
    }
    const next = readable.flatMap(({ key, value }) => {
      if (!isWritten(key)) return []
      const { due } = indexOf[collection](changed.get(key)?.value ?? value)
      return asked.limits.flatMap((limit, lane) => (limit === undefined ? [] : (due[lane] ?? [])))
    })
    const soonest = Math.min(...later, ...next)
    return {
      taken: [...changed].flatMap(([key, { result }]) => (isWritten(key) ? result : [])),
      // The store may refuse the others too, so the next claim waits.
      dueAt: failure !== undefined || soonest === Infinity ? undefined : soonest,
      unreadable: unreadable.filter(({ key }) => isWritten(key)),
      refused: [...left].flatMap((one) => one.refused as ReadonlyArray<Refusals.Refused<A>>),
      failure
    }
  })
}

const noWork = { taken: [], dueAt: undefined, unreadable: [], refused: [], failure: undefined }
