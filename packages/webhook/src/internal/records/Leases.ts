/** Leases documents that are due. */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import { indexOf, type Values } from "./Codecs.ts"
import type * as Changes from "./Changes.ts"
import * as DueSearch from "./DueSearch.ts"
import * as Known from "./Known.ts"
import { type Collection, laneCount, type Line, type Store } from "./Records.ts"

/** The milliseconds after which an unreadable document is leased again. */
const unreadablePause = 300_000

interface Tools<Stored> {
  readonly store: Store<Stored>
  readonly known: ReturnType<typeof Known.make<Stored>>
  readonly search: ReturnType<typeof DueSearch.make>
  readonly nextVersion: Changes.Options["nextVersion"]
  readonly refresh: Effect.Effect<void, SqlError>
  readonly bounded: <A>(call: Effect.Effect<A, SqlError>) => Effect.Effect<A, StoreUnavailable>
}

export const make = <Stored>({
  bounded,
  known,
  nextVersion,
  refresh,
  search,
  store
}: Tools<Stored>) => {
  const parkUnreadable = (
    collection: Collection,
    lines: ReadonlyArray<Line<Stored> & { readonly lane: number }>,
    at: number
  ): Effect.Effect<void, SqlError> =>
    lines.length === 0
      ? Effect.void
      : Effect.asVoid(
          store.commit(
            collection,
            lines.map(({ document, key, lane, listedAt = at, version }) => {
              const due = Array.from({ length: laneCount }, (_, each) =>
                each === lane ? at + unreadablePause : undefined
              )
              return {
                key,
                expected: version,
                version: nextVersion(version),
                document,
                index: { ...Known.nowhere, due, listed: [listedAt, listedAt], parts: 1 },
                put: [],
                remove: []
              }
            })
          )
        )

  /** Leases documents, but none that another process changed meanwhile. */
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
    },
    StoreUnavailable
  > {
    if (asked.limits.every((limit) => limit === undefined)) return noWork
    const searching = yield* search.begin(collection, asked)
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
    const documents = new Map(
      lines.flatMap((line) => {
        const { document } = line
        if (document === undefined) return []
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
    const leased: Effect.Effect<ReadonlyMap<string, unknown>, SqlError> = writes.length === 0
      ? Effect.succeed(new Map())
      : store.together(store.commit(collection, writes, true))
    const conflicts = yield* bounded(
      Effect.andThen(parkUnreadable(collection, unreadable, asked.at), leased)
    )
    for (const write of writes) {
      if (!conflicts.has(write.key)) {
        known.keep(collection, write, changed.get(write.key)?.value, false)
      } else known.forget(collection, write.key)
    }
    const next = readable.flatMap(({ key, value }) => {
      if (conflicts.has(key)) return []
      const { due } = indexOf[collection](changed.get(key)?.value ?? value)
      return asked.limits.flatMap((limit, lane) => (limit === undefined ? [] : (due[lane] ?? [])))
    })
    const soonest = Math.min(...later, ...next)
    return {
      taken: [...changed].flatMap(([key, { result }]) => (conflicts.has(key) ? [] : result)),
      dueAt: soonest === Infinity ? undefined : soonest,
      unreadable
    }
  })
}

const noWork = { taken: [], dueAt: undefined, unreadable: [] }
