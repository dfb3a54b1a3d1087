/**
 * The rule of a request: pure functions that return the changed row, or undefined if nothing
 * changes. Times are milliseconds since the epoch.
 *
 * ```text
 * write ─▶ written ─▶ begin ─▶ begun ─▶ settle ─▶ settled
 *             │                  │  ▲
 *           cancel, expiry       │  └─ redrive
 *             ▼                  ▼
 *          settled             parked
 * ```
 *
 * From `begin` on a request is in doubt, because its first byte may have left; only an answer, a
 * callback, a read or a person ends the doubt.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as Order from "./Order.ts"
import type {
  LeasedRequest,
  NewRequest,
  Outcome,
  ParkReason,
  Redrive,
  Release,
  RequestLease,
  RequestRow,
  SettledTransaction,
  Settlement
} from "./RequestRow.ts"
import type { Row } from "./Row.ts"

export const maxRefusals = 3

/** In milliseconds, from the first refusal to the last. */
export const refusalTime = 10 * 60_000

type NewLease = Pick<RequestLease, "id" | "until">

/** Writes a request: a lease begins it at once, and without one it is due. */
export const write = (
  { body, digest, expiresAt, hasCardData, kind, ordered, requestId }: NewRequest,
  at: number,
  lease?: NewLease
): RequestRow => ({
  requestId,
  kind,
  digest,
  hasCardData,
  ordered,
  body,
  createdAt: at,
  retryFrom: at,
  expiresAt,
  begunAt: lease && at,
  attempts: lease === undefined ? 0 : 1,
  refusals: undefined,
  dueAt: lease === undefined ? at : undefined,
  lease: lease && { ...lease, inDoubt: false },
  outcome: undefined,
  settledAt: undefined,
  transaction: undefined,
  deniedTransactionId: undefined,
  parked: undefined
})

const unknownKind = "unknown"

export const isUnreadable = ({ kind }: { readonly kind: string }): boolean => kind === unknownKind

/** Makes the row of an unreadable document, which was listed at a time. */
export const unreadable = (requestId: string, at: number): RequestRow => ({
  ...write(
    { requestId, kind: unknownKind as RequestRow["kind"], digest: "", hasCardData: false },
    at
  ),
  dueAt: undefined,
  parked: { reason: "unreadable", at }
})

/** Tells whether a request was surely never sent, and is not leased. */
export const isUnsent = ({ begunAt, lease, outcome }: RequestRow): boolean =>
  outcome === undefined
    ? begunAt === undefined && lease === undefined
    : outcome._tag === "NotSent" && outcome.reason === "no-effect"

export const restart = (
  row: RequestRow,
  request: NewRequest,
  at: number,
  lease?: NewLease
): RequestRow | undefined => {
  const { createdAt, deniedTransactionId } = row
  if (!isUnsent(row)) return undefined
  const expiresAt = request.expiresAt ?? row.expiresAt
  return expiresAt !== undefined && at >= expiresAt
    ? settled(row, { _tag: "NotSent", reason: "expired" }, at)
    : {
        ...write({ ...request, expiresAt }, at, lease),
        createdAt,
        deniedTransactionId,
        ...(row.unknown && { unknown: row.unknown })
      }
}

export const lease = (row: RequestRow, { id, until }: NewLease): LeasedRequest => ({
  ...row,
  attempts: row.attempts + 1,
  dueAt: undefined,
  parked: undefined,
  lease: { id, until, inDoubt: row.begunAt !== undefined }
})

const holds = (row: RequestRow, leaseId: number | undefined): boolean =>
  row.lease !== undefined && row.lease.id === leaseId

export const begin = (
  row: RequestRow,
  leaseId: number,
  at: number,
  window: number
): RequestRow | undefined =>
  holds(row, leaseId) && !isExpired(row, at, window) && !isPastWindow(row, at, window)
    ? { ...row, begunAt: windowStart(row, at) }
    : undefined

export const renew = (row: RequestRow, leaseId: number, until: number): RequestRow | undefined =>
  holds(row, leaseId) && row.lease !== undefined
    ? { ...row, lease: { ...row.lease, until } }
    : undefined

export const release = (
  row: RequestRow,
  leaseId: number,
  { at, dueAt, hadNoEffect, refusal }: Release
): RequestRow | undefined => {
  if (row.lease === undefined || !holds(row, leaseId)) return undefined
  const { count, since } = row.refusals ?? { count: 0, since: at }
  const refusals =
    refusal === undefined ? row.refusals : { reason: refusal, count: count + 1, since }
  const isRefused =
    refusal !== undefined &&
    refusals !== undefined &&
    refusals.count >= maxRefusals &&
    at - refusals.since >= refusalTime
  return {
    ...row,
    begunAt: hadNoEffect === true && !row.lease.inDoubt ? undefined : row.begunAt,
    refusals,
    lease: undefined,
    dueAt: isRefused ? undefined : dueAt,
    parked: isRefused ? { reason: "refused", at } : undefined
  }
}

const proofOf = ({ _tag }: Outcome): number => (_tag === "Answered" ? 2 : _tag === "Found" ? 1 : 0)

/**
 * Settles a request, and deletes its body unless the request was only found.
 *
 * An outcome that proves more replaces one that proves less. `Answered` and `Found` are facts and
 * need no lease. `Refused` and `NotSent` need the lease of a request that was not in doubt.
 */
export const settle = (
  row: RequestRow,
  { at, lease: leaseId, outcome, transaction }: Settlement
): RequestRow | undefined => {
  const isFree = holds(row, leaseId) && row.lease?.inDoubt === false
  const proven = row.outcome === undefined ? (isFree ? -1 : 0) : proofOf(row.outcome)
  return proofOf(outcome) > proven ? settled(row, outcome, at, transaction) : undefined
}

