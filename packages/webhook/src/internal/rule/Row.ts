/**
 * A row of the ledger: everything that is kept of one transaction, and the change that a worker may write to it.
 */
import type { Signed } from "@pawl/core/Callback"
import * as Evidence from "@pawl/core/Evidence"
import { type Kind, type KnownKind, type Method, methodOf } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import type { Event } from "./Fact.ts"

/** The key of one row. Without a scope it names every row of the method and id. */
export interface Key {
  readonly method: Method
  readonly transactionId: string
  readonly scope?: Kind | undefined
}

/**
 * The known fields of the merchant's order, from a registration or from the token of a callback URL. Amounts
 * are decimal text in major units.
 */
export interface Ordered {
  readonly requestId?: string | undefined
  readonly account?: string | undefined
  readonly amount?: string | undefined
  readonly currency?: string | undefined
}

/**
 * Everything that is kept of one transaction. Times are milliseconds since the epoch.
 *
 * - `scope`, `transactionId`: the key of the row. The scope is the kind it was made with, and never changes
 *   (`docs/decisions/0012-ledger-rows.md`).
 * - `kind`: equals the method while the kind is not known.
 * - `ordered`: undefined when the order is not known.
 * - `registered`: whether a registration named the row.
 * - `isOrderRegistered`: whether `ordered` is the order of registrations; else it is that of a token.
 * - `namesPayout`, `namesRefund`: whether a callback says that it is a payout's or a refund's. These are hints, and not signed
 *   (`KindHints`).
 * - `isErased`: whether a person erased the texts of the transaction. No body of a callback is kept since then.
 * - `amountCleared`: whether a person allowed amounts that differ from the ordered one.
 * - `callbacks`: the number of accepted callbacks, repeats included.
 * - `secret`: the secret that signed the newest callback; undefined before the first.
 * - `told`, `sequence`: the status that the handler was last told, and the number of transitions so far.
 * - `pendingStatus`, `attempt`, `failingSince`, `retryAt`: the status that the handler is being told, the number of
 *   its calls for that status, the time of the first of these calls (since the last redrive, and moved forward by
 *   the time in which no process made a due call), and the earliest time of the next call.
 * - `newStatusAt`: when a callback last claimed a new status. The poll ladder starts here.
 * - `polls`, `pollAt`: the number of reads made on the ladder, and when the next is due; undefined before
 *   the first is planned.
 * - `askedAt`: when the last read was sent, with or without success.
 * - `unconfirmedAt`: when the last claim came that the service has not confirmed, or when it is to be read again
 *   because the service did not answer.
 * - `deadLetter`: the reason why the row is a dead letter; undefined when it is none.
 * - `newestCallbacks`: for each status, the newest verified callback that claims it, until `Cleaner` deletes
 *   it.
 * - `unreadable`: what of the row cannot be read, if there is something.
 * - `unknown`: the stored fields of a newer version, which stay as they are.
 */
export interface Row {
  readonly method: Method
  readonly scope: Kind
  readonly transactionId: string
  readonly kind: Kind
  readonly ordered: Ordered | undefined
  readonly registered: boolean
  readonly isOrderRegistered: boolean
  readonly namesPayout: boolean
  readonly namesRefund: boolean
  readonly amountCleared: boolean
  readonly isErased: boolean
  readonly evidence: Evidence.Evidence
  readonly read: Evidence.Read | undefined
  readonly callbacks: number
  readonly secret: "current" | "previous" | undefined
  readonly told: Status | undefined
  readonly sequence: number
  readonly pendingStatus: Status | undefined
  readonly attempt: number
  readonly failingSince: number | undefined
  readonly retryAt: number
  readonly createdAt: number
  readonly newStatusAt: number
  readonly polls: number
  readonly pollAt: number | undefined
  readonly askedAt: number | undefined
  readonly unconfirmedAt: number | undefined
  readonly deadLetter: DeadLetter | undefined
  readonly newestCallbacks: Readonly<Partial<Record<Status, StoredCallback>>>
  readonly unreadable?: string
  readonly unknown?: ReadonlyArray<string>
}

/**
 * A stored callback: when it came, and the fields that its checksum covers. They are undefined if they are those of
 * another transaction. `Ledger.body` returns its body. `size` is the length of a kept body of more than 4 KiB.
 */
export interface StoredCallback {
  readonly at: number
  readonly signed: Signed | undefined
  readonly size?: number | undefined
}

/**
 * The reason why a row is a dead letter, the time since when it is one, and the status that the handler could
 * not be told, if there is one.
 */
export interface DeadLetter {
  readonly reason: "handler-failed" | "unknown-transaction" | "amount-mismatch" | "unreadable"
  readonly at: number
  readonly to: Status | undefined
}

/** A row that is a dead letter. In a list of dead letters its `newestCallbacks` are left out. */
export interface Parked extends Row {
  readonly deadLetter: DeadLetter
}

