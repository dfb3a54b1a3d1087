/**
 * The search for due documents.
 *
 * An open snapshot makes PostgreSQL keep older index entries in front, so a search begins at the
 * earliest time at which a document may be due. Every few seconds a search from the start finds
 * those that other processes made due in the past.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Collection, type DueRange, type Index, laneCount } from "./Records.ts"

export interface Asked {
  readonly at: number
  readonly limits: ReadonlyArray<number | undefined>
  readonly newest?: { readonly lane: number; readonly limit: number } | undefined
  /** The latest due time; documents due later count as due. */
  readonly latest?: number | undefined
}

interface Running {
  readonly from: ReadonlyArray<number>
  readonly asked: Asked
  earliest: number
}

const start = Number.MIN_SAFE_INTEGER
const end = Number.MAX_SAFE_INTEGER

/** How late another process may commit a document that was due at its own time, in milliseconds. */
const maxLateness = 5000

const lanes = Array.from({ length: laneCount }, (_, lane) => lane)
const everywhere: ReadonlyArray<number> = lanes.map(() => start)

/** An interval of 0 begins each search at the start. */
export const make = (interval: bigint) => {
  const states = new Map<Collection, { from: ReadonlyArray<number>; fullAt: bigint }>()
  const running = new Map<Collection, Set<Running>>()

  return {
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

    end: (collection: Collection, search: Running, soonest: number | undefined): void => {
      running.get(collection)?.delete(search)
      const state = states.get(collection)
      if (state === undefined || soonest === undefined) return
      const { asked, earliest } = search
      const from = Math.min(soonest, asked.at - maxLateness, earliest)
      state.from = state.from.map((old, lane) => (asked.limits[lane] === undefined ? old : from))
    },

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

/** Returns ranges for one more document than asked of each lane, and the next due times. */
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
