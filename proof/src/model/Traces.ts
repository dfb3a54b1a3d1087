/**
 * The events that were seen of each transaction, as labels of steps of the model.
 *
 * A claim of a row that was not released becomes the event that its lease has run out. The model
 * refuses an earlier claim, unless the worker before it was killed as it released the row or
 * recorded its work.
 */
import { isStatus, type Status } from "@pawl/core/Status"
import type * as Journal from "@pawl/webhook/Journal"
import type { Index } from "./Checker.ts"

export interface Trace {
  readonly id: string
  readonly events: ReadonlyArray<string>
}

/** Returns the statuses that a transaction had. */
export const pathOf = (events: ReadonlyArray<string>): ReadonlyArray<Status> =>
  events.map((event) => /^service moved to (.*)$/u.exec(event)?.[1]).filter(isStatus)

type Told = Extract<Journal.Entry, { readonly _tag: "Told" }>

/** Returns what the event of a told status says. */
export const toldText = (
  to: Status | undefined,
  { confirmed, conflict }: Pick<Told, "confirmed" | "conflict">
) => `told ${to}, ${confirmed ? "confirmed" : "claimed"}, ${conflict?.join("+") ?? "alone"}`

/** Returns what the event of an answer to a callback says. */
export const answerText = (claim: Status, code: number | undefined) =>
  `${code === 200 ? "answered" : "no answer to"} ${claim}`

/** A lease that a worker took or renewed at `now`, which is true time; `until` is by its own clock. */
interface Lease {
  readonly lease: number
  readonly by: Index
  readonly now: number
  readonly until: number
}

/**
 * An event that was noted, or a change of leases.
 *
 * - `Seen`: an event, as the label of a step.
 * - `Claimed`: a worker claimed the row at a time of its own clock.
 * - `Changed`: the lease was renewed, is about to be released, or has been.
 */
export type Note =
  | { readonly _tag: "Seen"; readonly id: string; readonly event: string }
  | ({ readonly _tag: "Claimed"; readonly id: string; readonly at: number } & Lease)
  | { readonly _tag: "Changed"; readonly id: string; readonly lease: number; readonly to: Change }
  | { readonly _tag: "Ended"; readonly by: Index }

export type Change = Partial<Lease> & { readonly end?: "releasing" | "released" | undefined }

export type Write = (note: Note) => void

/** `time`: how long the lease lasts without a renewal. */
interface Recording extends Trace {
  readonly events: Array<string>
  lease?: Lease & Change & { readonly time: number }
}

export const make = () => {
  const recordings = new Map<string, Recording>()
  const of = (id: string) => {
    const found = recordings.get(id) ?? { id, events: [] }
    recordings.set(id, found)
    return found
  }

  const write: Write = (note) => {
    switch (note._tag) {
      case "Seen":
        of(note.id).events.push(note.event)
        return
      case "Claimed": {
        const { at, now, until } = note
        const recording = of(note.id)
        const { events, lease } = recording
        recording.lease = { ...note, time: until - at }
        if (lease === undefined || lease.end === "released") return
        const isPast = now >= lease.now + lease.time
        // A living worker renews in time, so only a wrong clock ends its lease earlier.
        if (!isPast && at >= lease.until)
          events.push(`a clock ended the lease of worker ${lease.by}`)
        if (isPast || at >= lease.until) events.push("the time of a lease passed")
        return
      }
      case "Changed": {
        const recording = of(note.id)
        const { lease } = recording
        if (lease?.lease === note.lease) recording.lease = { ...lease, end: undefined, ...note.to }
        return
      }
      case "Ended":
        for (const recording of recordings.values()) {
          const { events, lease } = recording
          events.push(`receiver ${note.by} ended`)
          // The store may have released the lease before that was noted.
          if (lease?.by === note.by && lease.end !== undefined)
            recording.lease = { ...lease, time: 0, end: undefined }
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