export const isParked = (row: Row): row is Parked => row.deadLetter !== undefined

/** The place of a dead letter in the list of all, which is ordered by time, id and scope. */
export interface ParkedKey {
  readonly at: number
  readonly transactionId: string
  readonly scope: Kind
}

/**
 * A row under a lease, as it was when it was leased or last written.
 *
 * - `lease`: the id of the lease.
 * - `evidenceAtLease`: the evidence when the row was leased. Later claims are in the evidence of the
 *   row and not here.
 */
export interface Leased extends Row {
  readonly lease: number
  readonly evidenceAtLease: Evidence.Evidence
}

/**
 * The result of a worker's work on a leased row.
 *
 * - `evidence`, `read`: are joined to those of the row. Every other field replaces that of the row.
 * - `ifSequence`: the change is written only if the row has this sequence. So a write whose response was lost is
 *   not made twice.
 * - `facts`: the facts that the change tells of, in their order.
 * - `until`: the new end of the lease.
 * - `release`: ends the lease. `dueAt` is when work is due again; undefined when only a new event makes it due.
 *   `lane` is where; without it the lane of repeats.
 */
export interface Change extends Partial<
  Pick<
    Row,
    | "kind"
    | "evidence"
    | "read"
    | "told"
    | "sequence"
    | "pendingStatus"
    | "attempt"
    | "failingSince"
    | "retryAt"
    | "newStatusAt"
    | "polls"
    | "pollAt"
    | "askedAt"
    | "unconfirmedAt"
    | "deadLetter"
  >
> {
  readonly ifSequence?: number
  readonly facts?: ReadonlyArray<Event> | undefined
  readonly until?: number
  readonly release?: { readonly dueAt: number | undefined; readonly lane?: Lane | undefined }
}

export const blank = (scope: Kind, transactionId: string, at: number): Row => ({
  method: methodOf(scope),
  scope,
  transactionId,
  kind: scope,
  ordered: undefined,
  registered: false,
  isOrderRegistered: false,
  namesPayout: false,
  namesRefund: false,
  amountCleared: false,
  isErased: false,
  evidence: Evidence.none,
  read: undefined,
  callbacks: 0,
  secret: undefined,
  told: undefined,
  sequence: 0,
  pendingStatus: undefined,
  attempt: 0,
  failingSince: undefined,
  retryAt: at,
  createdAt: at,
  newStatusAt: at,
  polls: 0,
  pollAt: undefined,
  askedAt: undefined,
  unconfirmedAt: undefined,
  deadLetter: undefined,
  newestCallbacks: {}
})

/**
 * An operation that the merchant started. Its transaction is polled from now on, with or without callbacks.
 *
 * - `transactionId`: the id that the status endpoint of its kind takes; the refundId of a refund.
 * - `status`: the status in the response to the create. It counts as confirmed.
 */
export interface Registration extends Ordered {
  readonly kind: KnownKind
  readonly transactionId: string
  readonly status?: Status | undefined
}

/** The fields of the request of a create that become `Ordered`. */
export interface CreateRequest {
  readonly requestId?: string | undefined
  readonly accountId?: string | undefined
  readonly mid?: string | undefined
  readonly amount?: string | undefined
  readonly currency?: string | undefined
}

/** Returns the order in a request or a registration; undefined when none of its fields is set. */
export const orderedOf = (request: CreateRequest & Ordered): Ordered | undefined => {
  const { accountId, amount, currency, mid, requestId } = request
  const account = request.account ?? accountId ?? mid
  const ordered = {
    ...(requestId !== undefined && { requestId }),
    ...(account !== undefined && { account }),
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency })
  }
  return Object.keys(ordered).length === 0 ? undefined : ordered
}

/**
 * The lanes, the most urgent first.
 *
 * - `tell`: the first call of the handler for a status, or an operation that was registered.
 * - `ask`: the first read for the claim of a final status.
 * - `retry`: another call of the handler after a failed one.
 * - `repeat`: any other read of an open transaction: a poll, or the read for a repeated claim.
 * - `watch`: a read of a transaction that has ended.
 */
export const lanes = ["tell", "ask", "retry", "repeat", "watch"] as const

/** The lane of a row that is due. It says which slots the work is likely to need; the worker decides. */
export type Lane = (typeof lanes)[number]

/** The lanes of reads, the most important first. */
export const readLanes = ["ask", "repeat", "watch"] as const

export type ReadLane = (typeof readLanes)[number]

export type PerLane = Readonly<Record<Lane, number>>

/** Returns the number of each lane, from one number for all lanes or one for each. */
export const perLane = (numbers: number | PerLane): PerLane =>
  typeof numbers === "number"
    ? { tell: numbers, ask: numbers, retry: numbers, repeat: numbers, watch: numbers }
    : numbers

export const moreUrgent = (one: Lane, two: Lane): Lane =>
  lanes.indexOf(one) <= lanes.indexOf(two) ? one : two
