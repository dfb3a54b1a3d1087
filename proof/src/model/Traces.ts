/**
 * The events that were seen of each transaction, as labels of steps of the model.
 *
 * A claim of a row that was not released becomes the event that its lease has run out. The model
 * refuses an earlier claim, unless the worker before it was killed as it released the row or
 * recorded its work.
 */
import { isStatus, type Status } from "@pawl/core/Status"
import type * as Journal from "@pawl/webhook/Journal"
import { getOrMake } from "../GetOrMake.ts"
import type { Index } from "./Checker.ts"

export interface Trace {
  readonly id: string
  readonly events: ReadonlyArray<string>
}

export const pathOf = (events: ReadonlyArray<string>): ReadonlyArray<Status> =>
  events.map((event) => /^service moved to (.*)$/u.exec(event)?.[1]).filter(isStatus)

type Told = Extract<Journal.Entry, { readonly _tag: "Told" }>

export const toldText = (
  to: Status | undefined,
  { confirmed, conflict }: Pick<Told, "confirmed" | "conflict">
) => `told ${to}, ${confirmed ? "confirmed" : "claimed"}, ${conflict?.join("+") ?? "alone"}`

export const answerText = (claim: Status, code: number | undefined) =>
  `${code === 200 ? "answered" : "no answer to"} ${claim}`

interface Lease {
  lease: number
  by: Index
  until: number
  now: number
}

/** `end` tells whether the lease is about to be released, or has been. */
export interface Change extends Partial<Lease> {
  end: "none" | "releasing" | "released"
}

/**
 * An event that was noted, or a change of leases.
 *
 * - `Seen`: an event, as the label of a step.
 * - `Claimed`: worker `by` claimed the row from `at` to `until`, by its own clock; `now` is the
 *   true time.
 * - `Changed`: the lease was renewed at `now`, is about to be released, or has been.
 * - `Shifted`: a clock was set back.
 */
export type Note =
  | { readonly _tag: "Seen"; readonly id: string; readonly event: string }
  | ({ readonly _tag: "Claimed"; readonly id: string; readonly at: number } & Lease)
  | { readonly _tag: "Changed"; readonly id: string; readonly lease: number; readonly to: Change }
  | { readonly _tag: "Shifted"; readonly until: number }
  | { readonly _tag: "Ended"; readonly by: Index }

export type Write = (note: Note) => void

/** `time`: how long the lease lasts without a renewal. */
interface Recording extends Trace {
  readonly events: Array<string>
  lease?: Lease & Change & { time: number }
}

export const make = () => {
  const recordings = new Map<string, Recording>()
  const of = (id: string) => getOrMake(recordings, id, () => ({ id, events: [] }))

  const write: Write = (note) => {
    switch (note._tag) {
      case "Seen":
        of(note.id).events.push(note.event)
        return
      case "Claimed": {
        const { at, now, until } = note
        const { events, lease } = of(note.id)
        const isOver = lease !== undefined && lease.end !== "released" && at >= lease.until
        // A living worker renews in time, so only a wrong clock ends its lease earlier.
        if (isOver && now < lease.now + lease.time)
          events.push(`a clock ended the lease of worker ${lease.by}`)
        if (isOver) events.push("the time of a lease passed")
        of(note.id).lease = { ...note, time: until - at, end: "none" }
        return
      }
      case "Changed": {
        const { lease } = of(note.id)
        if (lease?.lease === note.lease) Object.assign(lease, note.to)
        return
      }
      case "Shifted":
        for (const { lease } of recordings.values())
          if (lease) lease.until = Math.min(lease.until, note.until)
        return
      case "Ended":
        for (const { events, lease } of recordings.values()) {
          events.push(`receiver ${note.by} ended`)
          if (lease?.by !== note.by) continue
          lease.time = 0
          // The store may have released the lease before that was noted.
          if (lease.end !== "none") Object.assign(lease, { until: -Infinity, end: "none" })
        }
    }
  }
  return {
    write,
    see: (id: string, event: string) => write({ _tag: "Seen", id, event }),
    eventsOf: (id: string): ReadonlyArray<string> => of(id).events,
    all: (): ReadonlyArray<Trace> => structuredClone([...recordings.values()])
  }
}
