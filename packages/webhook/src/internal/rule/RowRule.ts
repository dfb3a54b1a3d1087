/**
 * The rule of a row: the effect of each operation of a ledger on the rows of a transaction.
 *
 * Every function is pure, and takes all rows of a method and id, because a write may join two.
 * Times are milliseconds since the epoch.
 */
import type { Signed } from "@pawl/core/Callback"
import * as Evidence from "@pawl/core/Evidence"
import { isKnown, type Kind } from "@pawl/core/Kind"
import { isTerminal, type Status, statuses } from "@pawl/core/Status"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as Fact from "./Fact.ts"
import * as KindHints from "./KindHints.ts"
import {
  type Lane,
  moreUrgent,
  type Change,
  type LetterKey,
  type Leased,
  type Registration,
  type Row
} from "./Row.ts"
import { joinOrders, orderAfter, type RegisteredDifferently } from "./Order.ts"
import { findOrMake, type Lease, type StoredRow, type StoredRows } from "./StoredRow.ts"
import type { Verified } from "../../VerifyCallback.ts"

/** The first 15 and the last one. */
export const quarantineLimit = 16

/** Bodies of up to 4 KiB do not count. */
export const bodiesLimit = 256 * 1024
const smallBody = 4 * 1024

export const signedOf = ({ refundId, signed, transactionId }: Verified): Signed | undefined =>
  refundId === undefined && signed.transactionId === transactionId ? signed : undefined

/** Stores a callback; a new status restarts the poll intervals. */
export const accept = (
  rows: StoredRows,
  verified: Verified,
  claim: Status,
  at: number
): {
  readonly rows: StoredRows
  readonly isNew: boolean
  readonly isDue: boolean
  readonly hasRoom: boolean
} => {
  const { bytes, kind, ordered, secret, transactionId } = verified
  const stored = findOrMake(rows, kind, transactionId, at, "callback")
  const { row } = stored
  const hints = KindHints.ofCallback(verified)
  const isNew = (row.evidence & Evidence.claimed(claim)) === 0
  const isConfirmed = (row.evidence & Evidence.confirmed(claim)) !== 0
  const isDue = isNew || !isConfirmed
  const first = stored.accepted[claim]
  const before = row.newestCallbacks[claim]?.size
  const hasRoom =
    bytes.length <= smallBody || sizeOf(rows) - (before ?? 0) + bytes.length <= bodiesLimit
  const size = hasRoom ? (bytes.length > smallBody ? bytes.length : undefined) : before
  const next: StoredRow = {
    row: {
      ...row,
      kind: isKnown(row.kind) ? row.kind : kind,
      ordered: row.ordered ?? ordered,
      namesPayout: row.namesPayout || hints.namesPayout,
      namesRefund: row.namesRefund || hints.namesRefund,
      secret,
      evidence: Evidence.join(row.evidence, Evidence.claimed(claim)),
      callbacks: row.callbacks + 1,
      unconfirmedAt: isConfirmed ? row.unconfirmedAt : at,
      newStatusAt: isNew ? at : row.newStatusAt,
      polls: isNew ? 0 : row.polls,
      pollAt: isNew ? undefined : row.pollAt,
      newestCallbacks: put(row.newestCallbacks, claim, {
        at,
        signed: signedOf(verified),
        ...(size !== undefined && { size })
      })
    },
    ...dueIn(stored, isDue ? at : undefined, isNew ? laneOfNew(claim) : "repeat"),
    lease: stored.lease,
    bodies: hasRoom ? put(stored.bodies, claim, bytes) : stored.bodies,
    facts: stored.facts,
    accepted: put(stored.accepted, claim, {
      at: first?.at ?? at,
      count: (first?.count ?? 0) + 1
    })
  }
  return { rows: replace(rows, stored, next), isNew, isDue, hasRoom }
}

const sizeOf = (rows: StoredRows): number =>
  rows
    .flatMap(({ row }) => Object.values(row.newestCallbacks))
    .reduce((sum, { size = 0 }) => sum + size, 0)

const laneOfNew = (claim: Status): Lane => (isTerminal(claim) ? "ask" : "tell")

