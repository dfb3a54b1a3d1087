/**
 * The codec of requests: from a line of `pawl_requests` to a `RequestRow` and back.
 */
import type { Method } from "@pawl/core/Kind"
import type { RequestKind } from "@pawl/core/RequestSender"
import type { Outcome, ParkReason, RequestRow } from "../../RequestRow.ts"
import { type BigInteger, orderedIn } from "./RowCodec.ts"

/** A line of `pawl_requests`. */
export interface Columns {
  readonly request_id: string
  readonly kind: RequestKind
  readonly digest: string
  readonly has_card_data: number
  readonly ordered: string | null
  readonly created_at: BigInteger
  readonly retry_from: BigInteger
  readonly expires_at: BigInteger | null
  readonly begun_at: BigInteger | null
  readonly attempts: number
  readonly refusal: string | null
  readonly refusal_count: number | null
  readonly refusal_since: BigInteger | null
  readonly due_at: BigInteger | null
  readonly lease: BigInteger | null
  readonly lease_until: BigInteger | null
  readonly lease_in_doubt: number | null
  readonly outcome: Outcome["_tag"] | null
  readonly not_sent: Extract<Outcome, { _tag: "NotSent" }>["reason"] | null
  readonly settled_at: BigInteger | null
  readonly method: Method | null
  readonly transaction_id: string | null
  readonly denied_transaction_id: string | null
  readonly parked_reason: ParkReason | null
  readonly parked_at: BigInteger | null
  readonly body: string | null
  readonly answer: string | null
}

/** Reads a BIGINT that may be null. */
const optional = (value: BigInteger | null): number | undefined =>
  value === null ? undefined : Number(value)

const outcomeOf = ({ answer, not_sent, outcome }: Columns): Outcome | undefined => {
  switch (outcome) {
    case null:
      return undefined
    case "Found":
      return { _tag: "Found" }
    case "NotSent":
      return { _tag: "NotSent", reason: not_sent ?? "no-effect" }
    case "Answered":
    case "Refused":
      return { _tag: outcome, text: answer ?? undefined }
  }
}

/** Reads a row. */
export const rowOf = (line: Columns): RequestRow => ({
  requestId: line.request_id,
  kind: line.kind,
  digest: line.digest,
  hasCardData: line.has_card_data === 1,
  ordered: orderedIn(line.ordered),
  body: line.body ?? undefined,
  createdAt: Number(line.created_at),
  retryFrom: Number(line.retry_from),
  expiresAt: optional(line.expires_at),
  begunAt: optional(line.begun_at),
  attempts: line.attempts,
  refusals:
    line.refusal === null
      ? undefined
      : {
          reason: line.refusal,
          count: Number(line.refusal_count),
          since: Number(line.refusal_since)
        },
  dueAt: optional(line.due_at),
  lease:
    line.lease === null
      ? undefined
      : {
          id: Number(line.lease),
          until: Number(line.lease_until),
          inDoubt: line.lease_in_doubt === 1
        },
  outcome: outcomeOf(line),
  settledAt: optional(line.settled_at),
  transaction:
    line.method === null || line.transaction_id === null
      ? undefined
      : { method: line.method, transactionId: line.transaction_id },
  deniedTransactionId: line.denied_transaction_id ?? undefined,
  parked:
    line.parked_reason === null
      ? undefined
      : { reason: line.parked_reason, at: Number(line.parked_at) }
})

/** Returns the columns of a row, apart from those that stay as they were written. */
export const changingColumns = (row: RequestRow) => ({
  digest: row.digest,
  retry_from: row.retryFrom,
  expires_at: row.expiresAt ?? null,
  begun_at: row.begunAt ?? null,
  attempts: row.attempts,
  refusal: row.refusals?.reason ?? null,
  refusal_count: row.refusals?.count ?? null,
  refusal_since: row.refusals?.since ?? null,
  due_at: row.dueAt ?? null,
  lease: row.lease?.id ?? null,
  lease_until: row.lease?.until ?? null,
  lease_in_doubt: row.lease === undefined ? null : Number(row.lease.inDoubt),
  outcome: row.outcome?._tag ?? null,
  not_sent: row.outcome?._tag === "NotSent" ? row.outcome.reason : null,
  settled_at: row.settledAt ?? null,
  method: row.transaction?.method ?? null,
  transaction_id: row.transaction?.transactionId ?? null,
  denied_transaction_id: row.deniedTransactionId ?? null,
  parked_reason: row.parked?.reason ?? null,
  parked_at: row.parked?.at ?? null,
  body: row.body ?? null,
  answer: row.outcome !== undefined && "text" in row.outcome ? (row.outcome.text ?? null) : null
})

/** Returns all columns of a new row. */
export const columnsOf = (row: RequestRow) => ({
  request_id: row.requestId,
  kind: row.kind,
  has_card_data: Number(row.hasCardData),
  ordered: row.ordered === undefined ? null : JSON.stringify(row.ordered),
  created_at: row.createdAt,
  ...changingColumns(row)
})
