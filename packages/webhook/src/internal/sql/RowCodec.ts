/**
 * From a line of `pawl_transactions` and its callbacks to a `Row`.
 *
 * @since 0.1.0
 */
import { type Body, type Signed, signedNames, unsigned } from "@pawl/core/Callback"
import type { Evidence } from "@pawl/core/Evidence"
import * as Json from "@pawl/core/Json"
import type { Status } from "@pawl/core/Status"
import { type Kind, type Method, methodOf } from "@pawl/core/Kind"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import type { DeadLetter, Row, Ordered } from "../../Row.ts"

/** The key of a row. */
export interface Key {
  readonly transaction_id: string
  readonly scope: Kind
}

/** A BIGINT, as a number, a bigint or text: drivers differ. All of ours are safe integers. */
export type Big = number | bigint | string

/** A line of `pawl_transactions`. */
export interface Columns extends Key {
  readonly method: Method
  readonly kind: Kind
  readonly ordered: string | null
  readonly amount_cleared: number
  readonly secret: Row["secret"] | null
  readonly evidence: Evidence
  readonly read_status: Status | null
  readonly read_at: Big | null
  readonly callbacks: Big
  readonly told: Status | null
  readonly sequence: number
  readonly pending_status: Status | null
  readonly attempt: number
  readonly failing_since: Big | null
  readonly retry_at: Big
  readonly created_at: Big
  readonly new_status_at: Big
  readonly polls: number
  readonly poll_at: Big | null
  readonly asked_at: Big | null
  readonly unconfirmed_at: Big | null
  readonly dead_letter_reason: DeadLetter["reason"] | null
  readonly dead_letter_at: Big | null
  readonly dead_letter_to: Status | null
  readonly lease: Big | null
}

/** The newest body of one status of a row. */
export interface Newest extends Key {
  readonly status: Status
  readonly body: Uint8Array
}

/** Makes one text of a key; no scope has a slash. */
export const keyOf = ({ scope, transaction_id }: Key): string => `${scope}/${transaction_id}`

/** Reads a BIGINT that may be null. */
export const big = (value: Big | null): number | undefined =>
  value === null ? undefined : Number(value)

/** Reads a row; `newest` are its bodies. */
export const rowOf = (columns: Columns, newest: Row["newestCallbacks"]): Row => ({
  method: columns.method,
  scope: columns.scope,
  transactionId: columns.transaction_id,
  kind: columns.kind,
  ordered:
    columns.ordered === null
      ? undefined
      : (Result.getOrThrow(Json.fromText(columns.ordered)) as Ordered),
  amountCleared: columns.amount_cleared === 1,
  secret: columns.secret ?? undefined,
  evidence: columns.evidence,
  read:
    columns.read_status === null
      ? undefined
      : { status: columns.read_status, askedAt: Number(columns.read_at) },
  callbacks: Number(columns.callbacks),
  told: columns.told ?? undefined,
  sequence: columns.sequence,
  pendingStatus: columns.pending_status ?? undefined,
  attempt: columns.attempt,
  failingSince: big(columns.failing_since),
  retryAt: Number(columns.retry_at),
  createdAt: Number(columns.created_at),
  newStatusAt: Number(columns.new_status_at),
  polls: columns.polls,
  pollAt: big(columns.poll_at),
  askedAt: big(columns.asked_at),
  unconfirmedAt: big(columns.unconfirmed_at),
  deadLetter:
    columns.dead_letter_reason === null
      ? undefined
      : {
          reason: columns.dead_letter_reason,
          at: Number(columns.dead_letter_at),
          to: columns.dead_letter_to ?? undefined
        },
  newestCallbacks: newest
})

/** Reads the bodies of one row. */
export const newestOf = (lines: ReadonlyArray<Newest>): Row["newestCallbacks"] =>
  Object.fromEntries(
    lines.map(({ body, scope, status }) => {
      const method = methodOf(scope)
      const { fields, signed } = read(method, body)
      return [status, { signed, unsigned: unsigned(method, fields) }]
    })
  )

/** Reads a body again that was read and verified when it came. */
export const read = (
  method: Method,
  bytes: Uint8Array
): { readonly fields: Body; readonly signed: Signed } => {
  const fields = Result.getOrThrow(Json.fromBytes(bytes)) as Readonly<
    Record<string, string | number>
  >
  const [account, amount, currency, transactionId] = signedNames[method]
  const text = (name: string) => String(fields[name])
  return {
    fields,
    signed: {
      account: text(account),
      amount: text(amount),
      currency: text(currency),
      transactionId: text(transactionId)
    }
  }
}

/** A text that is as long as its list is worth keeping prepared only where the list is one long. */
export const lone = <A extends object>(
  list: ReadonlyArray<unknown>,
  statement: Statement<A>
): Effect.Effect<ReadonlyArray<A>, SqlError> =>
  list.length === 1 ? statement : statement.unprepared
