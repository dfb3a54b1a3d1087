/**
 * The documents that a database refuses to lease, such as by a trigger. The others are leased one by
 * one, and these are left out for 10 seconds, or for longer if there are many, so that their next
 * tries leave room in a lane.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import * as Fault from "../sql/Fault.ts"
import type * as DueSearch from "./DueSearch.ts"
import type { Write } from "./Records.ts"

export interface Refused<A> {
  readonly one: A
  readonly error: StoreUnavailable
}

export interface Refusal {
  readonly error: StoreUnavailable
  readonly refused: ReadonlyArray<Refused<unknown>>
}

/** In milliseconds; the last one for each document that is left out. */
const minPause = 10_000
const maxPause = 60_000
const pauseOfEach = 300
const maxPaused = 1000

const isOfRow = (error: StoreUnavailable) => Fault.isOfRow(Fault.of(error))

export type Refusals = ReturnType<typeof make>

export const make = (concurrency: number) => {
  const paused = new Map<string, Refusal & { readonly until: number }>()
  return {
    /** Makes room in the limits for the documents that are left out, which are due for longest. */
    widened: (asked: DueSearch.Asked): DueSearch.Asked => {
      for (const [id, { until }] of paused) {
        if (until <= asked.at || until > asked.at + maxPause) paused.delete(id)
      }
      return { ...asked, limits: asked.limits.map((limit) => limit && limit + paused.size) }
    },
    of: (id: string): Refusal | undefined => paused.get(id),
    keep: (id: string, refusal: Refusal, at: number): void => {
      const until = at + Math.min(Math.max(minPause, pauseOfEach * paused.size), maxPause)
      if (paused.size < maxPaused) paused.set(id, { ...refusal, until })
    },
    /** Commits writes, and returns the conflicts. Passes what the store refuses to `refuse`. */
    commit: <W extends Write<unknown>>(
      writes: ReadonlyArray<W>,
      commit: (
        writes: ReadonlyArray<W>
      ) => Effect.Effect<ReadonlyMap<string, unknown>, StoreUnavailable>,
      refuse: (key: string, error: StoreUnavailable) => void
    ) =>
      Effect.catchIf(commit(writes), isOfRow, () =>
        Effect.forEach(
          writes,
          (write) =>
            Effect.catchIf(commit([write]), isOfRow, (error) => {
              refuse(write.key, error)
              return Effect.succeed(new Map<string, unknown>())
            }),
          { concurrency }
        ).pipe(Effect.map((all) => new Map(all.flatMap((conflicts) => [...conflicts]))))
      )
  }
}
