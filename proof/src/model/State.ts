/**
 * The state of the model: an order, its transaction at the service, its row, and two workers. Rows
 * share nothing but the time of the workers, so one transaction is enough. No rule reads `answered`
 * and `committed`.
 */
import type { Standing } from "@pawl/core/Evidence"
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import { keyOf } from "./Checker.ts"

/**
 * The state of everything.
 *
 * - `created`: the transactions of the order. `moves`: the statuses that it had.
 * - `posted`, `answered`: statuses of callbacks, still to be sent or answered 200.
 * - `row`: undefined before the first callback or registration.
 * - `isAwake`: a worker is going to search for due rows.
 * - `isOrphaned`: the application may still be at work on a call of an ended process.
 * - `committed`: the statuses whose effects were committed.
 * - `faults`: the faults that may still come.
 */
export interface State {
  readonly order: "none" | "written" | "settled"
  readonly exchange: "none" | "request" | "response"
  readonly created: number
  readonly moves: number
  readonly posted: Evidence.Evidence
  readonly incoming: ReadonlyArray<Incoming>
  readonly answered: Evidence.Evidence
  readonly row: Row | undefined
  readonly isAwake: boolean
  readonly workers: readonly [Worker, Worker]
  readonly isOrphaned: boolean
  readonly committed: ReadonlyArray<Status>
  readonly faults: number
}

export interface Incoming {
  readonly claim: Status
  readonly isForged: boolean
  readonly isNew: boolean
  readonly stage: "received" | "stored" | "recorded" | "answered"
}

/**
 * The row, which survives every crash.
 *
 * - `failing`: the status of the last call that was begun and not marked told.
 * - `isWatched`: more than one read is planned.
 * - `lease`: the worker that has the row, `dead` if its process ended; `isOver` once another one
 *   may claim it.
 */
export interface Row {
  readonly evidence: Evidence.Evidence
  readonly read: Status | undefined
  readonly told: Status | undefined
  readonly failing: Status | undefined
  readonly parked: Status | undefined
  readonly isDue: boolean
  readonly isWatched: boolean
  readonly lease: { readonly by: Index | "dead"; readonly isOver: boolean } | undefined
}

export type Index = 0 | 1

export type Result = Status | "404" | "no answer"

/** A worker: `stalled` while its process or store stands still, `late` when it goes on without its lease. */
export interface Worker {
  readonly pace: "on time" | "stalled" | "late"
  readonly work: Work
}

/** The steps of the work on a row; only a mutant has `searched`. */
export type Work =
  | { readonly stage: "idle" | "searched" | "parked" | "done" }
  | (Known & { readonly stage: "leased" })
  | (Known & { readonly stage: "asked" | "answered"; readonly result: Result })
  | {
      readonly stage: "calling" | "committed" | "told" | "failed"
      readonly standing: Standing
    }

export interface Known {
  readonly seen: Evidence.Evidence
  readonly isWatched: boolean
  readonly read: "not asked" | "no answer" | "answered"
}

const idle: Worker = { pace: "on time", work: { stage: "idle" } }

export const first = (faults: number): State => ({
  order: "none",
  exchange: "none",
  created: 0,
  moves: 0,
  posted: Evidence.none,
  incoming: [],
  answered: Evidence.none,
  row: undefined,
  isAwake: true,
  workers: [idle, idle],
  isOrphaned: false,
  committed: [],
  faults
})

export const emptyRow: Row = {
  evidence: Evidence.none,
  read: undefined,
  told: undefined,
  failing: undefined,
  parked: undefined,
  isDue: false,
  isWatched: true,
  lease: undefined
}

export const canonical = (state: State): State => {
  const { row, workers } = state
  const [one, two] = [keyOf(workers[0]), keyOf(workers[1])]
  const by = row?.lease?.by
  if (one < two || (one === two && by !== 1)) return state
  const isOwn = by === 0 || by === 1
  return {
    ...state,
    workers: [workers[1], workers[0]],
    row: isOwn && row?.lease ? { ...row, lease: { ...row.lease, by: by === 0 ? 1 : 0 } } : row
  }
}
