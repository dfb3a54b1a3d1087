/**
 * A row of the request store: everything that is kept of one request.
 */
import type { Method } from "@pawl/core/Kind"
import type { RequestKind } from "@pawl/core/RequestSender"
import type { Ordered } from "./Row.ts"

/**
 * Everything that is kept of one request. Times are milliseconds since the epoch.
 *
 * - `digest`: a keyed digest of the body. It stays when the body is deleted.
 * - `ordered`: what the request orders, as far as its body says so.
 * - `body`: the sealed body; undefined if it has card data, or once the outcome is known. That of a found request stays
 *   until `Cleaner.Retention` is over, because a person may state that the transaction belongs to another request.
 * - `retryFrom`: when the request was written, or last redriven. A request that was never sent is given up after the
 *   window from here on.
 * - `expiresAt`: a request that was never sent is not sent at this time or later.
 * - `begunAt`: when the first attempt began that may have taken effect. From then on the request is in doubt.
 * - `attempts`: how often the row was leased since it was written or redriven.
 * - `refusals`: the refusal that came last, how often it came, and when it first came.
 * - `dueAt`: when the request is to be sent.
 * - `lease`: the lease of the process that works on the row.
 * - `outcome`, `settledAt`: the outcome, and since when it is known.
 * - `transaction`: the transaction of the request, once it is known.
 * - `deniedTransactionId`: the transaction that was found, and that a person stated is not that of the request.
 * - `parked`: the reason why a person has to decide.
 * - `unknown`: the stored fields of a newer version, which stay as they are.
 */
export interface RequestRow {
  readonly requestId: string
  readonly kind: RequestKind
  readonly digest: string
  readonly hasCardData: boolean
  readonly ordered: Ordered | undefined
  readonly body: string | undefined
  readonly createdAt: number
  readonly retryFrom: number
  readonly expiresAt: number | undefined
  readonly begunAt: number | undefined
  readonly attempts: number
  readonly refusals: Refusals | undefined
  readonly dueAt: number | undefined
  readonly lease: RequestLease | undefined
  readonly outcome: Outcome | undefined
  readonly settledAt: number | undefined
  readonly transaction: SettledTransaction | undefined
  readonly deniedTransactionId: string | undefined
  readonly parked: ParkedRequest["parked"] | undefined
  readonly unknown?: ReadonlyArray<string>
}

/**
 * The lease of a request: its id, its end, and whether the request was in doubt when it was leased. An attempt under a
 * lease that began in doubt cannot end the doubt by a refusal.
 */
export interface RequestLease {
  readonly id: number
  readonly until: number
  readonly inDoubt: boolean
}

/** The newest refusal in words, how many there were, and when the first one came. */
export interface Refusals {
  readonly reason: string
  readonly count: number
  readonly since: number
}

export interface SettledTransaction {
  readonly method: Method
  readonly transactionId: string
}

/**
 * The outcome of a request.
 *
 * - `Answered`: the service answered. `text` is the sealed answer (`RequestSender.encodeOutcome`); undefined once it is
 *   older than `Cleaner.Retention`.
 * - `Refused`: the service refused the request, which was not in doubt, with 400. `text` is the sealed refusal, for the
 *   same time.
 * - `Found`: a transaction that the service confirms names the request. Its answer is not known.
 * - `NotSent`: nothing happened, and nothing will: the request was cancelled, it expired, or an attempt surely had no
 *   effect. Only in the last case the same request may be sent anew.
 */
export type Outcome =
  | { readonly _tag: "Answered"; readonly text: string | undefined }
  | { readonly _tag: "Refused"; readonly text: string | undefined }
  | { readonly _tag: "Found" }
  | { readonly _tag: "NotSent"; readonly reason: "cancelled" | "expired" | "no-effect" }

/**
 * The reason why a request is parked.
 *
 * - `refused`: the service refused it three times over ten minutes.
 * - `window`: it is in doubt for longer than `Profile.requestIdWindow`.
 * - `card-data`: it is in doubt, and its body was not stored because it has card data.
 * - `rebuilt-differently`: the body that was made again is not the one that was sent.
 * - `no-key`: no key opens its body.
 * - `unreadable`: its body was changed.
 */
export type ParkReason =
  | "refused"
  | "window"
  | "card-data"
  | "rebuilt-differently"
  | "no-key"
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
 * The end of an attempt without an outcome.
 *
 * - `dueAt`: when the next attempt begins.
 * - `refusal`: the refusal of the service in words, if it refused.
 * - `hadNoEffect`: whether the attempt surely had no effect. It ends a doubt only if the attempt was the first one.
 */
export interface Release {
  readonly at: number
  readonly dueAt: number
  readonly refusal?: string | undefined
  readonly hadNoEffect?: boolean | undefined
}

/** An outcome that is to be written. `lease` is the id of the lease under which it became known. */
export interface Settlement {
  readonly outcome: Outcome
  readonly at: number
  readonly lease?: number | undefined
  readonly transaction?: SettledTransaction | undefined
}

/**
 * The decision of a person on a parked or found request.
 *
 * - `window`: `Profile.requestIdWindow` in milliseconds.
 * - `hadNoEffect`: whether the person states that the request had no effect. That ends the doubt. The transaction of a
 *   found request belongs to another request then.
 * - `canSend`: whether the request can be sent. One that cannot, because its card data was not stored, is settled if it
 *   had no effect.
 */
export interface Redrive {
  readonly at: number
  readonly window: number
  readonly hadNoEffect?: boolean | undefined
  readonly canSend?: boolean | undefined
}

export const isParked = (row: RequestRow): row is ParkedRequest => row.parked !== undefined

export const isLeased = (row: RequestRow): row is LeasedRequest => row.lease !== undefined
