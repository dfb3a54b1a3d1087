/**
 * One row of the ledger: all that is known of one transaction, and what may be changed of it.
 *
 * @since 0.1.0
 */
import type { Body, Signed } from "@pawl/core/Callback"
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import { type Kind, kindsOf, type Method, methodOf } from "@pawl/core/Kind"

/**
 * Names rows: one, or without its scope every row that the method has of the id.
 *
 * @category models
 * @since 0.1.0
 */
export interface Key {
  readonly method: Method
  readonly transactionId: string
  readonly scope?: Kind | undefined
}

/**
 * What the merchant ordered, as far as it was said: by a registration, or by the token of a callback
 * URL. Amounts are decimal text in major units.
 *
 * @category models
 * @since 0.1.0
 */
export interface Ordered {
  readonly requestId?: string | undefined
  readonly account?: string | undefined
  readonly amount?: string | undefined
  readonly currency?: string | undefined
}

/**
 * All that is known of one transaction. Times are milliseconds since the epoch.
 *
 * - `scope`, `transactionId`: the key of the row. The scope is the kind it was made with, and stays
 *   (`docs/decisions/0042-a-row-keeps-the-kind-it-was-made-with-as-its-scope.md`).
 * - `kind`: the method while nobody knows better.
 * - `ordered`: what was ordered; undefined when nobody said.
 * - `amountCleared`: a person let amounts pass that differ from the terms.
 * - `callbacks`: how many were accepted, repeats included.
 * - `secret`: which secret the newest callback was signed with; undefined before the first.
 * - `told`, `sequence`: what the handler was last told, and how many transitions it took.
 * - `pendingStatus`, `attempt`, `failingSince`, `retryAt`: the transition at hand, the calls of the handler made
 *   for it, when the first of them was made, and when it may be called again.
 * - `newStatusAt`: the last time a new status was observed, where the poll ladder starts.
 * - `polls`, `pollAt`: reads made on the ladder, and when the next is due; undefined before the first
 *   was planned.
 * - `askedAt`: when the service was last asked, with whatever success.
 * - `unconfirmedAt`: when a claim last came that the service has not confirmed, or when it is to be asked
 *   about again because it did not answer.
 * - `deadLetter`: why the row is a dead letter, if it is.
 * - `newestCallbacks`: of each status, the newest verified callback that claims it, until it is cleaned up.
 *
 * @category models
 * @since 0.1.0
 */
export interface Row {
  readonly method: Method
  readonly scope: Kind
  readonly transactionId: string
  readonly kind: Kind
  readonly ordered: Ordered | undefined
  readonly amountCleared: boolean
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
  readonly newestCallbacks: Readonly<
    Partial<Record<Status, { readonly signed: Signed; readonly unsigned: Body }>>
  >
}

/**
 * A dead letter: why a row is no longer worked on, and the status it could not tell, if it was one.
 *
 * @category models
 * @since 0.1.0
 */
export interface DeadLetter {
  readonly reason: "handler-failed" | "unknown-transaction" | "amount-mismatch"
  readonly at: number
  readonly to: Status | undefined
}

/**
 * A row as it was when it was leased or last written under this lease.
 *
 * - `evidenceAtLease`: the evidence when it was leased, by which a write finds what callbacks claimed since.
 *
 * @category models
 * @since 0.1.0
 */
export interface Leased extends Row {
  readonly lease: number
  readonly evidenceAtLease: Evidence.Evidence
}

/**
 * What a worker found out. Evidence and read are joined to what is there; `release` ends the lease and
 * says when work is due again (undefined: when something new comes). With `ifSequence` it is written only
 * if so many transitions were told, so that one that was written before is not written again.
 *
 * @category models
 * @since 0.1.0
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
    | "polls"
    | "pollAt"
    | "askedAt"
    | "unconfirmedAt"
    | "deadLetter"
  >
> {
  readonly ifSequence?: number
  readonly until?: number
  readonly release?: { readonly dueAt: number | undefined }
}

/**
 * Makes the row of a transaction of which nothing is known.
 *
 * @category constructors
 * @since 0.1.0
 */
export const blank = (scope: Kind, transactionId: string, at: number): Row => ({
  method: methodOf(scope),
  scope,
  transactionId,
  kind: scope,
  ordered: undefined,
  amountCleared: false,
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
 * Finds the row that something about a transaction belongs to, among those that its method has of its
 * id: the row of its kind, or one whose kind nobody knows yet. Of several kinds the payment comes
 * before the payout, the payout before the refund.
 *
 * **Details**
 *
 * A callback that names itself a refund's does not take a row of unknown kind: that may be the payment's.
 * A registration does: it gives the id.
 *
 * @category getters
 * @since 0.1.0
 */
export const find = <A>(
  rows: ReadonlyArray<A>,
  kindOf: (row: A) => Kind,
  kind: Kind,
  by: Finder
): A | undefined => {
  const method = methodOf(kind)
  const kinds =
    kind === method
      ? [...kindsOf[method], method]
      : kind === "refund" && by === "callback"
        ? [kind]
        : [kind, method]
  for (const each of kinds) {
    const found = rows.find((row) => kindOf(row) === each)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * What a row is looked for by.
 *
 * @category models
 * @since 0.1.0
 */
export type Finder = "callback" | "registration"

/**
 * What a request says of the operation it makes: the part of a create's input that becomes `Ordered`.
 *
 * @category models
 * @since 0.1.0
 */
export interface CreateRequest {
  readonly requestId?: string | undefined
  readonly accountId?: string | undefined
  readonly mid?: string | undefined
  readonly amount?: string | undefined
  readonly currency?: string | undefined
}

/**
 * Returns what of a request, or of terms, was said; undefined when nothing was.
 *
 * @category constructors
 * @since 0.1.0
 */
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
 * Joins to a row one that turns out to be of the same transaction.
 *
 * @category combinators
 * @since 0.1.0
 */
export const absorb = (row: Row, other: Row): Row => ({
  ...row,
  evidence: Evidence.join(row.evidence, other.evidence),
  callbacks: row.callbacks + other.callbacks,
  ordered: row.ordered ?? other.ordered,
  told: row.told ?? other.told,
  newestCallbacks: { ...other.newestCallbacks, ...row.newestCallbacks }
})

/**
 * Returns a dead letter as it goes on: its handler has its time anew, an id that nobody knew is asked
 * about at once, and amounts that differed may. Calls of the handler go on being counted.
 *
 * @category combinators
 * @since 0.1.0
 */
export const redriven = (row: Row, at: number): Row => ({
  ...row,
  deadLetter: undefined,
  amountCleared: row.amountCleared || row.deadLetter?.reason === "amount-mismatch",
  failingSince: undefined,
  retryAt: at,
  ...(row.deadLetter?.reason === "unknown-transaction" && { pollAt: at })
})
