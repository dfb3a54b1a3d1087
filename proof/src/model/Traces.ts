/**
 * The events that were seen of each transaction, as labels of steps of the model.
 *
 * A claim of a row that was not released becomes the event that its lease has run out. The model
 * refuses an earlier claim, unless the worker before it was killed as it released the row or
 * recorded its work.
 */
import { type Status, statuses } from "@pawl/core/Status"
import * as Schema from "effect/Schema"
import type { Trace } from "./Inclusion.ts"
import { labels } from "./Step.ts"

const By = Schema.Literals([0, 1])

/**
 * An event that was noted.
 *
 * - `Seen`: an event, as the label of a step.
 * - `Claimed`: worker `by` claimed the row from `at` to `until`, by its own clock; `now` is the
 *   true time.
 * - `Renewed`, `Releasing`, `Released`: the lease ends at `until`, is about to end, or has ended.
 * - `Shifted`: a clock was set back.
 */
export const Note = Schema.Union([
  Schema.TaggedStruct("Moved", { id: Schema.String, status: Schema.Literals(statuses) }),
  Schema.TaggedStruct("Seen", { id: Schema.String, event: Schema.String }),
  Schema.TaggedStruct("Claimed", {
    id: Schema.String,
    lease: Schema.Finite,
    by: By,
    at: Schema.Finite,
    until: Schema.Finite,
    now: Schema.Finite
  }),
  Schema.TaggedStruct("Renewed", {
    id: Schema.String,
    lease: Schema.Finite,
    until: Schema.Finite,
    now: Schema.Finite
  }),
  Schema.TaggedStruct("Releasing", { id: Schema.String, lease: Schema.Finite }),
  Schema.TaggedStruct("Released", { id: Schema.String, lease: Schema.Finite }),
  Schema.TaggedStruct("Shifted", { until: Schema.Finite }),
  Schema.TaggedStruct("Ended", { by: By })
])
export type Note = typeof Note.Type

export type Write = (note: Note) => void

export type Recorded = Trace & { readonly id: string }

interface Lease {
  readonly lease: number
  readonly by: 0 | 1
  until: number
  now: number
  readonly time: number
  isAlive: boolean
  isReleasing: boolean
  isReleased: boolean
}

export const make = () => {
  const recorded = new Map<
    string,
    { readonly path: Array<Status>; readonly events: Array<string> }
  >()
  const leases = new Map<string, Lease>()
  const traceOf = (id: string) => {
    const found = recorded.get(id) ?? { path: [], events: [] }
    recorded.set(id, found)
    return found
  }
  const see = (id: string, event: string) => traceOf(id).events.push(event)

  const claim = ({
    at,
    by,
    id,
    lease,
    now,
    until
  }: Extract<Note, { readonly _tag: "Claimed" }>) => {
    const last = leases.get(id)
    if (last !== undefined && !last.isReleased && at >= last.until) {
      // A living worker renews in time, so only a wrong clock ends its lease earlier.
      if (last.isAlive && now < last.now + last.time) see(id, labels.endedEarly(last.by))
      see(id, labels.leaseTime)
    } else if (last !== undefined && !last.isAlive && last.isReleasing) {
      see(id, labels.leaseTime)
    }
    const isNew = { isAlive: true, isReleasing: false, isReleased: false }
    leases.set(id, { lease, by, until, now, time: until - at, ...isNew })
  }

  const write: Write = (note) => {
    switch (note._tag) {
      case "Moved":
        traceOf(note.id).path.push(note.status)
        see(note.id, labels.moved(note.status))
        return
      case "Seen":
        see(note.id, note.event)
        return
      case "Claimed":
        return claim(note)
      case "Renewed": {
        const lease = leases.get(note.id)
        if (lease?.lease !== note.lease) return
        lease.until = note.until
        lease.isReleasing = false
        lease.now = note.now
        return
      }
      case "Releasing":
      case "Released": {
        const lease = leases.get(note.id)
        if (lease?.lease !== note.lease) return
        lease.isReleasing = true
        lease.isReleased = note._tag === "Released"
        return
      }
      case "Shifted":
        for (const lease of leases.values()) lease.until = Math.min(lease.until, note.until)
        return
      case "Ended":
        for (const { events } of recorded.values()) events.push(labels.ended(note.by))
        for (const lease of leases.values()) if (lease.by === note.by) lease.isAlive = false
    }
  }
  return {
    write,
    pathOf: (id: string): ReadonlyArray<Status> => recorded.get(id)?.path ?? [],
    all: (): ReadonlyArray<Recorded> => [...recorded].map(([id, trace]) => ({ id, ...trace }))
  }
}
