import type { Method } from "@pawl/core/Kind"
import type { RequestKind } from "@pawl/core/RequestSender"
import type { Ordered } from "./Row.ts"

/** Times are milliseconds since the epoch. */
export interface RequestRow {
  readonly requestId: string
  readonly kind: RequestKind
  /** The keyed digest of the body, which outlives the body. */
  readonly digest: string
  readonly hasCardData: boolean
  readonly ordered: Ordered | undefined
  /**
   * The sealed body. Undefined with card data, or once the outcome is known; that of a found
   * request stays for `Cleaner.Retention`, because a person may deny the match.
   */
  readonly body: string | undefined
  readonly createdAt: number
  /** When the request was written or last redriven. Unsent, it is given up a window later. */
  readonly retryFrom: number
  /** The time at which a request that was never sent expires. */
  readonly expiresAt: number | undefined
  /**
   * The begin of the first attempt that may have taken effect: from then on the request is in
   * doubt.
   */
  readonly begunAt: number | undefined
  /** The leases since the request was written or redriven. */
  readonly attempts: number
  readonly refusals: Refusals | undefined
  readonly dueAt: number | undefined
  readonly lease: RequestLease | undefined
  readonly outcome: Outcome | undefined
  readonly settledAt: number | undefined
  readonly transaction: SettledTransaction | undefined
  /** A found transaction that a person stated is not that of the request. */
  readonly deniedTransactionId: string | undefined
  readonly parked: ParkedRequest["parked"] | undefined
  /** Fields of a newer version, kept unchanged. */
  readonly unknown?: ReadonlyArray<string>
}

export interface RequestLease {
  readonly id: number
  readonly until: number
  /** Whether the request was in doubt before the lease: a refusal then cannot end the doubt. */
  readonly inDoubt: boolean
}

/** The newest refusal of a request, and the time of the first. */
export interface Refusals {
  readonly reason: string
  readonly count: number
  readonly since: number
}

export interface SettledTransaction {
  readonly method: Method
  readonly transactionId: string
}

/** The outcome of a request; texts are sealed, and undefined after `Cleaner.Retention`. */
export type Outcome =
  | { readonly _tag: "Answered"; readonly text: string | undefined }
  /** The service refused, with 400, a request that was not in doubt. */
  | { readonly _tag: "Refused"; readonly text: string | undefined }
  /** Found by a confirmed transaction that names the request. The answer is not known. */
  | { readonly _tag: "Found" }
  /** Nothing happened or will. Only after `no-effect` may the same request be sent anew. */
  | { readonly _tag: "NotSent"; readonly reason: "cancelled" | "expired" | "no-effect" }

export type ParkReason =
  /** Refused three times over ten minutes. */
  | "refused"
  /** In doubt for longer than `Profile.requestIdWindow`. */
  | "window"
  /** In doubt, without a stored body because of its card data. */
  | "card-data"
  /** The rebuilt body is not the one that was sent. */
  | "rebuilt-differently"
  /** No key opens the request's body. */
  | "no-key"
  /** The sealed body was changed. */
  | "unreadable"

export interface ParkedRequest extends RequestRow {
  readonly parked: { readonly reason: ParkReason; readonly at: number }
}

export interface LeasedRequest extends RequestRow {
  readonly lease: RequestLease
}

export interface NewRequest {
  readonly requestId: string
  readonly kind: RequestKind
  readonly digest: string
  readonly hasCardData: boolean
  readonly ordered?: Ordered | undefined
  readonly body?: string | undefined
  readonly expiresAt?: number | undefined
}

/**
 * The end of an attempt without an outcome; `hadNoEffect` ends the doubt only of a first attempt.
 */
export interface Release {
  readonly at: number
  readonly dueAt: number
  readonly refusal?: string | undefined
  readonly hadNoEffect?: boolean | undefined
}

export interface Settlement {
  readonly outcome: Outcome
  readonly at: number
  readonly lease?: number | undefined
  readonly transaction?: SettledTransaction | undefined
}

export interface Redrive {
  readonly at: number
  /** `Profile.requestIdWindow` in milliseconds. */
  readonly window: number
  /**
   * Whether a person states that the request had no effect, which ends the doubt; a found
   * transaction then belongs to another request.
   */
  readonly hadNoEffect?: boolean | undefined
  /** False if its card data was not stored. Such a request is settled if it had no effect. */
  readonly canSend?: boolean | undefined
  /** When the request that the person saw was parked: it may have been sent since. */
  readonly parkedAt?: number | undefined
}

export const isParked = (row: RequestRow): row is ParkedRequest => row.parked !== undefined

export const isLeased = (row: RequestRow): row is LeasedRequest => row.lease !== undefined
