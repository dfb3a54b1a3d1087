import * as Evidence from "@pawl/core/Evidence"
import { isTerminal, type Status, statuses } from "@pawl/core/Status"
import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Fact from "../src/internal/rule/Fact.ts"
import * as Order from "../src/internal/rule/Order.ts"
import { blank } from "../src/internal/rule/Row.ts"
import * as Rule from "../src/internal/rule/RowRule.ts"
import type { StoredRow } from "../src/internal/rule/StoredRow.ts"
import type { Verified } from "../src/VerifyCallback.ts"
import { bystander, bytes, check, due, optional, signed, status, time } from "./anyRow.ts"

describe("RowRule", () => {
  it("keeps at most 16 bodies of a transaction in quarantine", () => {
    expect(Rule.quarantineLimit).toBe(16)
  })

  const verified = fc
    .record({
      refundId: optional(fc.constantFrom("100001", "r-1")),
      transactionId: fc.constantFrom("100001", "r-1"),
      bodyRefundId: fc.constantFrom(undefined, "100001", 100_001, "r-1"),
      path: fc.constantFrom("/callback", "/callback/payouts"),
      ordered: optional(fc.constant({ amount: "12.00" })),
      secret: fc.constantFrom("current", "previous"),
      bytes,
      kind: fc.constantFrom("card", "card-payment")
    })
    .map(
      ({ bodyRefundId, refundId, ...each }) =>
        ({
          ...each,
          method: "card",
          refundId,
          signed: signed("10.00"),
          body: bodyRefundId === undefined ? {} : { refundId: bodyRefundId }
        }) as unknown as Verified
    )

  it("what is signed belongs to the row of the signed transactionId, and not to that of a refund", () => {
    fc.assert(
      fc.property(verified, (each) => {
        const isOwn = each.refundId === undefined && each.transactionId === "100001"
        expect(Rule.signedOf(each)).toStrictEqual(isOwn ? each.signed : undefined)
      })
    )
  })

  it("accept counts the callback, joins its claim, and makes the row due unless the status is confirmed", () => {
    check(fc.tuple(verified, status, time), (stored, [each, claim, at]) => {
      const { row } = stored
      // A callback of unknown kind would find the row of the refund first.
      const others = each.kind === "card" ? [] : [bystander]
      const isNew = (row.evidence & Evidence.claimed(claim)) === 0
      const isConfirmed = (row.evidence & Evidence.confirmed(claim)) !== 0
      const isDue = isNew || !isConfirmed
      const refundId = each.body["refundId"]
      const namesRefund = refundId === each.transactionId || refundId === Number(each.transactionId)
      const before = stored.accepted[claim]
      expect(Rule.accept([...others, stored], each, claim, at)).toStrictEqual({
        isNew,
        isDue,
        hasRoom: true,
        rows: [
          ...others,
          {
            ...stored,
            row: {
              ...row,
              kind: row.kind === "card" ? each.kind : row.kind,
              ordered: row.ordered ?? each.ordered,
              namesPayout: row.namesPayout || each.path === "/callback/payouts",
              namesRefund: row.namesRefund || namesRefund,
              secret: each.secret,
              evidence: row.evidence | Evidence.claimed(claim),
              callbacks: row.callbacks + 1,
              unconfirmedAt: isConfirmed ? row.unconfirmedAt : at,
              newStatusAt: isNew ? at : row.newStatusAt,
              polls: isNew ? 0 : row.polls,
              pollAt: isNew ? undefined : row.pollAt,
              newestCallbacks: {
                ...row.newestCallbacks,
                [claim]: { at, signed: Rule.signedOf(each) }
              }
            },
            ...due(
              stored,
              isDue ? at : undefined,
              isNew ? (isTerminal(claim) ? "ask" : "tell") : "repeat"
            ),
            bodies: { ...stored.bodies, [claim]: each.bytes },
            accepted: {
              ...stored.accepted,
              [claim]: { at: before?.at ?? at, count: (before?.count ?? 0) + 1 }
            }
          }
        ]
      })
    })
  })

  it("accept makes a row where there is none", () => {
    fc.assert(
      fc.property(verified, status, time, (each, claim, at) => {
        const [other, row] = Rule.accept(
          [{ ...bystander, row: blank("apm", "100001", 0) }],
          each,
          claim,
          at
        ).rows
        expect(other?.row.kind).toBe("apm")
        expect(row?.row).toMatchObject({
          scope: each.kind,
          transactionId: each.transactionId,
          createdAt: at,
          callbacks: 1,
          evidence: Evidence.claimed(claim)
        })
        expect(row?.dueAt).toBe(at)
        expect(row?.accepted).toStrictEqual({ [claim]: { at, count: 1 } })
      })
    )
  })

  it("register joins the status that the response stated, and makes the row due", () => {
    const amount = fc.constantFrom("10.00", "11.00", undefined)
    check(fc.tuple(optional(status), time, amount), (stored, [stated, at, amount]) => {
      const registration = {
        kind: "card-payment",
        transactionId: "100001",
        status: stated,
        amount
      } as const
      const result = Rule.register([bystander, stored], registration, at)
      const order = Order.orderAfter(stored.row, registration)
      if (result._tag === "Failure" || order._tag === "Failure") {
        expect(result).toEqual(order)
        return
      }
      expect(result.success).toStrictEqual([
        bystander,
        {
          ...stored,
          row: {
            ...stored.row,
            ...order.success,
            kind: "card-payment",
            registered: true,
            evidence: stored.row.evidence | (stated === undefined ? 0 : Evidence.confirmed(stated))
          },
          ...due(stored, at, "tell"),
          facts: Fact.add(stored.facts, {
            fact: "registered",
            kind: "card-payment",
            status: stated,
            at
          })
        }
      ])
    })
  })

  it("a registration of a refund finds the row of unknown kind, and a callback of a refund makes its own", () => {
    const unknown: StoredRow = { ...bystander, row: blank("card", "100001", 0) }
    const refund = { kind: "refund", transactionId: "100001" } as const
    const registered = Result.getOrThrow(Rule.register([unknown], refund, 1))
    expect(registered.map(({ row }) => row.kind)).toEqual(["refund"])
    const callback = {
      ...refund,
      method: "card",
      refundId: undefined,
      ordered: undefined,
      signed: signed("10.00"),
      body: {},
      secret: "current",
      bytes: new Uint8Array()
    } as unknown as Verified
    const { rows } = Rule.accept([unknown], callback, "PENDING", 1)
    expect(rows.map(({ row }) => row.kind)).toEqual(["card", "refund"])
    expect(rows[0]).toBe(unknown)
  })

  it("lease takes a row out of the queue with the evidence of that moment", () => {
    check(fc.record({ id: fc.constant(9), until: time }), (stored, given) => {
      const { scope } = stored.row
      expect(Rule.lease([bystander, stored], scope, given)).toStrictEqual({
        rows: [
          bystander,
          { ...stored, dueAt: undefined, lease: { ...given, evidence: stored.row.evidence } }
        ],
        leased: { ...stored.row, lease: 9, evidenceAtLease: stored.row.evidence }
      })
      expect(Rule.lease([bystander], scope, given)).toStrictEqual({
        rows: [bystander],
        leased: undefined
      })
    })
  })

  it("redrive ends a dead letter and makes it due, clears an amount, and asks again for an unknown transaction", () => {
    check(
      fc.tuple(fc.constantFrom("card", "card-payment", "refund", undefined), time),
      (stored, [scope, at]) => {
        const { row } = stored
        const { deadLetter } = row
        const key = { method: "card", transactionId: "100001", scope } as const
        const isNamed = deadLetter !== undefined && (scope === undefined || scope === row.scope)
        const rows = [bystander, stored]
        const redriven = Rule.redrive(rows, key, at)
        expect(redriven === rows).toBe(!isNamed)
        expect(redriven).toStrictEqual([
          bystander,
          isNamed
            ? {
                ...stored,
                row: {
                  ...row,
                  deadLetter: undefined,
                  amountCleared: row.amountCleared || deadLetter.reason === "amount-mismatch",
                  failingSince: undefined,
                  retryAt: at,
                  pollAt: deadLetter.reason === "unknown-transaction" ? at : row.pollAt
                },
                ...due(stored, at, "retry"),
                facts: Fact.add(stored.facts, Fact.redriven(at))
              }
            : stored
        ])
      }
    )
  })

  it("deleteBodies deletes the oldest statuses up to its limit, and none of a dead letter", () => {
    check(fc.record({ before: time, limit: fc.nat({ max: 3 }) }), (stored, given) => {
      const { newestCallbacks } = stored.row
      const old = statuses.filter((each) => (newestCallbacks[each]?.at ?? Infinity) < given.before)
      const gone: ReadonlyArray<string> =
        stored.row.deadLetter === undefined ? old.slice(0, given.limit) : []
      const kept = <A>(record: Readonly<Partial<Record<Status, A>>>) =>
        Object.fromEntries(Object.entries(record).filter(([name]) => !gone.includes(name)))
      const before = [stored]
      const { count, rows } = Rule.deleteBodies(before, given)
      expect(count).toBe(gone.length)
      expect(rows === before).toBe(count === 0)
      expect(rows).toStrictEqual([
        {
          ...stored,
          row: { ...stored.row, newestCallbacks: kept(newestCallbacks) },
          bodies: kept(stored.bodies)
        }
      ])
    })
  })
})
