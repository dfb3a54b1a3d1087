/**
 * The events that were seen of each transaction, as labels of steps of the model.
 *
 * A claim of a row that was not released becomes the event that its lease has run out. The model
 * refuses an earlier claim, unless the worker before it was killed as it released the row or
 * recorded its work.
 */
import { type Status, statuses } from "@pawl/core/Status"
import * as Schema from "effect/Schema"
import type { Index } from "./Checker.ts"

interface Told {
  readonly confirmed: boolean
  readonly conflict: ReadonlyArray<Status> | null
}

/** The events of a worker. */
export const events = {
  read: (result: string) => `read ${result}`,
  readElsewhere: "read 404, the kind is not known",
  called: (to: Status | undefined) => `called for ${to}`,
  committed: (to: Status | undefined) => `committed ${to}`,
  told: (to: Status | undefined, { confirmed, conflict }: Told) =>
    `told ${to}, ${confirmed ? "confirmed" : "claimed"}, ${conflict?.join("+") ?? "alone"}`,
  failed: (to: Status | undefined) => `failed at ${to}`,
  parked: "parked",
  parkedUnreadable: "parked, unreadable"
}

/** The labels of the steps that are seen from outside. */
export const labels = {
  moved: (status: Status) => `service moved to ${status}`,
  registered: (status: Status) => `registered ${status}`,
  delivered: (claim: Status) => `delivered ${claim} for the first time`,
  arrived: (claim: Status) => `arrived ${claim}`,
  accepted: (claim: Status, isNew: boolean) => `accepted ${claim}${isNew ? ", new" : ""}`,
  answered: (claim: Status) => `answered ${claim}`,
  unanswered: (claim: Status) => `no answer to ${claim}`,
  ofWorker: (by: Index, event: string) => `worker ${by} ${event}`,
  redriven: "redriven",
  ended: (by: Index) => `receiver ${by} ended`,
  storeSilent: (by: Index) => `the store gave worker ${by} no answer`,
  endedEarly: (by: Index) => `a clock ended the lease of worker ${by}`,
  leaseTime: "the time of a lease passed",
  end: "the end"
}

/** The statuses that a transaction had, and the events that were seen of it. */
export interface Trace {
  readonly id: string
  readonly path: ReadonlyArray<Status>
  readonly events: ReadonlyArray<string>
}

const By = Schema.Literals([0, 1])
const OfLease = { id: Schema.String, lease: Schema.Finite }
const Times = { until: Schema.Finite, now: Schema.Finite }
const Change = Schema.Union([
  Schema.Struct({ ...Times, end: Schema.tag("none") }),
  Schema.Struct({ end: Schema.Literals(["releasing", "released"]) })
])

/**
 * An event that was noted.
 *
 * - `Seen`: an event, as the label of a step.
 * - `Claimed`: worker `by` claimed the row from `at` to `until`, by its own clock; `now` is the
 *   true time.
 * - `Changed`: the lease was renewed at `now`, is about to be released, or has been.
 * - `Shifted`: a clock was set back.
 */
export const Note = Schema.Union([
  Schema.TaggedStruct("Moved", { id: Schema.String, status: Schema.Literals(statuses) }),
  Schema.TaggedStruct("Seen", { id: Schema.String, event: Schema.String }),
  Schema.TaggedStruct("Claimed", { ...OfLease, ...Times, by: By, at: Schema.Finite }),
  Schema.TaggedStruct("Changed", { ...OfLease, to: Change }),
  Schema.TaggedStruct("Shifted", { until: Schema.Finite }),
  Schema.TaggedStruct("Ended", { by: By })
])
export type Note = typeof Note.Type

export type Write = (note: Note) => void

interface Lease {
  readonly id: number
  readonly by: Index
  /** How long it lasts without a renewal. */
  readonly time: number
  until: number
  now: number
  isAlive: boolean
  end: (typeof Change.Type)["end"]
}

interface Recording {
  readonly path: Array<Status>
  readonly events: Array<string>
  lease?: Lease
}

export const make = () => {
  const recordings = new Map<string, Recording>()
  const of = (id: string): Recording => {
    const found = recordings.get(id) ?? { path: [], events: [] }
    recordings.set(id, found)
    return found
  }

  const claim = ({ at, by, id, lease, now, until }: Extract<Note, { _tag: "Claimed" }>) => {
    const recording = of(id)
    const last = recording.lease
    if (last !== undefined && last.end !== "released" && at >= last.until) {
      // A living worker renews in time, so only a wrong clock ends its lease earlier.
      if (last.isAlive && now < last.now + last.time)
        recording.events.push(labels.endedEarly(last.by))
      recording.events.push(labels.leaseTime)
    } else if (last?.isAlive === false && last.end !== "none") {
      recording.events.push(labels.leaseTime)
    }
    recording.lease = { id: lease, by, time: until - at, until, now, isAlive: true, end: "none" }
  }

  const write: Write = (note) => {
    switch (note._tag) {
      case "Moved":
        of(note.id).path.push(note.status)
        of(note.id).events.push(labels.moved(note.status))
        return
      case "Seen":
        of(note.id).events.push(note.event)
        return
      case "Claimed":
        return claim(note)
      case "Changed": {
        const { lease } = of(note.id)
        if (lease?.id === note.lease) Object.assign(lease, note.to)
        return
      }
      case "Shifted":
        for (const { lease } of recordings.values())
          if (lease) lease.until = Math.min(lease.until, note.until)
        return
      case "Ended":
        for (const { events, lease } of recordings.values()) {
          events.push(labels.ended(note.by))
          if (lease?.by === note.by) lease.isAlive = false
        }
    }
  }
  return {
    write,
    see: (id: string, event: string) => write({ _tag: "Seen", id, event }),
    pathOf: (id: string): ReadonlyArray<Status> => recordings.get(id)?.path ?? [],
    all: (): ReadonlyArray<Trace> =>
      [...recordings].map(([id, { events, path }]) => ({ id, path, events: [...events] }))
  }
}
