import type * as Evidence from "@pawl/core/Evidence"
import { type Kind, kindsOf, type Method, methodOf } from "@pawl/core/Kind"
import { type Status, statuses } from "@pawl/core/Status"
import * as Fact from "./Fact.ts"
import { type Lane, perLane, type PerLane, blank, type Row } from "./Row.ts"
import type { Verified } from "../../VerifyCallback.ts"
import type { Kept } from "./Fact.ts"

export interface StoredRow {
  readonly row: Row
  /**
   * The time at which work is due. A lease clears it, so during a lease it is the time of new work.
   */
  readonly dueAt: number | undefined
  readonly lane: Lane
  readonly lease: Lease | undefined
  readonly bodies: Readonly<Partial<Record<Status, Uint8Array>>>
  readonly facts: Fact.Facts
  readonly accepted: Readonly<Partial<Record<Status, Accepted>>>
}

/** The time of the first callback that claims a status, and their number. */
export interface Accepted {
  readonly at: number
  readonly count: number
}

export type StoredRows = ReadonlyArray<StoredRow>

export interface Lease {
  readonly id: number
  readonly until: number
  readonly evidence: Evidence.Evidence
}

export type Source = "callback" | "registration"

/**
 * Finds the row of an event: that of its kind, else of unknown kind, else a payment, payout or
 * refund, in this order.
 *
 * A refund's callback does not take a row of unknown kind, which may be the payment's. Its
 * registration does, because its id is the refund's own.
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

export const candidates = (kind: Kind, source: Source): ReadonlyArray<Kind> => {
  const method = methodOf(kind)
  const known: ReadonlyArray<Kind> = kind === method ? kindsOf[method] : [kind]
  return kind === "refund" && source === "callback" ? known : [...known, method]
}

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

/** Makes the rows of an unreadable document, which was listed at a time. */
export const unreadable = (
  { method, transactionId }: Pick<Row, "method" | "transactionId">,
  at: number
): StoredRows => {
  const { row, ...stored } = newRow(method, transactionId, at)
  const deadLetter = { reason: "unreadable", at, to: undefined } as const
  return [{ ...stored, row: { ...row, deadLetter, unreadable: "document" } }]
}

export const get = (rows: StoredRows, method: Method): Row | undefined =>
  find(rows, kindOf, method, "callback")?.row

export const ofNamedRefund = (verified: Verified): Verified => ({
  ...verified,
  kind: "refund",
  transactionId: verified.refundId ?? verified.transactionId
})

/** An unsigned id names only a registered refund. */
export const hasRegisteredRefund = (rows: StoredRows): boolean =>
  rows.some(({ row }) => row.kind === "refund" && row.registered)

const kindOf = ({ row }: StoredRow): Kind => row.kind

export const claimableAt = ({
  dueAt,
  lease
}: {
  readonly dueAt: number | undefined
  readonly lease: { readonly until: number } | undefined
}): number => lease?.until ?? dueAt ?? Infinity

/** Returns due rows, oldest first, at most `limits` of each lane. */
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
  const asked = due.filter(({ lane }) => lane === "ask")
  const last = new Set(newest === 0 ? [] : asked.slice(-newest))
  return due.filter((stored) => claimed.has(stored) || last.has(stored))
}

/** Corrects a row or a request after the clock was set back by `by` to `at`. */
export const shift = <
  A extends {
    readonly dueAt: number | undefined
    readonly lease: { readonly until: number } | undefined
  }
>(
  stored: A,
  { at, by, until }: { readonly at: number; readonly by: number; readonly until: number }
): A => {
  const { dueAt, lease } = stored
  const claimable = claimableAt(stored)
  if (claimable <= at || claimable > until + 2 * by) return stored
  return {
    ...stored,
    dueAt: dueAt && Math.max(Math.min(dueAt, at), dueAt - by),
    lease: lease && { ...lease, until: Math.min(lease.until, until) }
  }
}

/** `complete` is false if some facts are missing. */
export interface Story {
  readonly row: Row
  readonly facts: ReadonlyArray<Kept>
  readonly complete: boolean
}

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

/** Finds the story of a kind, else that of unknown kind. */
export const findStory = (stories: ReadonlyArray<Story>, kind: string): Story | undefined =>
  kind === "apm" || kind === "card"
    ? find(stories, ({ row }) => row.kind, kind, "callback")
    : (stories.find(({ row }) => row.kind === kind) ??
      stories.find(({ row }) => row.kind === row.method))
