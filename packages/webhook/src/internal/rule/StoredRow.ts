/**
 * Stored rows: which row an event belongs to, and when a row may be claimed.
 *
 * `RowRule` states how stored rows change.
 */
import type * as Evidence from "@pawl/core/Evidence"
import { type Kind, kindsOf, type Method, methodOf } from "@pawl/core/Kind"
import { type Status, statuses } from "@pawl/core/Status"
import * as Fact from "./Fact.ts"
import { type Lane, perLane, type PerLane, blank, type Row } from "./Row.ts"
import type { Verified } from "../../VerifyCallback.ts"
import type { Kept } from "./Fact.ts"

/**
 * A row with what a ledger keeps beside it.
 *
 * - `dueAt`: when work on the row is due; undefined when it is not. A lease clears it, so during a lease
 *   it says when new work came.
 * - `bodies`: the body of each of the newest callbacks, as the bytes that came.
 * - `facts`: the facts of the row.
 * - `accepted`: for each status, when its first callback came, and the number of its callbacks.
 */
export interface StoredRow {
  readonly row: Row
  readonly dueAt: number | undefined
  readonly lane: Lane
  readonly lease: Lease | undefined
  readonly bodies: Readonly<Partial<Record<Status, Uint8Array>>>
  readonly facts: Fact.Facts
  readonly accepted: Readonly<Partial<Record<Status, Accepted>>>
}

/** The callbacks that claim one status: when the first came, and their number. */
export interface Accepted {
  readonly at: number
  readonly count: number
}

export type StoredRows = ReadonlyArray<StoredRow>

/**
 * The exclusive right of one worker to work on a row, until a time.
 *
 * - `evidence`: the evidence of the row when it was leased.
 */
export interface Lease {
  readonly id: number
  readonly until: number
  readonly evidence: Evidence.Evidence
}

/** The source of an event that belongs to a row. */
export type Source = "callback" | "registration"

/**
 * Finds the row that an event belongs to, among the rows of a method and id: the row of the event's kind,
 * else the row whose kind is not known. If the event names only the method, a payment is chosen before a
 * payout, and a payout before a refund.
 *
 * The callback of a refund does not take a row of unknown kind, which may be the payment's. The
 * registration of a refund takes it, because its id is the refund's own.
 */
