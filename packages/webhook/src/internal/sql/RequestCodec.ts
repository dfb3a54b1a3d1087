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

type Write = (row: RequestRow) => string | number | null

/** The columns that a change writes, each with its value. The database draws the lease of a new row. */
export const changing = {
  lease: (row) => row.lease?.id ?? null,
  digest: (row) => row.digest,
  retry_from: (row) => row.retryFrom,
  expires_at: (row) => row.expiresAt ?? null,
  begun_at: (row) => row.begunAt ?? null,
  attempts: (row) => row.attempts,
  refusal: (row) => row.refusals?.reason ?? null,
  refusal_count: (row) => row.refusals?.count ?? null,
  refusal_since: (row) => row.refusals?.since ?? null,
  due_at: (row) => row.dueAt ?? null,
  lease_until: (row) => row.lease?.until ?? null,
  lease_in_doubt: (row) => (row.lease === undefined ? null : Number(row.lease.inDoubt)),
  outcome: (row) => row.outcome?._tag ?? null,
  not_sent: (row) => (row.outcome?._tag === "NotSent" ? row.outcome.reason : null),
  settled_at: (row) => row.settledAt ?? null,
  method: (row) => row.transaction?.method ?? null,
  transaction_id: (row) => row.transaction?.transactionId ?? null,
  denied_transaction_id: (row) => row.deniedTransactionId ?? null,
  parked_reason: (row) => row.parked?.reason ?? null,
  parked_at: (row) => row.parked?.at ?? null,
  body: (row) => row.body ?? null,
  answer: ({ outcome }) =>
    outcome !== undefined && "text" in outcome ? (outcome.text ?? null) : null
} satisfies Readonly<Record<string, Write>>

/** The columns that only a new row writes. */
export const lasting = {
  request_id: (row) => row.requestId,
  kind: (row) => row.kind,
  has_card_data: (row) => Number(row.hasCardData),
  ordered: (row) => (row.ordered === undefined ? null : JSON.stringify(row.ordered)),
  created_at: (row) => row.createdAt
} satisfies Readonly<Record<string, Write>>
