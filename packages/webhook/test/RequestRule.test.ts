import { forAll, optional } from "@pawl/test-support/Properties"
import * as Evidence from "@pawl/core/Evidence"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { NewRequest, Outcome, RequestRow } from "../src/internal/rule/RequestRow.ts"
import * as Rule from "../src/internal/rule/RequestRule.ts"
import { blank, type Row } from "../src/internal/rule/Row.ts"

/** Often a whole minute, so that times are equal, or as far apart as a limit. */
const time = fc.oneof(
  fc.nat({ max: 20 * 60_000 }),
  fc.nat({ max: 20 }).map((minutes) => minutes * 60_000)
)
const lease = fc.record({ id: fc.constantFrom(1, 2), until: time, inDoubt: fc.boolean() })
const outcome: fc.Arbitrary<Outcome> = fc.constantFrom(
  { _tag: "Answered", text: "a" },
  { _tag: "Answered", text: undefined },
  { _tag: "Refused", text: "r" },
  { _tag: "Found" },
  { _tag: "NotSent", reason: "no-effect" },
  { _tag: "NotSent", reason: "cancelled" }
)
const reasons = ["404", "400"] as const

/** R49: what a rule returns has the fields of a newer version too. */
const unknown = ["Z a field of a newer version"]

const rows: fc.Arbitrary<RequestRow> = fc.record({
  requestId: fc.constant("1"),
  kind: fc.constantFrom("apm-payment", "card-payment"),
  digest: fc.constant("digest"),
  hasCardData: fc.boolean(),
  ordered: optional(fc.constant({ amount: "10.00" })),
  body: optional(fc.constant("sealed")),
  createdAt: time,
  retryFrom: time,
  expiresAt: optional(time),
  begunAt: optional(time),
  attempts: fc.nat({ max: 5 }),
  refusals: optional(
    fc.record({ reason: fc.constantFrom(...reasons), count: fc.nat({ max: 4 }), since: time })
  ),
  dueAt: optional(time),
  lease: optional(lease),
  outcome: optional(outcome),
  settledAt: optional(time),
  transaction: optional(fc.constant({ method: "apm" as const, transactionId: "100001" })),
  deniedTransactionId: optional(fc.constant("100002")),
  parked: optional(fc.record({ reason: fc.constant("no-key" as const), at: time })),
  unknown: fc.constant(unknown)
})

const check = <A>(
  input: fc.Arbitrary<A>,
  operate: (row: RequestRow, input: A) => RequestRow | undefined,
  expected: (row: RequestRow, input: A) => RequestRow | undefined
) => {
  fc.assert(
    fc.property(rows, input, (row, value) => {
      expect(operate(row, value)).toStrictEqual(expected(row, value))
    }),
    { numRuns: 1000 }
  )
}

const holder = (row: RequestRow, id: number) => (row.lease?.id === id ? row.lease : undefined)

const known = (row: RequestRow, found: Outcome, at: number): RequestRow => ({
  ...row,
  ...(found._tag !== "Found" && { body: undefined }),
  ...(found._tag === "NotSent" && { begunAt: undefined }),
  refusals: undefined,
  dueAt: undefined,
  lease: undefined,
  parked: undefined,
  outcome: found,
  settledAt: at
})

const request = (row: RequestRow) =>
  ({
    requestId: "1",
    kind: row.kind,
    digest: "digest",
    hasCardData: row.hasCardData,
    ordered: row.ordered,
    body: "sealed",
    expiresAt: row.expiresAt
  }) satisfies NewRequest

/** Makes a new row: begun with a lease, else due. */
const fresh = (row: RequestRow, at: number, given?: { id: number; until: number }): RequestRow => ({
  ...request(row),
  createdAt: at,
  retryFrom: at,
  begunAt: given === undefined ? undefined : at,
  attempts: given === undefined ? 0 : 1,
  refusals: undefined,
  dueAt: given === undefined ? at : undefined,
  lease: given === undefined ? undefined : { ...given, inDoubt: false },
  outcome: undefined,
  settledAt: undefined,
  transaction: undefined,
  deniedTransactionId: undefined,
  parked: undefined
})

const newLease = fc.record({ id: fc.constant(3), until: time })