export const find = <A>(
  rows: ReadonlyArray<A>,
  kindOf: (row: A) => Kind,
  kind: Kind,
  source: Source
): A | undefined => {
  for (const candidate of candidates(kind, source)) {
    const found = rows.find((row) => kindOf(row) === candidate)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the kinds of row among which `find` chooses: a row of the first kind, else of the second, and so on. */
export const candidates = (kind: Kind, source: Source): ReadonlyArray<Kind> => {
  const method = methodOf(kind)
  const known: ReadonlyArray<Kind> = kind === method ? kindsOf[method] : [kind]
  return kind === "refund" && source === "callback" ? known : [...known, method]
}

/** Finds the row that an event belongs to, or makes an empty row of its kind. */
export const findOrMake = (
  rows: StoredRows,
  kind: Kind,
  transactionId: string,
  at: number,
  source: Source
): StoredRow => find(rows, kindOf, kind, source) ?? newRow(kind, transactionId, at)

export const newRow = (kind: Kind, transactionId: string, at: number): StoredRow => ({
  row: blank(kind, transactionId, at),
  dueAt: undefined,
  lane: "repeat",
  lease: undefined,
  bodies: {},
  facts: Fact.none,
  accepted: {}
})

/** Returns the row that `Ledger.get` returns. */
export const get = (rows: StoredRows, method: Method): Row | undefined =>
  find(rows, kindOf, method, "callback")?.row

/** Returns a callback as the callback of the registered refund that its body names. */
export const ofNamedRefund = (verified: Verified): Verified => ({
  ...verified,
  kind: "refund",
  transactionId: verified.refundId ?? verified.transactionId
})

/** Tells whether rows have a registered refund. Only such a refund is named by an id that is not signed. */
export const hasRegisteredRefund = (rows: StoredRows): boolean =>
  rows.some(({ row }) => row.kind === "refund" && row.registered)

const kindOf = ({ row }: StoredRow): Kind => row.kind

/** Returns when a row may be claimed: when its lease ends, else when it is due, else `Infinity`. */
export const claimableAt = ({ dueAt, lease }: StoredRow): number =>
  lease?.until ?? dueAt ?? Infinity

/**
 * Returns the rows that may be claimed at a time, oldest first: of each lane at most `limits`. They are the oldest of the
 * lane; only of those in the lane of first reads, `newest` are the newest.
 */
export const claimable = (
  rows: StoredRows,
  at: number,
  limits: number | PerLane = Infinity,
  newest = 0
): StoredRows => {
  const limit = perLane(limits)
  const left = { ...limit, ask: limit.ask - newest }
  const due = rows
    .filter((stored) => claimableAt(stored) <= at)
    .toSorted((one, two) => claimableAt(one) - claimableAt(two))
  const claimed = new Set(due.filter(({ lane }) => left[lane]-- > 0))
  const others = due.filter((stored) => stored.lane === "ask" && !claimed.has(stored))
  const last = new Set(newest === 0 ? [] : others.slice(-newest))
  return due.filter((stored) => claimed.has(stored) || last.has(stored))
}

/**
 * Corrects rows after the clock was set back by `by` to `at`: rows that may be claimed within twice that time and the
 * time of a lease are due earlier by it, and no lease ends after `until`.
 */
export const shift = (
  rows: StoredRows,
  { at, by, until }: { readonly at: number; readonly by: number; readonly until: number }
): StoredRows =>
  rows.map((stored) => {
    const claimable = claimableAt(stored)
    if (claimable <= at || claimable > until + 2 * by) return stored
    const { dueAt, lease } = stored
    return {
      ...stored,
      dueAt: dueAt === undefined || dueAt <= at ? dueAt : Math.max(at, dueAt - by),
      lease: lease && { ...lease, until: Math.min(lease.until, until) }
    }
  })

/**
 * Returns when the next of the rows may be claimed, in the lanes whose limit is not 0; undefined when no row may be.
 */
export const nextClaimableAt = (
  rows: StoredRows,
  limits: number | PerLane = Infinity
): number | undefined => {
  const limit = perLane(limits)
  const next = rows.reduce(
    (soonest, stored) =>
      limit[stored.lane] > 0 ? Math.min(soonest, claimableAt(stored)) : soonest,
    Infinity
  )
  return next === Infinity ? undefined : next
}

/**
 * A row with its facts, those of its callbacks included, in the order of their first events. `complete` is false if the row is
 * older than the facts, or has more events than facts are kept.
 */
export interface Story {
  readonly row: Row
  readonly facts: ReadonlyArray<Kept>
  readonly complete: boolean
}

/** Makes the story of a stored row. `isOlder` is true if the row is older than the facts. */
export const storyOf = (
  { accepted, facts, row }: Pick<StoredRow, "accepted" | "facts" | "row">,
  isOlder = false
): Story => {
  const callbacks = statuses.flatMap((status): ReadonlyArray<Kept> => {
    const claims = accepted[status]
    if (claims === undefined) return []
    const lastAt = row.newestCallbacks[status]?.at ?? (claims.count === 1 ? claims.at : undefined)
    return [{ fact: "accepted", status, ...claims, lastAt, number: 0, from: undefined }]
  })
  return {
    row,
    facts: [...callbacks, ...facts.kept].toSorted(
      (one, two) =>
        one.at - two.at ||
        one.number - two.number ||
        (one.from ?? "").localeCompare(two.from ?? "", "en")
    ),
    complete: !isOlder && facts.kept.every(({ fact }) => fact !== "more")
  }
}

/**
 * Finds the story of a kind among those of an id: else that of the row whose kind is not known. The name of a method finds the
 * story of the row that `Ledger.get` returns.
 */
export const findStory = (stories: ReadonlyArray<Story>, kind: string): Story | undefined =>
  kind === "apm" || kind === "card"
    ? find(stories, ({ row }) => row.kind, kind, "callback")
    : (stories.find(({ row }) => row.kind === kind) ??
      stories.find(({ row }) => row.kind === row.method))
