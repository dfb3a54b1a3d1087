/**
 * The service and the observer of a recorded run: the status of each transaction, and the events that were seen of it.
 */
import type { Status } from "@pawl/core/Status"
import type { Trace } from "./Inclusion.ts"
import type { Index } from "./State.ts"
import { labels } from "./Step.ts"

/**
 * A world.
 *
 * - `add`: adds a transaction with the statuses that the service will move it through.
 * - `move`: moves a transaction to its next status.
 * - `see`: notes an event of a transaction.
 * - `ended`, `leaseTimePassed`: note the end of a receiver, and the shortest rest of its leases, in every trace.
 */
export interface World {
  readonly add: (id: string, path: ReadonlyArray<Status>) => void
  readonly move: (id: string) => void
  readonly statusOf: (id: string) => Status | undefined
  readonly see: (id: string, event: string) => void
  readonly ended: (by: Index) => void
  readonly leaseTimePassed: () => void
  readonly traces: () => ReadonlyArray<Trace & { readonly id: string }>
}

interface Recorded {
  readonly path: ReadonlyArray<Status>
  readonly events: Array<string>
  moves: number
}

/** Makes a world without a transaction. */
export const make = (): World => {
  const recorded = new Map<string, Recorded>()
  const see = (id: string, event: string) => recorded.get(id)?.events.push(event)
  const seeEverywhere = (event: string) => {
    for (const { events, moves } of recorded.values()) if (moves > 0) events.push(event)
  }
  return {
    add: (id, path) => recorded.set(id, { path, events: [], moves: 0 }),
    move: (id) => {
      const transaction = recorded.get(id)
      const status = transaction?.path[transaction.moves]
      if (transaction === undefined || status === undefined) return
      transaction.moves++
      see(id, labels.moved(status))
    },
    statusOf: (id) => {
      const transaction = recorded.get(id)
      return transaction?.path[transaction.moves - 1]
    },
    see,
    ended: (by) => seeEverywhere(labels.ended(by)),
    leaseTimePassed: () => seeEverywhere(labels.leaseTime),
    traces: () => [...recorded].map(([id, { events, path }]) => ({ id, path, events }))
  }
}
