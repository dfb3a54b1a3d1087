/**
 * A store of documents in memory: a map, and an ordered index for each way to find a document.
 */
import * as Effect from "effect/Effect"
import type { Collection, DueLine, Index, Line, ListPlace, Store, Text, Write } from "./Records.ts"
import { laneCount } from "./Records.ts"
import * as OrderedIndex from "./OrderedIndex.ts"

interface Kept extends Line<unknown> {
  readonly index: Index
}

interface KeptText extends Text {
  readonly key: string
}

/** Makes an empty store. Its documents are values, which nobody changes. */
export const make = (): Store<unknown> => {
  const collections = {
    transactions: makeCollection(),
    requests: makeCollection(),
    quarantine: makeCollection(),
    settings: makeCollection()
  } satisfies Record<Collection, unknown>

  return {
    commit: (collection, writes) =>
      Effect.sync(() => {
        const { documents, put, remove } = collections[collection]
        const conflicts = new Map<string, Line<unknown> | undefined>()
        for (const write of writes) {
          const stored = documents.get(write.key)
          if (stored?.version !== write.expected) conflicts.set(write.key, stored)
          else if (write.document === undefined) remove(write.key)
          else put(write)
        }
        return conflicts
      }),
    load: (collection, keys) =>
      Effect.sync(() => keys.flatMap((key) => collections[collection].documents.get(key) ?? [])),
    due: (collection, ranges) =>
      Effect.sync(() =>
        ranges.flatMap(({ after, from, isNewestFirst, isTimesOnly, lane, limit, to }, range) => {
          const index = collections[collection].due[lane]
          if (index === undefined) return []
          const at = (kept: Kept) => dueIn(kept, lane)
          const isBehind = (kept: Kept) => at(kept) > to
          const isBefore = (kept: Kept) =>
            at(kept) < from || (at(kept) === from && after !== undefined && kept.key <= after)
          const found =
            isNewestFirst === true
              ? OrderedIndex.take(
                  index.backFrom((kept) => !isBehind(kept)),
                  limit,
                  (kept) => !isBefore(kept)
                )
              : OrderedIndex.take(index.from(isBefore), limit, (kept) => !isBehind(kept))
          return found.map((kept): DueLine<unknown> => ({
            range,
            at: at(kept),
            key: kept.key,
            version: kept.version,
            document: isTimesOnly === true ? undefined : kept.document
          }))
        })
      ),
    list: (collection, { from, limit }) =>
      Effect.sync(() => {
        const { listed, several } = collections[collection]
        const lines = [
          ...OrderedIndex.take(
            listed.from((kept) => comparePlaces(listPlace(kept), from) < 0),
            limit
          ),
          ...[...several.from()].filter(
            (kept) =>
              (kept.index.listed?.[1] ?? -Infinity) >= from.at &&
              comparePlaces(listPlace(kept), from) < 0
          )
        ]
        return lines.map((kept) => ({ ...kept, listedAt: kept.index.listed?.[0] }))
      }),
    related: (collection, name) =>
      Effect.sync(() =>
        [...collections[collection].all.from()].filter(({ index }) => index.related === name)
      ),
    page: (collection, { after, limit }) =>
      Effect.sync(() =>
        OrderedIndex.take(
          collections[collection].all.from(({ key }) => key <= after),
          limit
        )
      ),
    text: (collection, key, name) =>
      Effect.sync(() => collections[collection].textsOf.get(key)?.get(name)?.bytes),
    texts: (collection, { after, before, limit }) =>
      Effect.sync(() =>
        OrderedIndex.take(
          collections[collection].texts.from((text) => compareTexts(text, after) <= 0),
          limit,
          ({ at }) => at < before
        )
      ),
    count: (collection, at) =>
      Effect.sync(() => {
        const { due, listed, several } = collections[collection]
        const isDue = (lane: number) => (kept: Kept) => dueIn(kept, lane) <= at
        const counts = due.map((index, lane) => {
          const inLane = OrderedIndex.take(index.from(), Infinity, isDue(lane))
          return inLane.filter(({ index: { parts } }) => parts === 1).length
        })
        const ofSeveral = [...several.from()].filter(({ index }) => index.listed !== undefined)
        return {
          due: counts.reduce((sum, count) => sum + count, 0),
          listed: listed.size() - ofSeveral.length
        }
      }),
    several: (collection, at) =>
      Effect.sync(() =>
        [...collections[collection].several.from()].filter(
          ({ index: { due, listed } }) =>
            listed !== undefined || due.some((time) => time !== undefined && time <= at)
        )
      ),
    together: (work) => work,
    atomically: (work) => work,
    isInTransaction: Effect.succeed(false),
    afterCommit: (effect) => effect,
    committers: 1
  }
}

/** Makes an empty collection with its indexes. */
const makeCollection = () => {
  const documents = new Map<string, Kept>()
  const textsOf = new Map<string, Map<string, KeptText>>()
  const texts = OrderedIndex.make<KeptText>(compareTexts)
  const all = OrderedIndex.make<Kept>((one, two) => compareText(one.key, two.key))
  const several = OrderedIndex.make<Kept>((one, two) => compareText(one.key, two.key))
  const listed = OrderedIndex.make<Kept>((one, two) =>
    comparePlaces(listPlace(one), listPlace(two))
  )
  const due = Array.from({ length: laneCount }, (_, lane) =>
    OrderedIndex.make<Kept>(
      (one, two) => dueIn(one, lane) - dueIn(two, lane) || compareText(one.key, two.key)
    )
  )

  const eachIndex = (kept: Kept, use: (index: OrderedIndex.OrderedIndex<Kept>) => void): void => {
    use(all)
    if (kept.index.parts > 1) use(several)
    if (kept.index.listed !== undefined) use(listed)
    due.forEach((index, lane) => {
      if (kept.index.due[lane] !== undefined) use(index)
    })
  }

  const removeText = (key: string, name: string): void => {
    const own = textsOf.get(key)
    const text = own?.get(name)
    if (own === undefined || text === undefined) return
    texts.remove(text)
    own.delete(name)
    if (own.size === 0) textsOf.delete(key)
  }

  const forget = (key: string): void => {
    const before = documents.get(key)
    if (before !== undefined) eachIndex(before, ({ remove }) => remove(before))
  }

  return {
    documents,
    textsOf,
    texts,
    all,
    several,
    listed,
    due,
    put: ({ document, index, key, put, remove, version }: Write<unknown>): void => {
      forget(key)
      const kept = { key, version, document, index }
      documents.set(key, kept)
      eachIndex(kept, ({ add }) => add(kept))
      for (const name of remove) removeText(key, name)
      for (const text of put) {
        removeText(key, text.name)
        const own = textsOf.get(key) ?? new Map<string, KeptText>()
        const added = { ...text, key }
        textsOf.set(key, own.set(text.name, added))
        texts.add(added)
      }
    },
    remove: (key: string): void => {
      forget(key)
      documents.delete(key)
      for (const name of textsOf.get(key)?.keys() ?? []) removeText(key, name)
    }
  }
}

const dueIn = ({ index }: Kept, lane: number): number => index.due[lane] ?? Infinity

const listPlace = ({ index, key }: Kept): ListPlace => ({ at: index.listed?.[0] ?? Infinity, key })

const comparePlaces = (one: ListPlace, two: ListPlace): number =>
  one.at - two.at || compareText(one.key, two.key)

const compareTexts = (
  one: ListPlace & { readonly name: string },
  two: ListPlace & { readonly name: string }
): number => comparePlaces(one, two) || compareText(one.name, two.name)

const compareText = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0)
