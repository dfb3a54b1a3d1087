/**
 * The codec of rows: from a line of `pawl_transactions` and its callbacks to a `Row`.
 */
import { type Body, type Signed, signedNames } from "@pawl/core/Callback"
import type { Evidence } from "@pawl/core/Evidence"
import * as Json from "@pawl/core/Json"
import { isStatus, type Status } from "@pawl/core/Status"
import type { Kind, Method } from "@pawl/core/Kind"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import type { DeadLetter, Ordered, Row } from "../../Row.ts"

/** The key of a row. */
export interface Key {
  readonly transaction_id: string
  readonly scope: Kind
}

/** A BIGINT as drivers return it: a number, a bigint or text. All values of the ledger are safe integers. */
export type BigInteger = number | bigint | string

/** A line of `pawl_transactions`. */
export interface Columns extends Key {
  readonly method: Method
  readonly kind: Kind
  readonly ordered: string | null
  readonly registered: number
  readonly order_registered: number
  readonly names_refund: number
  readonly amount_cleared: number
  readonly secret: Row["secret"] | null
  readonly evidence: Evidence
  readonly read_status: Status | null
  readonly read_at: BigInteger | null
  readonly callbacks: BigInteger
  readonly told: Status | null
  readonly sequence: number
  readonly pending_status: Status | null
  readonly attempt: number
  readonly failing_since: BigInteger | null
  readonly retry_at: BigInteger
  readonly created_at: BigInteger
  readonly new_status_at: BigInteger
  readonly polls: number
  readonly poll_at: BigInteger | null
  readonly asked_at: BigInteger | null
  readonly unconfirmed_at: BigInteger | null
  readonly dead_letter_reason: DeadLetter["reason"] | null
  readonly dead_letter_at: BigInteger | null
  readonly dead_letter_to: Status | null
  readonly facts: number
  readonly lease: BigInteger | null
  readonly claimable_at: BigInteger | null
}

/** The signed fields of a callback; null if they are not those of its row's transaction. */
export interface SignedColumns {
  readonly account: string | null
  readonly amount: string | null
  readonly currency: string | null
}

/** A line of `pawl_callbacks` without its bodies: the newest callback of one status of a row. */
export interface CallbackColumns extends Key, SignedColumns {
  readonly status: Status
  readonly at: BigInteger
}

/** Returns a key as one text. No scope contains a slash. */
export const keyOf = ({ scope, transaction_id }: Key): string => `${scope}/${transaction_id}`

/** Reads a BIGINT that may be null. */
const optionalNumber = (value: BigInteger | null): number | undefined =>
  value === null ? undefined : Number(value)

/** Reads an order; undefined if there is none or it cannot be read. */
export const orderedIn = (text: string | null): Ordered | undefined => {
  const json: unknown = text === null ? null : Result.getOrUndefined(Json.fromText(text))
  return Predicate.isObject(json) ? json : undefined
}

/** Returns the name of the first column that cannot be read. */
const unreadableIn = (columns: Columns, callbacks: Row["newestCallbacks"]): string | undefined => {
  if (columns.ordered !== null && orderedIn(columns.ordered) === undefined) return "ordered"
  const column = statusColumns.find((name) => columns[name] !== null && !isStatus(columns[name]))
  return column ?? (Object.keys(callbacks).every(isStatus) ? undefined : "status")
}

const statusColumns = ["read_status", "told", "pending_status", "dead_letter_to"] as const

const optionalStatus = (text: Status | null): Status | undefined =>
  isStatus(text) ? text : undefined

/** Reads a row. A column that cannot be read does not stop the rows beside it. */
export const rowOf = (columns: Columns, newestCallbacks: Row["newestCallbacks"]): Row => {
  const row = readableRowOf(columns, newestCallbacks)
  const unreadable = unreadableIn(columns, newestCallbacks)
  return unreadable === undefined ? row : { ...row, unreadable }
}

const readableRowOf = (columns: Columns, newestCallbacks: Row["newestCallbacks"]): Row => ({
  method: columns.method,
  scope: columns.scope,
  transactionId: columns.transaction_id,
  kind: columns.kind,
  ordered: orderedIn(columns.ordered),
  registered: columns.registered === 1,
  isOrderRegistered: columns.order_registered === 1,
  namesRefund: columns.names_refund === 1,
  amountCleared: columns.amount_cleared === 1,
  secret: columns.secret ?? undefined,
  evidence: columns.evidence,
  read: !isStatus(columns.read_status)
    ? undefined
    : { status: columns.read_status, askedAt: Number(columns.read_at) },
  callbacks: Number(columns.callbacks),
  told: optionalStatus(columns.told),
  sequence: columns.sequence,
  pendingStatus: optionalStatus(columns.pending_status),
  attempt: columns.attempt,
  failingSince: optionalNumber(columns.failing_since),
  retryAt: Number(columns.retry_at),
  createdAt: Number(columns.created_at),
  newStatusAt: Number(columns.new_status_at),
  polls: columns.polls,
  pollAt: optionalNumber(columns.poll_at),
  askedAt: optionalNumber(columns.asked_at),
  unconfirmedAt: optionalNumber(columns.unconfirmed_at),
  deadLetter:
    columns.dead_letter_reason === null
      ? undefined
      : {
          reason: columns.dead_letter_reason,
          at: Number(columns.dead_letter_at),
          to: optionalStatus(columns.dead_letter_to)
        },
  newestCallbacks
})

/** Reads the newest callbacks of one row. */
export const newestOf = (lines: ReadonlyArray<CallbackColumns>): Row["newestCallbacks"] =>
  Object.fromEntries(
    lines.map(({ account, amount, at, currency, status, transaction_id: transactionId }) => [
      status,
      {
        at: Number(at),
        signed:
          account === null || amount === null || currency === null
            ? undefined
            : { account, amount, currency, transactionId }
      }
    ])
  )

/** Returns signed fields as they are stored. */
export const columnsOf = (signed: Signed | undefined): SignedColumns => ({
  account: signed?.account ?? null,
  amount: signed?.amount ?? null,
  currency: signed?.currency ?? null
})

/** Reads the stored body of a callback, which was verified before it was stored. */
export const readBody = (
  method: Method,
  bytes: Uint8Array
): { readonly body: Body; readonly signed: Signed } => {
  const body = Result.getOrThrow(Json.fromBytes(bytes)) as Readonly<Record<string, string | number>>
  const [account, amount, currency, transactionId] = signedNames[method]
  const text = (name: string) => String(body[name])
  return {
    body,
    signed: {
      account: text(account),
      amount: text(amount),
      currency: text(currency),
      transactionId: text(transactionId)
    }
  }
}

/**
 * Prepares a statement only if its list has one element. With a longer list the text of the statement depends on
 * the length, so it is rarely used again.
 */
export const preparedIfSingle = <A extends object>(
  list: ReadonlyArray<unknown>,
  statement: Statement<A>
): Effect.Effect<ReadonlyArray<A>, SqlError> =>
  list.length === 1 ? statement : statement.unprepared
