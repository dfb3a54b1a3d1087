import type { Signed } from "@pawl/core/Callback"
import * as Evidence from "@pawl/core/Evidence"
import { type Kind, type KnownKind, type Method, methodOf } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import type { Event } from "./Fact.ts"

/** The key of a row; without a scope, of every row of the method and id. */
export interface Key {
  readonly method: Method
  readonly transactionId: string
  readonly scope?: Kind | undefined
}

/** Names dead letters; those of another reason than the one a person has seen are not named. */
export interface LetterKey extends Key {
  readonly reason?: DeadLetter["reason"] | undefined
}

/** The known fields of the merchant's order. Amounts are decimal text in major units. */
export interface Ordered {
  readonly requestId?: string | undefined
  readonly account?: string | undefined
  readonly amount?: string | undefined
  readonly currency?: string | undefined
}

export interface Row {
  readonly method: Method
  /**
   * The kind that the row was made with, part of its key (`docs/decisions/0012-ledger-rows.md`).
   */
  readonly scope: Kind
  readonly transactionId: string
  /** Equals the method while the kind is not known. */
  readonly kind: Kind
  readonly ordered: Ordered | undefined
  readonly registered: boolean
  /** Whether `ordered` comes from registrations. */
  readonly isOrderRegistered: boolean
  /**
   * Whether an unsigned hint of a callback names a payout, as `namesRefund` does a refund
   * (`KindHints`).
   */
  readonly namesPayout: boolean
  readonly namesRefund: boolean
  /** Whether a person allowed other amounts than the ordered one. */
  readonly amountCleared: boolean
  /** Whether a person erased the texts. Then no body is kept. */
  readonly isErased: boolean
  readonly evidence: Evidence.Evidence
  readonly read: Evidence.Read | undefined
  /** The number of accepted callbacks, repeats included. */
  readonly callbacks: number
  /** The secret of the newest callback. */
  readonly secret: "current" | "previous" | undefined
  /** `sequence` counts the transitions. */
  readonly told: Status | undefined
  readonly sequence: number
  readonly pendingStatus: Status | undefined
  /** The handler calls for `pendingStatus`. */
  readonly attempt: number
  /**
   * The first of these calls since the last redrive, moved forward by the time in which no process
   * made a due call.
   */
  readonly failingSince: number | undefined
  readonly retryAt: number
  readonly createdAt: number
  /** The time at which a callback last claimed a new status. The poll intervals start here. */
  readonly newStatusAt: number
  readonly polls: number
  readonly pollAt: number | undefined
  /** The time at which the last read was sent, with or without success. */
  readonly askedAt: number | undefined
  /** The time of the last unconfirmed claim, or of its next read after no answer. */
  readonly unconfirmedAt: number | undefined
  readonly deadLetter: DeadLetter | undefined
  /** The newest callback of each status, until `Cleaner` deletes it. */
  readonly newestCallbacks: Readonly<Partial<Record<Status, StoredCallback>>>
  /** The part that cannot be read. */
  readonly unreadable?: string
  /** Fields of a newer version, kept unchanged. */
  readonly unknown?: ReadonlyArray<string>
}

/**
 * A stored callback; `signed` is undefined for that of another transaction, and `size` is the
 * length of a kept body of more than 4 KiB.
 */
export interface StoredCallback {
  readonly at: number
  readonly signed: Signed | undefined
  readonly size?: number | undefined
}

/** The status `to` was not delivered. */
export interface DeadLetter {
  readonly reason: "handler-failed" | "unknown-transaction" | "amount-mismatch" | "unreadable"
  readonly at: number
  readonly to: Status | undefined
}

/** Lists leave out its `newestCallbacks`. */
export interface Parked extends Row {
  readonly deadLetter: DeadLetter
}

export const isParked = (row: Row): row is Parked => row.deadLetter !== undefined

export interface ParkedKey {
  readonly at: number
  readonly transactionId: string
  readonly scope: Kind
}

/** A row as leased or last written. `evidenceAtLease` lacks later claims. */
export interface Leased extends Row {
  readonly lease: number
  readonly evidenceAtLease: Evidence.Evidence
}

/**
 * The result of work on a leased row: `evidence` and `read` are joined to those of the row, and
 * other fields replace.
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
    | "createdAt"
    | "newStatusAt"
    | "polls"
    | "pollAt"
    | "askedAt"
    | "unconfirmedAt"
    | "deadLetter"
  >
> {
  /**
   * The sequence of the row that the write requires, so that a write whose response was lost is not
   * repeated.
   */
  readonly ifSequence?: number
  readonly facts?: ReadonlyArray<Event> | undefined
  readonly until?: number
  /**
   * Ends the lease. Without `dueAt` only a new event makes the row due; the default lane is
   * `repeat`.
   */
  readonly release?:
    | { readonly dueAt: number | undefined; readonly lane?: Lane | undefined }
    | undefined
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

/** An operation of the merchant, polled from now on. */
export interface Registration extends Ordered {
  readonly kind: KnownKind
  /** The id that its status endpoint takes; the refundId of a refund. */
  readonly transactionId: string
  /** The status in the response to the create, which counts as confirmed. */
  readonly status?: Status | undefined
}

export interface CreateRequest {
  readonly requestId?: string | undefined
  readonly accountId?: string | undefined
  readonly mid?: string | undefined
  readonly amount?: string | undefined
  readonly currency?: string | undefined
}

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
 * The lanes, the most urgent first: the first handler call, the first read for a final claim, a
 * handler retry, any other read of an open transaction, and a read of an ended one.
 */
export const lanes = ["tell", "ask", "retry", "repeat", "watch"] as const

export type Lane = (typeof lanes)[number]

export const readLanes = ["ask", "repeat", "watch"] as const

export type ReadLane = (typeof readLanes)[number]

export type PerLane = Readonly<Record<Lane, number>>

export const perLane = (numbers: number | PerLane): PerLane =>
  typeof numbers === "number"
    ? { tell: numbers, ask: numbers, retry: numbers, repeat: numbers, watch: numbers }
    : numbers

export const moreUrgent = (one: Lane, two: Lane): Lane =>
  lanes.indexOf(one) <= lanes.indexOf(two) ? one : two
