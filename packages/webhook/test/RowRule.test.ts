import { forAll, optional } from "@pawl/test-support/Properties"
import * as Evidence from "@pawl/core/Evidence"
import { isTerminal, statuses } from "@pawl/core/Status"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Erasure from "../src/internal/rule/Erasure.ts"
import * as Fact from "../src/internal/rule/Fact.ts"
import * as Order from "../src/internal/rule/Order.ts"
import type { Change, Leased } from "../src/internal/rule/Row.ts"
import * as RowPages from "../src/internal/rule/RowPages.ts"
import * as Rule from "../src/internal/rule/RowRule.ts"
import * as StoredRow from "../src/internal/rule/StoredRow.ts"
import type { Verified } from "../src/VerifyCallback.ts"
import {
  bytes,
  check,
  due,
  evidence,
  lane,
  read,
  signed,
  status,
  storedRows,
  time
} from "./anyRow.ts"

/** Each operation is compared with the exact next row of any row, which keeps unknown fields (R49). */
describe("RowRule", () => {
  it.each([
    [undefined, "100001", true],
    [undefined, "r-1", false],
    ["r-1", "100001", false]
  ])(
    "the signed fields of a callback of refund %s for the row %s are those of the row: %s",
    (refundId, transactionId, isOwn) => {
      const callback = { refundId, transactionId, signed: signed("10.00") } as Verified
      expect(Rule.signedOf(callback)).toStrictEqual(isOwn ? callback.signed : undefined)
    }
  )

  const change: fc.Arbitrary<Change> = fc
    .record(
      {
        evidence,
        read: optional(read),
        told: optional(status),
        sequence: time,
        pendingStatus: optional(status),
        attempt: time,
        polls: time,
        pollAt: optional(time),
        newStatusAt: time,
        until: time,
        ifSequence: time,
        release: fc.record({ dueAt: optional(time), lane: optional(lane) }),
        facts: fc.constant([Fact.redriven(5)])
      },
      { requiredKeys: [] }
    )
    .map((each) => each as Change)

  const { confirmed, claimed } = Evidence

  it("accept counts a callback, and a new status restarts the ladder and is due", () => {
    const callback = fc.record({
      kind: fc.constantFrom("card", "card-payment"),
      ordered: optional(fc.constant({ amount: "25.00" })),
      secret: fc.constantFrom("current", "previous"),
      body: fc.record({ type: fc.constantFrom("payout", "refund", undefined) }),
      bytes
    })
    check(fc.tuple(callback, status, time), (stored, [drawn, claim, at]) => {
      const own = { method: "card", transactionId: "100001", signed: signed("10.00") }
      const verified = { ...own, ...drawn } as unknown as Verified
      const { row } = stored
      const isNew = (row.evidence & claimed(claim)) === 0
      const isConfirmed = (row.evidence & confirmed(claim)) !== 0
      const isDue = isNew || !isConfirmed
      const first = stored.accepted[claim]
      const lane = !isNew ? "repeat" : isTerminal(claim) ? "ask" : "tell"
      expect(Rule.accept([stored], verified, claim, at)).toStrictEqual({
        isNew,
        isDue,
        hasRoom: true,
        rows: [
          {
            ...stored,
            row: {
              ...row,
              kind: row.kind === "card" ? drawn.kind : row.kind,
              ordered: row.ordered ?? drawn.ordered,
              namesPayout: row.namesPayout || drawn.body.type === "payout",
              namesRefund: row.namesRefund || drawn.body.type === "refund",
              secret: drawn.secret,
              evidence: row.evidence | claimed(claim),
              callbacks: row.callbacks + 1,
              unconfirmedAt: isConfirmed ? row.unconfirmedAt : at,
              ...(isNew && { newStatusAt: at, polls: 0, pollAt: undefined }),
              newestCallbacks: { ...row.newestCallbacks, [claim]: { at, signed: own.signed } }
            },
            ...due(stored, isDue ? at : undefined, lane),
            bodies: { ...stored.bodies, [claim]: drawn.bytes },
            accepted: {
              ...stored.accepted,
              [claim]: { at: first?.at ?? at, count: (first?.count ?? 0) + 1 }
            }
          }
        ]
      })
    })
  })

  it("accept keeps a body of up to 4 KiB when larger ones have used up their room", () => {
    const { row, ...stored } = StoredRow.newRow("card", "100001", 1)
    const newestCallbacks = { NEW: { at: 1, signed: undefined, size: Rule.bodiesLimit } }
    const own = { method: "card", kind: "card", transactionId: "100001", signed: signed("10.00") }
    const hasRoom = (length: number) => {
      const verified = { ...own, body: {}, bytes: new Uint8Array(length) } as unknown as Verified
      return Rule.accept([{ ...stored, row: { ...row, newestCallbacks } }], verified, "PENDING", 5)
        .hasRoom
    }
    expect([4096, 4097].map(hasRoom)).toEqual([true, false])
  })

  it.each([
    ["callback", "card", ["card-payment", "card-payout", "refund", "card"]],
    ["callback", "card-payment", ["card-payment", "card"]],
    ["callback", "refund", ["refund"]],
    ["registration", "card-payout", ["card-payout", "card"]],
    ["registration", "refund", ["refund", "card"]]
  ] as const)(
    "a %s of kind %s takes the first row of %j, else a new one",
    (source, kind, order) => {
      const kinds = fc.shuffledSubarray(["card", "card-payment", "card-payout", "refund"] as const)
      return forAll([kinds], (kinds) => {
        const rows = kinds.map((each) => StoredRow.newRow(each, "100001", 1))
        const own = { method: "card", kind, transactionId: "100001", signed: signed("10.00") }
        const verified = { ...own, body: {}, bytes: new Uint8Array() } as unknown as Verified
        const after =
          source === "callback"
            ? Rule.accept(rows, verified, "PENDING", 5).rows
            : Result.getOrThrow(Rule.register(rows, { kind, transactionId: "100001" }, 5))
        const taken = order.find((each) => kinds.some((one) => one === each))
        expect(after.length).toBe(rows.length + (taken === undefined ? 1 : 0))
        const changed = after.filter((stored) => !rows.includes(stored)).map(({ row }) => row)
        const createdAt = taken === undefined ? 5 : 1
        expect(changed).toMatchObject([{ scope: taken ?? kind, createdAt }])
      })
    }
  )

  it("register confirms its status in its row, and makes it due", () => {
    check(fc.tuple(optional(status), time), (drawn, [status, at]) => {
      const stored = { ...drawn, row: { ...drawn.row, ordered: undefined } }
      const own = { kind: "card-payment", transactionId: "100001", status } as const
      const registration = { ...own, amount: "10.00" }
      const evidence = status === undefined ? Evidence.none : confirmed(status)
      expect(Result.getOrThrow(Rule.register([stored], registration, at))).toStrictEqual([
        {
          ...stored,
          row: {
            ...stored.row,
            kind: "card-payment",
            registered: true,
            ordered: { amount: "10.00" },
            isOrderRegistered: true,
            evidence: stored.row.evidence | evidence
          },
          ...due(stored, at, "tell"),
          facts: Fact.add(stored.facts, { fact: "registered", kind: "card-payment", status, at })
        }
      ])
    })
  })

  it("lease takes the work of its row, and a row is claimable from the end of its lease, else when it is due", () => {
    check(fc.tuple(time, time), (stored, [until, at]) => {
      const { evidence, scope } = stored.row
      const lease = { id: 3, until, evidence }
      expect(Rule.lease([stored], scope, { id: 3, until })).toStrictEqual({
        rows: [{ ...stored, dueAt: undefined, lease }],
        leased: { ...stored.row, lease: 3, evidenceAtLease: evidence }
      })
      expect(Rule.lease([stored], "refund", { id: 3, until })).toEqual({ rows: [stored] })
      const from = stored.lease === undefined ? stored.dueAt : stored.lease.until
      const isClaimable = from !== undefined && from <= at
      expect(StoredRow.claimable([stored], at)).toEqual(isClaimable ? [stored] : [])
    })
  })

  it("write changes a row whose lease holds, and undoes no ladder that a new status restarted", () => {
    check(fc.tuple(change, fc.constantFrom(1, 2), storedRows), (stored, [drawn, id, another]) => {
      const { evidence = 0, facts = [], ifSequence, read, release, until, ...fields } = drawn
      const { lease, row } = stored
      const rows = [stored, { ...another, row: { ...another.row, kind: "refund" as const } }]
      const leased = { ...row, lease: id, evidenceAtLease: 0 } as Leased
      const written = Rule.write(rows, leased, drawn)
      if (lease?.id !== id || (ifSequence ?? row.sequence) !== row.sequence) {
        expect(written).toEqual({ rows, leased: undefined })
        expect(written.rows).toBe(rows)
        return
      }
      const isOvertaken = Evidence.claimedStatuses(row.evidence & ~lease.evidence).length > 0
      const next = {
        ...stored,
        row: {
          ...row,
          ...fields,
          ...(isOvertaken && {
            polls: row.polls,
            pollAt: row.pollAt,
            newStatusAt: row.newStatusAt
          }),
          evidence: row.evidence | evidence,
          read: Evidence.joinRead(row.read, read),
          sequence: Math.max(row.sequence, fields.sequence ?? 0)
        },
        ...(release === undefined
          ? { lease: { ...lease, until: until ?? lease.until } }
          : { lease: undefined, ...due(stored, release.dueAt, release.lane ?? "repeat") }),
        facts: facts.reduce(Fact.add, stored.facts)
      }
      expect(written).toStrictEqual({
        rows: [next, rows[1]],
        leased: { ...next.row, lease: id, evidenceAtLease: lease.evidence }
      })
      const found = Rule.write(rows, leased, { ...drawn, kind: "refund" })
      const refund = { ...next, row: { ...next.row, kind: "refund" as const } }
      expect(found).toStrictEqual({ rows: [Rule.join(rows[1]!, refund)], leased: undefined })
    })
  })

  it("deleteBodies deletes those before a time, not of a dead letter or of a status that due work may tell", () => {
    check(fc.tuple(time, fc.integer({ min: 1, max: 4 })), (stored, [before, limit]) => {
      const { newestCallbacks, told, ...row } = stored.row
      const isDue = stored.lease !== undefined || stored.dueAt !== undefined
      const old = statuses.filter((each) => {
        const { at = before } = newestCallbacks[each] ?? {}
        const news = Evidence.news({ status: each } as Evidence.Standing, told)
        return at < before && !(isDue && news === each) && row.deadLetter === undefined
      })
      const deleted = old.slice(0, limit)
      const left = Struct.omit(newestCallbacks, deleted)
      expect(Erasure.deleteBodies([stored], { before, limit })).toStrictEqual({
        count: deleted.length,
        rows: [{ ...stored, row: { ...row, told, newestCallbacks: left } }]
      })
    })
  })

  it("redrive makes the named dead letters due at once, with a new start of their failures", () => {
    check(
      fc.tuple(
        time,
        optional(fc.constantFrom("card", "card-payment")),
        optional(fc.constantFrom("handler-failed", "amount-mismatch"))
      ),
      (stored, [at, scope, reason]) => {
        const other = { ...stored, row: { ...stored.row, deadLetter: undefined } }
        const rows = [other, stored]
        const [kept, redriven] = Rule.redrive(rows, { ...stored.row, scope, reason }, at)
        expect(kept).toBe(other)
        const { deadLetter, scope: own } = stored.row
        const isNamed =
          (scope ?? own) === own && (reason ?? deadLetter?.reason) === deadLetter?.reason
        if (deadLetter === undefined || !isNamed) {
          expect(redriven).toBe(stored)
          return
        }
        expect(redriven).toStrictEqual({
          ...stored,
          row: {
            ...stored.row,
            deadLetter: undefined,
            amountCleared: stored.row.amountCleared || deadLetter.reason === "amount-mismatch",
            failingSince: undefined,
            retryAt: at,
            pollAt: deadLetter.reason === "unknown-transaction" ? at : stored.row.pollAt
          },
          ...due(stored, at, "retry"),
          facts: Fact.add(stored.facts, Fact.redriven(at))
        })
      }
    )
  })

  it("write of two joined changes does what the two writes do one after the other", () => {
    check(fc.tuple(change, change), (stored, changes) => {
      // A write that needs a sequence is never joined.
      const [one, two] = changes.map((drawn): Change => {
        const { evidence = 0, ...change } = Struct.omit(drawn, ["ifSequence"])
        // A worker adds what the service has confirmed.
        const confirmed = statuses.filter((each) => (evidence & Evidence.confirmed(each)) !== 0)
        return { ...change, evidence: confirmed.map(Evidence.confirmed).reduce(Evidence.join, 0) }
      })
      if (one === undefined || two === undefined) return
      const own = { ...stored, lease: { id: 1, until: 9, evidence: stored.row.evidence } }
      const { release: _, ...first } = one
      const leased = { ...own.row, lease: 1, evidenceAtLease: own.row.evidence }
      const written = Rule.write([own], leased, first)
      const both = Rule.write(written.rows, written.leased ?? leased, two)
      const joined = Rule.write([own], leased, Rule.joinChanges(first, two))
      expect(joined).toEqual(both)
    })
  })

  it("R49: fields of a newer version are kept when a clock is set back, by a planned read and by an erasure", () => {
    const page = { lane: "watch", readSince: Infinity, dueAt: 0, rate: 1, limit: 1 } as const
    check(time, (stored, at) => {
      const planned = { ...stored, lane: page.lane, lease: undefined, dueAt: 9 }
      const changed = [
        StoredRow.shift(stored, { at, by: 5, until: 20 }),
        RowPages.bringForward(planned, page, 0),
        ...Erasure.eraseRows([stored]).rows
      ]
      for (const { row } of changed) expect(row.unknown).toEqual(stored.row.unknown)
    })
  })

  it("join keeps the row, and adds everything that the other one knows", () => {
    const joinUnknown = (own: ReadonlyArray<string> = [], other: ReadonlyArray<string> = []) => [
      ...own,
      ...other.filter(([name]) => own.every((line) => line[0] !== name))
    ]
    const later = (one: number | undefined, two: number | undefined) =>
      one === undefined ? two : two === undefined ? one : Math.max(one, two)
    check(storedRows, (stored, other) => {
      const [one, two] = [stored.row, other.row]
      expect(Rule.join(stored, other)).toStrictEqual({
        ...stored,
        row: {
          ...one,
          ...Order.joinOrders(one, two),
          evidence: one.evidence | two.evidence,
          callbacks: one.callbacks + two.callbacks,
          registered: one.registered || two.registered,
          namesPayout: one.namesPayout || two.namesPayout,
          namesRefund: one.namesRefund || two.namesRefund,
          isErased: one.isErased || two.isErased,
          read: Evidence.joinRead(one.read, two.read),
          unconfirmedAt: later(one.unconfirmedAt, two.unconfirmedAt),
          told: one.told ?? two.told,
          sequence: Math.max(one.sequence, two.sequence),
          newestCallbacks: { ...two.newestCallbacks, ...one.newestCallbacks },
          unknown: joinUnknown(one.unknown, two.unknown)
        },
        ...due(stored, two.newStatusAt, "tell"),
        bodies: { ...other.bodies, ...stored.bodies },
        facts: Fact.join(stored.facts, other.facts, two.scope),
        accepted: Object.fromEntries(
          statuses.flatMap((each) => {
            const [own, joined] = [stored.accepted[each], other.accepted[each]]
            const first = own ?? joined
            if (first === undefined) return []
            return [[each, { at: first.at, count: (own?.count ?? 0) + (joined?.count ?? 0) }]]
          })
        )
      })
    })
  })
})
