/**
 * The search for documents that are due.
 *
 * While somebody holds a snapshot open, PostgreSQL keeps the index entries of every earlier version of a document, and those
 * that were due first come first. So a search remembers the earliest time at which a document may be due, and the next one
 * begins there. Documents that this process makes due move that time back. Those that other processes make due in the past are
 * found by a search from the start, every few seconds.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Collection, type DueRange, type Index, laneCount } from "./Records.ts"

/**
 * The documents that a search asks for: of each lane those that are due at a time, at most its limit, the earliest ones. A lane without a
 * limit is not asked.
 *
 * - `newest`: of a lane, so many are the latest ones instead.
 * - `latest`: documents that are due later than this were planned before the clock was set back, and count as due.
 */
export interface Asked {
  readonly at: number
  readonly limits: ReadonlyArray<number | undefined>
  readonly newest?: { readonly lane: number; readonly limit: number } | undefined
  readonly latest?: number | undefined
}

/** A search that runs. `earliest` is the earliest time at which something became due meanwhile. */
interface Running {
  readonly from: ReadonlyArray<number>
  readonly asked: Asked
  earliest: number
}

/** Before and behind any time of a document. */
const start = Number.MIN_SAFE_INTEGER
const end = Number.MAX_SAFE_INTEGER

/** How late another process may commit a document that was due at its own time, in milliseconds. */
const maxLateness = 5000

const lanes = Array.from({ length: laneCount }, (_, lane) => lane)
const everywhere: ReadonlyArray<number> = lanes.map(() => start)

/** Makes the searches of a process. With an interval of 0 each one begins at the start. */
export const make = (interval: bigint) => {
  const states = new Map<Collection, { from: ReadonlyArray<number>; fullAt: bigint }>()
  const running = new Map<Collection, Set<Running>>()

  return {
    /** Begins a search. */
    begin: (collection: Collection, asked: Asked): Effect.Effect<Running> =>
      Effect.map(Clock.Clock, (clock) => {
        const now = clock.monotonicTimeNanosUnsafe()
        const state = states.get(collection) ?? { from: everywhere, fullAt: 0n }
        if (now >= state.fullAt) {
          state.from = everywhere
          state.fullAt = now + interval
        }
        states.set(collection, state)
        const search = { from: state.from, asked, earliest: Infinity }
        running.set(collection, (running.get(collection) ?? new Set()).add(search))
        return search
      }),

    /** Ends a search. `soonest` is the earliest time that it found. */
    end: (collection: Collection, search: Running, soonest: number | undefined): void => {
      running.get(collection)?.delete(search)
      const state = states.get(collection)
      if (state === undefined || soonest === undefined) return
      const { asked, earliest } = search
      const from = Math.min(soonest, asked.at - maxLateness, earliest)
      state.from = state.from.map((old, lane) => (asked.limits[lane] === undefined ? old : from))
    },

    /** Notes that a document is due. */
    note: (collection: Collection, { due }: Index): void => {
      const earliest = due.reduce<number>((one, two) => Math.min(one, two ?? Infinity), Infinity)
      for (const search of running.get(collection) ?? []) {
        search.earliest = Math.min(search.earliest, earliest)
      }
      const state = states.get(collection)
      if (state !== undefined && state.from.some((from) => from > earliest)) {
        state.from = state.from.map((from) => Math.min(from, earliest))
      }
    }
  }
}

/** Returns the ranges of a search: the documents that are due, one more of each lane, and the next time in each lane. */
export const rangesOf = ({ asked, from }: Running): ReadonlyArray<DueRange> => {
  const { at, latest = end, limits, newest } = asked
  return lanes.flatMap((lane): ReadonlyArray<DueRange> => {
    const limit = limits[lane]
    if (limit === undefined) return []
    const isNewest = newest?.lane === lane && newest.limit > 0
    const due = { lane, from: from[lane] ?? start, to: at }
    return [
      { ...due, limit: limit + 1 },
      ...(isNewest ? [{ ...due, limit: newest.limit, isNewestFirst: true }] : []),
      ...(latest < end ? [{ lane, from: latest + 1, to: end, limit }] : []),
      { lane, from: at + 1, to: end, limit: 1, isTimesOnly: true }
    ]
  })
}

/** A cache of the values that were used last, at least `size` and less than twice as many. `set` with undefined removes a value. */
interface Cache<A> {
  readonly get: (key: string) => A | undefined
  readonly set: (key: string, value: A | undefined) => void
}

export const makeCache = <A>(size: number): Cache<A> => {
  let recent = new Map<string, A>()
  let older = new Map<string, A>()

  const set = (key: string, value: A | undefined): void => {
    if (value === undefined) {
      recent.delete(key)
      older.delete(key)
      return
    }
    recent.set(key, value)
    if (recent.size > size) [older, recent] = [recent, new Map()]
  }

  return {
    get: (key) => {
      const value = recent.get(key)
      if (value !== undefined) return value
      const old = older.get(key)
      if (old !== undefined) set(key, old)
      return old
    },
    set
  }
}
