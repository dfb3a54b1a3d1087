import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Index, laneCount, type Line, type Store, type Text, type Write } from "./Records.ts"
import { compareText } from "../rule/RowPages.ts"
import * as Codecs from "./Codecs.ts"
import * as Engine from "./Engine.ts"
import * as OrderedIndex from "./OrderedIndex.ts"
import * as Room from "./Room.ts"

interface Kept extends Line<unknown> {
  readonly index: Index
}

interface Place {
  readonly at: number
  readonly key: string
  readonly name: string
}

interface Placed<A> extends Place {
  readonly value: A
}

export const make = (): Store<unknown> => {
  const collections = {
    transactions: makeCollection(),
    requests: makeCollection(),
    quarantine: makeCollection(),
    settings: makeCollection()
  }
  return {
    commit: (collection, writes) =>
      Effect.sync(() => {
        const { documents, write } = collections[collection]
        const conflicts = new Map<string, Line<unknown> | undefined>()
        for (const each of writes) {
          const stored = documents.get(each.key)
          if (stored?.version === each.expected) write(each)
          else conflicts.set(each.key, stored)
        }
        return conflicts
      }),
    load: (collection, keys) =>
      Effect.sync(() => keys.flatMap((key) => collections[collection].documents.get(key) ?? [])),
    due: (collection, ranges) =>
      Effect.sync(() =>
        ranges.flatMap(({ after, from, isNewestFirst, isTimesOnly, lane, limit, to }, range) => {
          const index = collections[collection].indexes[lane]
          if (index === undefined) return []
          const isBefore = ({ at, key }: Place) =>
            at < from || (at === from && after !== undefined && compareText(key, after) <= 0)
          const found =
            isNewestFirst === true
              ? OrderedIndex.take(
                  index.backFrom(({ at }) => at <= to),
                  limit,
                  (place) => !isBefore(place)
                )
              : OrderedIndex.take(index.from(isBefore), limit, ({ at }) => at <= to)
          return found.map(({ at, key, value: { document, version } }) => ({
            range,
            at,
            key,
            version,
            document: isTimesOnly === true ? undefined : document
          }))
        })
      ),
    list: (collection, { from, limit }) =>
      Effect.sync(() => {
        const { indexes, ofSeveral } = collections[collection]
        const isBefore = ({ at, key }: Place) =>
          at < from.at || (at === from.at && compareText(key, from.key) < 0)
        const first = valuesOf(OrderedIndex.take(indexes[listed]?.from(isBefore) ?? [], limit))
        const later = ofSeveral().filter(({ index: { listed: times }, key }) => {
          const [at = Infinity, last = -Infinity] = times ?? []
          return last >= from.at && isBefore({ at, key, name: "" })
        })
        return [...first, ...later].map((kept) => ({ ...kept, listedAt: kept.index.listed?.[0] }))
      }),
    page: (collection, { after, limit, related }) =>
      Effect.sync(() => {
        const behind =
          collections[collection].indexes[all]?.from(({ key }) => compareText(key, after) <= 0) ??
          []
        const found = related === undefined ? behind : [...behind].filter(isRelated(related))
        return valuesOf(OrderedIndex.take(found, limit))
      }),
    text: (collection, key, name) =>
      Effect.sync(() => collections[collection].textsOf.get(key)?.get(name)?.bytes),
    texts: (collection, { after, before, limit }) =>
      Effect.sync(() =>
        OrderedIndex.take(
          collections[collection].texts.from((place) => compare(place, after) <= 0),
          limit,
          ({ at }) => at < before
        )
      ),
    count: (collection, at) =>
      Effect.sync(() => {
        const { indexes, ofSeveral } = collections[collection]
        const due = indexes
          .slice(0, laneCount)
          .flatMap((index) =>
            valuesOf(OrderedIndex.take(index.from(), Infinity, (place) => place.at <= at))
          )
        const several = ofSeveral()
        const isListed = (kept: Kept) => kept.index.listed !== undefined
        return {
          due: due.filter(({ index }) => index.parts === 1).length,
          listed: (indexes[listed]?.size() ?? 0) - several.filter(isListed).length,
          several: several.filter(
            (kept) =>
              isListed(kept) || kept.index.due.some((time) => time !== undefined && time <= at)
          )
        }
      }),
    bytes: Effect.sync(() =>
      Object.values(collections).reduce(
        (sum, { bytes, documents }) => sum + bytes() + documents.size * Room.documentBytes,
        0
      )
    ),
    together: (work) => work,
    atomically: (work) => work,
    isInTransaction: Effect.succeed(false),
    afterCommit: (effect) => effect,
    committers: 1
  }
}