/** Its status counts as confirmed. A registration adds fields to an earlier one or fails. */
export const register = (
  rows: StoredRows,
  registration: Registration,
  at: number
): Result.Result<StoredRows, RegisteredDifferently> => {
  const { kind, status, transactionId } = registration
  const stored = findOrMake(rows, kind, transactionId, at, "registration")
  const confirmed = status === undefined ? Evidence.none : Evidence.confirmed(status)
  return Result.map(orderAfter(stored.row, registration), (order) =>
    replace(rows, stored, {
      ...stored,
      row: {
        ...stored.row,
        kind,
        ...order,
        registered: true,
        evidence: Evidence.join(stored.row.evidence, confirmed)
      },
      ...dueIn(stored, at, "tell"),
      facts: Fact.add(stored.facts, { fact: "registered", kind, status, at })
    })
  )
}

export const lease = (
  rows: StoredRows,
  scope: Kind,
  { id, until }: Omit<Lease, "evidence">
): { readonly rows: StoredRows; readonly leased: Leased | undefined } => {
  const stored = rows.find(({ row }) => row.scope === scope)
  if (stored === undefined) return { rows, leased: undefined }
  const { evidence } = stored.row
  return {
    rows: replace(rows, stored, { ...stored, dueAt: undefined, lease: { id, until, evidence } }),
    leased: { ...stored.row, lease: id, evidenceAtLease: evidence }
  }
}

/**
 * Writes the result of work.
 *
 * Without the lease, or at another sequence, the same `rows` are returned and `leased` is
 * undefined. If another row has the kind in the change, the leased row is joined to it and removed.
 */
export const write = (
  rows: StoredRows,
  leased: Leased,
  { facts = [], ifSequence, release, until, ...change }: Change
): { readonly rows: StoredRows; readonly leased: Leased | undefined } => {
  const stored = rows.find(({ row }) => row.scope === leased.scope)
  if (stored?.lease?.id !== leased.lease) return { rows, leased: undefined }
  const { lease, row } = stored
  if (ifSequence !== undefined && ifSequence !== row.sequence) return { rows, leased: undefined }
  const isOvertaken = Evidence.claimedStatuses(row.evidence & ~lease.evidence).length > 0
  const next: StoredRow = {
    ...stored,
    row: {
      ...changed(row, change),
      ...(isOvertaken && { polls: row.polls, pollAt: row.pollAt, newStatusAt: row.newStatusAt })
    },
    // A jittered schedule waits for a fraction of a millisecond, which PostgreSQL refuses.
    ...(release === undefined
      ? { lease: { ...lease, until: until ?? lease.until } }
      : {
          lease: undefined,
          ...dueIn(stored, release.dueAt && Math.ceil(release.dueAt), release.lane ?? "repeat")
        }),
    facts: facts.reduce(Fact.add, stored.facts)
  }
  const others = rows.filter((other) => other !== stored)
  const target = others.find((other) => other.row.kind === change.kind)
  return target === undefined
    ? {
        rows: replace(rows, stored, next),
        leased: { ...next.row, lease: lease.id, evidenceAtLease: lease.evidence }
      }
    : { rows: replace(others, target, join(target, next)), leased: undefined }
}

/** The sequence of a row does not go back. */
export const changed = <A extends Row>(row: A, change: Change): A => ({
  ...row,
  ...Struct.omit(change, ["facts", "ifSequence", "release", "until"]),
  evidence: Evidence.join(row.evidence, change.evidence ?? Evidence.none),
  read: Evidence.joinRead(row.read, change.read),
  sequence: Math.max(row.sequence, change.sequence ?? row.sequence)
})

export const joinChanges = (one: Change, two: Change): Change => {
  const evidence = Evidence.join(one.evidence ?? Evidence.none, two.evidence ?? Evidence.none)
  const read = Evidence.joinRead(one.read, two.read)
  const sequence = Math.max(one.sequence ?? 0, two.sequence ?? 0)
  return {
    ...one,
    ...two,
    ...(evidence !== Evidence.none && { evidence }),
    ...(read !== undefined && { read }),
    ...(sequence > 0 && { sequence }),
    facts: [...(one.facts ?? []), ...(two.facts ?? [])]
  }
}

/**
 * Joins another row and makes the result due. The larger sequence stays, so that a consumer takes
 * no new transition for a late one.
 */