/** Only an outcome that proves more changes a request with an outcome. */
export const isProvedWrong = (
  before: RequestRow | undefined,
  settled: RequestRow | undefined
): boolean =>
  settled !== undefined && before?.outcome !== undefined && proofOf(before.outcome) === 0

export const wasChanged = "a stored request was changed: it is parked"

export const provedWrong =
  "a request that was refused or given up took effect: its transaction is known now"

const settled = (
  row: RequestRow,
  outcome: Outcome,
  at: number,
  transaction: SettledTransaction | undefined = row.transaction
): RequestRow => ({
  ...row,
  body: outcome._tag === "Found" ? row.body : undefined,
  begunAt: outcome._tag === "NotSent" ? undefined : row.begunAt,
  refusals: undefined,
  dueAt: undefined,
  lease: undefined,
  parked: undefined,
  outcome,
  settledAt: at,
  transaction
})

/**
 * Settles a request by a transaction whose token names it. A token can be moved, so the service must
 * have confirmed a status, and the signed fields must be as ordered. A redrive undoes a wrong match.
 */
export const find = (row: RequestRow, found: Row): RequestRow | undefined => {
  const { evidence, isOrderRegistered, method, ordered, read, registered, transactionId } = found
  const isNamed =
    registered === isOrderRegistered &&
    ordered?.requestId === row.requestId &&
    row.deniedTransactionId !== transactionId
  const isConfirmed = read !== undefined && Evidence.confirmedStatuses(evidence).length > 0
  if (!isNamed || !isConfirmed || !Order.isOfRequest(row, found)) return undefined
  const transaction = { method, transactionId }
  return settle(row, { outcome: { _tag: "Found" }, at: read.askedAt, transaction })
}

export const cancel = (row: RequestRow, at: number): RequestRow | undefined =>
  row.outcome === undefined && row.begunAt === undefined
    ? settled(row, { _tag: "NotSent", reason: "cancelled" }, at)
    : undefined

export const park = (
  row: RequestRow,
  leaseId: number,
  reason: ParkReason,
  at: number
): RequestRow | undefined =>
  holds(row, leaseId)
    ? { ...row, lease: undefined, dueAt: undefined, parked: { reason, at } }
    : undefined

/** Past the window, or for a found request, a person must state that it had no effect. */
export const redrive = (
  row: RequestRow,
  { at, canSend = true, hadNoEffect = false, parkedAt, window }: Redrive
): RequestRow | undefined => {
  if (parkedAt !== undefined && parkedAt !== row.parked?.at) return undefined
  const isFound = row.outcome?._tag === "Found"
  if (row.parked === undefined && !(isFound && hadNoEffect)) return undefined
  if (!hadNoEffect && isPastWindow(row, at, window)) return undefined
  const denied = isFound ? row.transaction?.transactionId : row.deniedTransactionId
  const open: RequestRow = {
    ...row,
    outcome: undefined,
    settledAt: undefined,
    transaction: undefined,
    deniedTransactionId: denied,
    begunAt: hadNoEffect ? undefined : row.begunAt,
    retryFrom: at,
    attempts: 0,
    refusals: undefined,
    dueAt: at,
    parked: undefined
  }
  const isLost = isFound && row.body === undefined
  return hadNoEffect && (isLost || !canSend)
    ? settled(open, { _tag: "NotSent", reason: "no-effect" }, at)
    : open
}

export const deleteTexts = (row: RequestRow, before: number): RequestRow | undefined => {
  const { outcome, settledAt = Infinity } = row
  const text = outcome !== undefined && "text" in outcome ? outcome.text : undefined
  if (settledAt >= before || (row.body ?? text) === undefined) return undefined
  return {
    ...row,
    body: undefined,
    outcome: outcome && "text" in outcome ? { ...outcome, text: undefined } : outcome
  }
}

export const maxWait = 5 * 60_000

const maxDifference = 5000

/** A row planned later was planned before the clock was set back. */
export const latestPlan = (at: number): number => at + maxWait + maxDifference

/** Returns the wait after an attempt in milliseconds: 1, 2, 4, … s, at most 5 minutes. */
export const waitAfter = (attempt: number): number =>
  Math.min(1000 * 2 ** Math.max(attempt - 1, 0), maxWait)

export const claimableAt = ({ dueAt, lease }: RequestRow): number | undefined =>
  lease?.until ?? dueAt

export const isClaimable = (row: RequestRow, at: number): boolean => {
  const time = claimableAt(row)
  return time !== undefined && (time <= at || time > latestPlan(at))
}

/** A caller with its bytes may send an idle request earlier than planned. */
export const isIdle = (row: RequestRow, at: number): boolean =>
  row.dueAt !== undefined || isClaimable(row, at) || row.parked?.reason === "card-data"

export const isExpired = (
  { begunAt, expiresAt = Infinity, retryFrom }: RequestRow,
  at: number,
  window: number
): boolean => begunAt === undefined && at >= Math.min(expiresAt, retryFrom + window)

/** A later start comes from a clock that was ahead. */
const windowStart = ({ begunAt = Infinity }: RequestRow, at: number): number =>
  Math.min(begunAt, at)

/** Returns the time until which a request is sent; without doubt at most `expiresAt`. */
export const sentUntil = (row: RequestRow, at: number, window: number): number => {
  const { expiresAt = Infinity, lease } = row
  return Math.min(windowStart(row, at) + window, lease?.inDoubt === false ? expiresAt : Infinity)
}

/** After the window the service may no longer know the requestId. */
export const isPastWindow = (row: RequestRow, at: number, window: number): boolean =>
  row.begunAt !== undefined && at >= windowStart(row, at) + window
