/**
 * The state of the model: one order of a shop, its transaction at the service, its row in the ledger, and two workers.
 *
 * **Details**
 *
 * Rows of different transactions share nothing but the time of the workers, so one transaction is enough. Time itself is
 * not in the model: a step that may come at any time may come before or after any other step. Two fields record what
 * happened, and no rule reads them: `answered` and `committed`.
 */
import type { Standing } from "@pawl/core/Evidence"
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import { keyOf } from "./Checker.ts"

/**
 * The state of everything.
 *
 * - `order`: the order in the database of the shop.
 * - `exchange`: the request for the order that is on its way, or its response.
 * - `created`: the number of transactions that the service made of the order.
 * - `moves`: the number of statuses that the transaction had; the last one is its status.
 * - `posted`: the statuses whose callbacks the service still sends, as claims.
 * - `incoming`: the callbacks that a receiver is accepting.
 * - `answered`: the statuses of the callbacks that were answered 200, as claims.
 * - `row`: undefined before the first callback or registration.
 * - `isAwake`: whether a worker is going to search for due rows: it was woken, or a time that it waits for comes.
 * - `isOrphaned`: whether the application may still be at work on a call of a process that ended.
 * - `committed`: the statuses whose effects the handler committed, in order.
 * - `faults`: the number of faults that may still come.
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

/** A callback that is being accepted. It is stored, then recorded in the journal, then answered. */
export interface Incoming {
  readonly claim: Status
  readonly isForged: boolean
  readonly isNew: boolean
  readonly stage: "received" | "stored" | "recorded" | "answered"
}

/**
 * The row: what survives a crash of every process.
 *
 * - `read`: the status that was read last.
 * - `failing`: the status of the last call that was begun and not marked told.
 * - `parked`: the status at which the row is a dead letter.
 * - `isDue`: whether there is a time, now or later, at which it may be claimed.
 * - `isWatched`: whether more than one read is still planned. Reads end long after the last new status, and another status starts
 *   them anew.
 * - `lease`: the worker that has the row; `isOver` once another one may claim it. The worker of a dead process is `dead`.
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

/** The number of a worker, which is that of its receiver. */
export type Index = 0 | 1

/** The result of a read of the status. */
export type Result = Status | "404" | "no answer"

/** A worker. It is `stalled` while its process or its store stands still, and `late` when it goes on without its lease. */
export interface Worker {
  readonly pace: "on time" | "stalled" | "late"
  readonly work: Work
}

/**
 * The steps of the work on a row, in their order. The stages `answered`, `told`, `failed` and `parked` precede an entry of the
 * journal. Only a mutant has the stage `searched`, in which it found nothing.
 */
export type Work =
  | { readonly stage: "idle" | "searched" | "parked" | "done" }
  | (Known & { readonly stage: "leased" })
  | (Known & { readonly stage: "asked" | "answered"; readonly result: Result })
  | {
      readonly stage: "calling" | "committed" | "told" | "failed"
      readonly standing: Standing
    }

/** The row as a worker knows it, since it last wrote it, and whether a read was answered since the claim. */
export interface Known {
  readonly seen: Evidence.Evidence
  readonly isWatched: boolean
  readonly read: "not asked" | "no answer" | "answered"
}

const idle: Worker = { pace: "on time", work: { stage: "idle" } }

/** Returns the first state, in which nothing was ordered yet. */
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

/** The row that the first callback or the registration makes. */
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

/** Returns the state in which the two workers have changed places, if that comes first. */
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
