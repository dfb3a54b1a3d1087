import * as Evidence from "@pawl/core/Evidence"
import { statuses } from "@pawl/core/Status"
import * as Struct from "effect/Struct"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Fact from "../src/internal/rule/Fact.ts"
import * as Order from "../src/internal/rule/Order.ts"
import type { Change } from "../src/internal/rule/Row.ts"
import * as Rule from "../src/internal/rule/RowRule.ts"
import type { Verified } from "../src/VerifyCallback.ts"
import {
  check,
  due,
  evidence,
  lane,
  optional,
  read,
  signed,
  status,
  storedRows,
  time
} from "./anyRow.ts"

/** `RowRule.exhaustive.test.ts` has the facts that every short history leaves. */
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

  it("redrive makes the named dead letters due at once, with a new start of their failures", () => {
    check(
      fc.tuple(time, optional(fc.constantFrom("card", "card-payment"))),
      (stored, [at, scope]) => {
        const [redriven] = Rule.redrive([stored], { ...stored.row, scope }, at)
        const { deadLetter, scope: own } = stored.row
        if (deadLetter === undefined || (scope ?? own) !== own) {
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

  it("join keeps the row, and adds everything that the other one knows", () => {
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
          newestCallbacks: { ...two.newestCallbacks, ...one.newestCallbacks }
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