const [listed, all, several] = [laneCount, laneCount + 1, laneCount + 2]

const timesOf = ({ due, listed: times, parts }: Index): ReadonlyArray<number | undefined> => [
  ...Array.from({ length: laneCount }, (_, lane) => due[lane]),
  times?.[0],
  0,
  parts > 1 ? 0 : undefined
]

const makeCollection = () => {
  const documents = new Map<string, Kept>()
  let bytes = 0
  const textsOf = new Map<string, Map<string, Text>>()
  const texts = OrderedIndex.make<Place>(compare)
  const indexes = Array.from({ length: several + 1 }, () =>
    OrderedIndex.make<Placed<Kept>>(compare)
  )

  const eachIndex = (
    kept: Kept,
    use: (index: OrderedIndex.OrderedIndex<Placed<Kept>>, placed: Placed<Kept>) => void
  ): void => {
    timesOf(kept.index).forEach((at, position) => {
      const index = at === undefined ? undefined : indexes[position]
      if (at !== undefined && index !== undefined) {
        use(index, { at, key: kept.key, name: "", value: kept })
      }
    })
  }

  const removeText = (key: string, name: string): void => {
    const own = textsOf.get(key)
    const text = own?.get(name)
    if (own === undefined || text === undefined) return
    texts.remove({ at: text.at, key, name })
    own.delete(name)
    bytes -= text.bytes.length
    if (own.size === 0) textsOf.delete(key)
  }

  return {
    documents,
    textsOf,
    texts,
    indexes,
    bytes: () => bytes,
    ofSeveral: () => valuesOf(indexes[several]?.from() ?? []),
    write: ({ document, index, key, put, remove, version }: Write<unknown>): void => {
      const before = documents.get(key)
      if (before !== undefined) eachIndex(before, (each, placed) => each.remove(placed))
      if (document === undefined) {
        documents.delete(key)
        for (const name of textsOf.get(key)?.keys() ?? []) removeText(key, name)
        return
      }
      const kept = { key, version, document, index }
      documents.set(key, kept)
      eachIndex(kept, (each, placed) => each.add(placed))
      for (const name of remove) removeText(key, name)
      for (const text of put) {
        removeText(key, text.name)
        const own = textsOf.get(key) ?? new Map<string, Text>()
        textsOf.set(key, own.set(text.name, text))
        bytes += text.bytes.length
        texts.add({ at: text.at, key, name: text.name })
      }
    }
  }
}

const isRelated =
  (name: string) =>
  ({ value: { index } }: Placed<Kept>): boolean =>
    index.related === name

const valuesOf = <A>(placed: Iterable<Placed<A>>): ReadonlyArray<A> =>
  Array.from(placed, ({ value }) => value)

const compare = (one: Place, two: Place): number =>
  one.at - two.at || compareText(one.key, two.key) || compareText(one.name, two.name)

/** The most changes of a document before its version could collide with another. */
const span = 2 ** 24

export const makeEngine: Effect.Effect<Engine.Records, never, Scope.Scope> = Effect.suspend(() => {
  let versions = 0
  return Engine.makeLocal(make(), Codecs.values, () => ++versions * span)
})