describe("RequestRule", () => {
  it("restart writes a request that was never sent anew, and keeps its first time, the time at which it expires and the transaction that is not its own", () => {
    check(
      fc.tuple(time, optional(newLease), optional(time)),
      (row, [at, given, expiresAt]) => Rule.restart(row, { ...request(row), expiresAt }, at, given),
      (row, [at, given, expiresAt = row.expiresAt]) => {
        const { createdAt, deniedTransactionId, outcome } = row
        const isUnsent =
          outcome === undefined
            ? row.begunAt === undefined && row.lease === undefined
            : outcome._tag === "NotSent" && outcome.reason === "no-effect"
        if (!isUnsent) return undefined
        return at >= (expiresAt ?? Infinity)
          ? known(row, { _tag: "NotSent", reason: "expired" }, at)
          : { ...fresh(row, at, given), createdAt, deniedTransactionId, expiresAt, unknown }
      }
    )
  })

  it("lease ends a park, and renew and park change only a request whose lease holds", () => {
    const of = (row: RequestRow, next: Partial<RequestRow> | undefined) =>
      next && { ...row, ...next }
    check(
      fc.tuple(time, newLease),
      (row, [, given]) => Rule.lease(row, given),
      (row, [, given]) =>
        of(row, {
          attempts: row.attempts + 1,
          dueAt: undefined,
          parked: undefined,
          lease: { ...given, inDoubt: row.begunAt !== undefined }
        })
    )
    check(
      time,
      (row, until) => Rule.renew(row, 1, until),
      (row, until) => of(row, holder(row, 1) && { lease: { ...holder(row, 1)!, until } })
    )
    check(
      time,
      (row, at) => Rule.park(row, 1, "window", at),
      (row, at) => {
        const parked = { reason: "window", at } as const
        return of(row, holder(row, 1) && { lease: undefined, dueAt: undefined, parked })
      }
    )
  })

  it("begin starts the attempt of a lease before the request expires and within the window of its first byte", () => {
    check(
      fc.tuple(time, fc.constantFrom(0, 300_000, Infinity)),
      (row, [at, window]) => Rule.begin(row, 1, at, window),
      (row, [at, window]) => {
        const { begunAt, expiresAt = Infinity, retryFrom } = row
        const firstByte = Math.min(begunAt ?? at, at)
        const end =
          begunAt === undefined ? Math.min(expiresAt, retryFrom + window) : firstByte + window
        return holder(row, 1) && at < end ? { ...row, begunAt: firstByte } : undefined
      }
    )
  })

  it("cancel settles a request that has neither an outcome nor a first byte", () => {
    check(time, Rule.cancel, (row, at) =>
      row.outcome === undefined && row.begunAt === undefined
        ? known(row, { _tag: "NotSent", reason: "cancelled" }, at)
        : undefined
    )
  })

  it("a request is claimable from the end of its lease, or when it is due, also if a clock was set back", () => {
    check(
      time,
      (row, at) => (Rule.isClaimable(row, at) ? row : undefined),
      (row, at) => {
        const from = row.lease?.until ?? row.dueAt
        return from !== undefined && (from <= at || from > at + 305_000) ? row : undefined
      }
    )
  })

  it("the wait after an attempt is 1, 2, 4, … seconds, at most five minutes", () => {
    const seconds = [0, 1, 2, 3, 9, 10, 2000].map((attempt) => Rule.waitAfter(attempt) / 1000)
    expect(seconds).toEqual([1, 1, 2, 4, 256, 300, 300])
  })

  it("Q14: the window of a request that was begun by a clock that was ahead is not longer, and its doubt stays", () =>
    forAll([time, fc.integer({ min: 1, max: 1e12 }), fc.nat(1e9)], (at, ahead, window) => {
      const written = Rule.write(
        { requestId: "1", kind: "refund", digest: "", hasCardData: false },
        at + ahead,
        { id: 1, until: at + ahead }
      )
      const leased = Rule.lease(written, { id: 2, until: at })
      expect(leased.lease.inDoubt).toBe(true)
      expect(Rule.sentUntil(leased, at, window)).toBe(at + window)
      const begun = Rule.begin(leased, 2, at, window + 1)
      expect(begun && Rule.isPastWindow(begun, at + window, window)).toBe(true)
    }))

  it("release counts refusals, whatever their words are, and parks the third one ten minutes after the first", () => {
    const release = fc.record({
      at: time,
      dueAt: time,
      hadNoEffect: optional(fc.boolean()),
      refusal: optional(fc.constantFrom(...reasons))
    })
    check(
      release,
      (row, each) => Rule.release(row, 1, each),
      (row, { at, dueAt, hadNoEffect, refusal }) => {
        const held = holder(row, 1)
        if (held === undefined) return undefined
        const before = row.refusals
        const refusals =
          refusal === undefined
            ? before
            : { reason: refusal, count: (before?.count ?? 0) + 1, since: before?.since ?? at }
        const isParked =
          refusal !== undefined &&
          refusals !== undefined &&
          refusals.count > 2 &&
          at >= refusals.since + 600_000
        return {
          ...row,
          begunAt: hadNoEffect === true && !held.inDoubt ? undefined : row.begunAt,
          refusals,
          lease: undefined,
          dueAt: isParked ? undefined : dueAt,
          parked: isParked ? { reason: "refused", at } : undefined
        }
      }
    )
  })

  it("settle takes a fact without a lease, a refusal with one that is not in doubt, and replaces what proves less", () => {
    const settlement = fc.record({
      outcome,
      at: time,
      lease: optional(fc.constantFrom(1, 2)),
      transaction: optional(fc.constant({ method: "card" as const, transactionId: "100003" }))
    })
    check(settlement, Rule.settle, (row, { at, lease: id, outcome, transaction }) => {
      const isFree = id !== undefined && holder(row, id)?.inDoubt === false
      const mayBeSet = {
        Answered: row.outcome?._tag !== "Answered",
        Found: row.outcome?._tag !== "Answered" && row.outcome?._tag !== "Found",
        Refused: row.outcome === undefined && isFree,
        NotSent: row.outcome === undefined && isFree
      }[outcome._tag]
      return mayBeSet
        ? { ...known(row, outcome, at), transaction: transaction ?? row.transaction }
        : undefined
    })
  })

  it("redrive opens a parked request, or with a statement of no effect also one that was found", () => {
    const redrive = fc.record(
      {
        at: time,
        window: fc.constantFrom(0, 300_000, Infinity),
        hadNoEffect: fc.boolean(),
        canSend: fc.boolean(),
        parkedAt: time
      },
      { requiredKeys: ["at", "window"] }
    )
    check(redrive, Rule.redrive, (row, options) => {
      const { at, canSend = true, hadNoEffect = false, parkedAt, window } = options
      if (parkedAt !== undefined && parkedAt !== row.parked?.at) return undefined
      const isFound = row.outcome?._tag === "Found"
      const isTooOld = row.begunAt !== undefined && at >= Math.min(row.begunAt, at) + window
      const mayOpen = hadNoEffect
        ? isFound || row.parked !== undefined
        : row.parked !== undefined && !isTooOld
      if (!mayOpen) return undefined
      const open: RequestRow = {
        ...row,
        outcome: undefined,
        settledAt: undefined,
        transaction: undefined,
        deniedTransactionId: isFound ? row.transaction?.transactionId : row.deniedTransactionId,
        begunAt: hadNoEffect ? undefined : row.begunAt,
        retryFrom: at,
        attempts: 0,
        refusals: undefined,
        dueAt: at,
        parked: undefined
      }
      const isUseless = !canSend || (isFound && row.body === undefined)
      return hadNoEffect && isUseless
        ? known(open, { _tag: "NotSent", reason: "no-effect" }, at)
        : open
    })
  })

  it("deleteTexts deletes the body and the text of what was settled before, and nothing else", () => {
    check(time, Rule.deleteTexts, (row, before) => {
      const text = row.outcome !== undefined && "text" in row.outcome ? row.outcome.text : undefined
      if (row.settledAt === undefined || row.settledAt >= before) return undefined
      if (row.body === undefined && text === undefined) return undefined
      return {
        ...row,
        body: undefined,
        outcome:
          row.outcome !== undefined && "text" in row.outcome
            ? { ...row.outcome, text: undefined }
            : row.outcome
      }
    })
  })

  it("find settles by a confirmed transaction that names the request, is not registered, and has its amount", () => {
    const found = fc.record({
      registered: fc.boolean(),
      // Most values fit, so that some cases fail one condition only.
      requestId: fc.constantFrom("1", "1", "1", "2", undefined),
      hasRead: fc.constantFrom(true, true, true, false),
      evidence: fc.constantFrom(
        Evidence.confirmed("SUCCEED"),
        Evidence.confirmed("SUCCEED"),
        Evidence.claimed("SUCCEED"),
        Evidence.none
      ),
      amount: fc.constantFrom("10.00", "10.00", "11.00"),
      isOpen: fc.constantFrom(true, true, false),
      transactionId: fc.constantFrom("100001", "100002")
    })
    const transactionOf = (each: typeof found extends fc.Arbitrary<infer A> ? A : never): Row => ({
      ...blank("apm-payment", each.transactionId, 0),
      registered: each.registered,
      ordered:
        each.requestId === undefined ? undefined : { amount: "10.00", requestId: each.requestId },
      evidence: each.evidence,
      read: each.hasRead ? { status: "SUCCEED", askedAt: 77 } : undefined,
      newestCallbacks: {
        SUCCEED: {
          signed: {
            account: "4711",
            amount: each.amount,
            currency: "EUR",
            transactionId: each.transactionId
          },
          at: 0
        }
      }
    })
    const opened = (row: RequestRow): RequestRow => ({ ...row, outcome: undefined })
    check(
      found,
      (row, each) => Rule.find(each.isOpen ? opened(row) : row, transactionOf(each)),
      (given, each) => {
        const row = each.isOpen ? opened(given) : given
        const isItsOwn =
          !each.registered &&
          each.requestId === "1" &&
          row.deniedTransactionId !== each.transactionId
        const isLess = row.outcome?._tag !== "Answered" && row.outcome?._tag !== "Found"
        const isConfirmed = each.hasRead && each.evidence === Evidence.confirmed("SUCCEED")
        return isItsOwn && isConfirmed && each.amount === "10.00" && isLess
          ? {
              ...known(row, { _tag: "Found" }, 77),
              transaction: { method: "apm", transactionId: each.transactionId }
            }
          : undefined
      }
    )
  })
})
