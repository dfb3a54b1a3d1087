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
import { type Status, table } from "@pawl/core/Status"

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
 * - `lease`: the worker that has the row; `isOver` once another one may claim it. The worker of a dead process is `dead`.
 */
export interface Row {
  readonly evidence: Evidence.Evidence
  readonly read: Status | undefined
  readonly told: Status | undefined
  readonly failing: Status | undefined
  readonly parked: Status | undefined
  readonly lease: { readonly by: Index | "dead"; readonly isOver: boolean } | undefined
}

/** The number of a worker, which is that of its receiver. */
export type Index = 0 | 1

/** The result of a read of the status. */
export type Result = Status | "404" | "no answer"

/**
 * A worker.
 *
 * - `pace`: `stalled` while its process or its store stands still, and `late` when it goes on without its lease.
 * - `work`: its step on the row. `seen` is the evidence that it knows.
 */
export interface Worker {
  readonly pace: "on time" | "stalled" | "late"
  readonly work: Work
}

/** The steps of the work on a row, in their order. The stages `answered`, `told`, `failed` and `parked` precede an entry of the journal. */
export type Work =
  | { readonly stage: "idle" | "done" }
  | { readonly stage: "leased"; readonly seen: Evidence.Evidence; readonly mayRead: boolean }
  | {
      readonly stage: "asked" | "answered"
      readonly seen: Evidence.Evidence
      readonly result: Result
    }
  | { readonly stage: "calling" | "committed" | "told" | "failed"; readonly standing: Standing }
  | { readonly stage: "parked" }

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
  lease: undefined
}

/** The digit of a status in a key. */
const digit = (status: Status | undefined): string =>
  status === undefined ? "-" : String(table[status].claimed)

const keyOfWork = (work: Work): string => {
  const { stage } = work
  switch (stage) {
    case "idle":
    case "done":
    case "parked":
      return stage
    case "leased":
      return `l${work.seen}${work.mayRead ? "r" : ""}`
    case "asked":
    case "answered":
      return `${stage} ${work.seen}${work.result}`
    case "calling":
    case "committed":
    case "told":
    case "failed": {
      const { confirmed, conflict, status } = work.standing
      return `${stage}${digit(status)}${confirmed ? "c" : ""}${conflict?.map(digit).join("") ?? ""}`
    }
  }
}

const keyOfWorker = ({ pace, work }: Worker): string =>
  (pace === "on time" ? "" : pace) + keyOfWork(work)

const keyOfRow = (
  { evidence, failing, lease, parked, read, told }: Row,
  leaseBy: Index | "dead" | undefined
): string => {
  const leased = lease === undefined ? "" : `${leaseBy}${lease.isOver ? "o" : ""}`
  return `${evidence},${digit(read)}${digit(told)}${digit(failing)}${digit(parked)}${leased}`
}

const keyOfIncoming = ({ claim, isForged, isNew, stage }: Incoming): string =>
  `${digit(claim)}${isForged ? "f" : ""}${isNew ? "n" : ""}${stage}`

/**
 * Returns a text that equals that of another state only if the two are the same. With `isSymmetric`, the two workers may
 * have changed places: each can do what the other can do.
 */
export const keyOf = (state: State, isSymmetric: boolean): string => {
  const { answered, committed, created, exchange, faults, moves, order, posted, row } = state
  const [one, two] = [keyOfWorker(state.workers[0]), keyOfWorker(state.workers[1])]
  const by = row?.lease?.by
  const isSwapped = isSymmetric && (one > two || (one === two && by === 1))
  const stored = row && keyOfRow(row, isSwapped && typeof by === "number" ? (by === 0 ? 1 : 0) : by)
  const incoming = state.incoming.map(keyOfIncoming).toSorted().join("+")
  const workers = isSwapped ? `${two}/${one}` : `${one}/${two}`
  const counts = `${created}${moves}${faults},${posted},${answered}${state.isOrphaned ? "o" : ""}`
  return `${order}${exchange}${counts}|${incoming}|${stored}|${workers}|${committed.map(digit).join("")}`
}