export const join = (stored: StoredRow, other: StoredRow): StoredRow => ({
  ...stored,
  row: {
    ...stored.row,
    evidence: Evidence.join(stored.row.evidence, other.row.evidence),
    callbacks: stored.row.callbacks + other.row.callbacks,
    ...joinOrders(stored.row, other.row),
    registered: stored.row.registered || other.row.registered,
    namesPayout: stored.row.namesPayout || other.row.namesPayout,
    namesRefund: stored.row.namesRefund || other.row.namesRefund,
    isErased: stored.row.isErased || other.row.isErased,
    read: Evidence.joinRead(stored.row.read, other.row.read),
    unconfirmedAt: later(stored.row.unconfirmedAt, other.row.unconfirmedAt),
    told: stored.row.told ?? other.row.told,
    sequence: Math.max(stored.row.sequence, other.row.sequence),
    newestCallbacks: { ...other.row.newestCallbacks, ...stored.row.newestCallbacks },
    ...joinUnknown(stored.row, other.row)
  },
  ...dueIn(stored, other.row.newStatusAt, "tell"),
  bodies: { ...other.bodies, ...stored.bodies },
  facts: Fact.join(stored.facts, other.facts, other.row.scope),
  accepted: statuses.reduce<StoredRow["accepted"]>((accepted, status) => {
    const one = stored.accepted[status]
    const two = other.accepted[status]
    if (two === undefined) return accepted
    const count = two.count + (one?.count ?? 0)
    return { ...accepted, [status]: { at: one?.at ?? two.at, count } }
  }, stored.accepted)
})

/** The handler gets its full time for retries, and a differing amount is allowed from now on. */
export const redrive = (
  rows: StoredRows,
  { reason, scope }: LetterKey,
  at: number,
  event: Fact.Event = Fact.redriven(at)
): StoredRows => {
  const isNamed = ({ row: { deadLetter, ...row } }: StoredRow) =>
    deadLetter !== undefined &&
    (scope ?? row.scope) === row.scope &&
    (reason ?? deadLetter.reason) === deadLetter.reason
  const redriven = (stored: StoredRow): StoredRow => {
    const { row } = stored
    const reason = row.deadLetter?.reason
    return {
      ...stored,
      row: {
        ...row,
        deadLetter: undefined,
        amountCleared: row.amountCleared || reason === "amount-mismatch",
        failingSince: undefined,
        retryAt: at,
        pollAt: reason === "unknown-transaction" ? at : row.pollAt
      },
      ...dueIn(stored, at, "retry"),
      facts: Fact.add(stored.facts, event)
    }
  }
  return rows.some(isNamed)
    ? rows.map((stored) => (isNamed(stored) ? redriven(stored) : stored))
    : rows
}

const replace = (rows: StoredRows, stored: StoredRow, next: StoredRow): StoredRows => {
  const index = rows.indexOf(stored)
  return index === -1 ? [...rows, next] : rows.with(index, next)
}

/** A computed key in a literal takes three times as long as the assignment. */
const put = <Value>(
  values: Readonly<Partial<Record<Status, Value>>>,
  status: Status,
  value: Value
): Partial<Record<Status, Value>> => {
  const changed = { ...values }
  changed[status] = value
  return changed
}

const joinUnknown = ({ unknown = [] }: Row, other: Row): Pick<Row, "unknown"> => {
  const numbers = new Set(unknown.map((line) => line.charAt(0)))
  const joined = [
    ...unknown,
    ...(other.unknown ?? []).filter((line) => !numbers.has(line.charAt(0)))
  ]
  return joined.length === 0 ? {} : { unknown: joined }
}

const later = (one: number | undefined, two: number | undefined): number | undefined =>
  one === undefined || two === undefined ? (one ?? two) : Math.max(one, two)

const dueIn = (
  { dueAt, lane }: StoredRow,
  at: number | undefined,
  inLane: Lane
): Pick<StoredRow, "dueAt" | "lane"> => {
  if (at === undefined) return { dueAt, lane }
  return dueAt === undefined
    ? { dueAt: at, lane: inLane }
    : { dueAt: Math.min(dueAt, at), lane: moreUrgent(lane, inLane) }
}
