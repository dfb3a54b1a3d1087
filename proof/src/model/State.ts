/**
 * The state of the model: an order, its transaction at the service, its row, and two workers. No
 * rule reads `answered` and `committed`.
 */
import type { Standing } from "@pawl/core/Evidence"
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import { type Index, keyOf, kinds, type Pace, type Steps as StepsOf } from "./Checker.ts"

/** The first state of everything, without faults. */
export class State {
  /** Whether the response of the service was registered. */
  readonly isRegistered: boolean = false
  /** The statuses that the transaction had. */
  readonly moves: number = 0
  /** The statuses of callbacks that are still to be sent. */
  readonly posted: Evidence.Evidence = Evidence.none
  readonly incoming: ReadonlyArray<Incoming> = []
  readonly answered: Evidence.Evidence = Evidence.none
  /** Undefined before the first callback or registration. */
  readonly row: Row | undefined = undefined
  /** Whether a worker is going to search for due rows. */
  readonly isAwake: boolean = true
  readonly workers: readonly [Worker, Worker] = [idle, idle]
  /** Whether the application may still be at work on a call of an ended process. */
  readonly isOrphaned: boolean = false
  /** The statuses whose effects were committed. */
  readonly committed: ReadonlyArray<Status> = []
  readonly faults: number = 0
}

export interface Incoming {
  readonly claim: Status
  readonly isForged: boolean
  readonly isNew: boolean
  readonly stage: "received" | "stored" | "recorded"
}

/** A new row. It survives every crash. */
export class Row {
  readonly evidence: Evidence.Evidence = Evidence.none
  readonly read: Status | undefined = undefined
  readonly told: Status | undefined = undefined
  /** The status of the last call that was begun and not marked told. */
  readonly failing: Status | undefined = undefined
  readonly parked: Status | undefined = undefined
  readonly isDue: boolean = false
  /** Whether more than one read is planned. */
  readonly isWatched: boolean = true
  /** The lease of a worker, or of a process that is dead; another one may claim it once it is over. */
  readonly lease: { readonly by: Index | "dead"; readonly isOver: boolean } | undefined = undefined
}

export interface Worker {
  readonly pace: Pace
  readonly work: Work
}

export type Read = "not asked" | "no answer" | "answered"
export type Result = Status | "no answer"

/** The work on a row, of which `known` is the worker's copy. */
export type Work =
  | { readonly stage: "idle" }
  | { readonly stage: "done" }
  | { readonly stage: "leased"; readonly known: Row; readonly read: Read }
  | { readonly stage: "answered"; readonly known: Row; readonly result: Result }
  | { readonly stage: "calling"; readonly standing: Standing }
  /** The worker is going to write an event to its journal. */
  | { readonly stage: "recording"; readonly event: string; readonly next: Work }

const idle: Worker = { pace: "on time", work: { stage: "idle" } }

export type Change = Partial<State>
export type Steps = StepsOf<State>
export const { fault, protocol, seen } = kinds<State>()

export const hasLease = ({ row }: State, by: Index): boolean => row?.lease?.by === by

/**
 * Returns the same value for two states if one becomes the other when the workers change places. A
 * worker without the lease writes nothing, so its knowledge changes no step.
 */
export const canonical = (state: State): unknown => {
  const { row, workers } = state
  const lease = row?.lease && [row.lease.by === "dead", row.lease.isOver]
  const own = workers.map(({ pace, work }, by) => {
    const known = row?.lease?.by === by ? work : "next" in work && work.next.stage
    return keyOf([pace, work.stage, known])
  })
  return { ...state, row: row && { ...row, lease }, workers: own.toSorted() }
}
