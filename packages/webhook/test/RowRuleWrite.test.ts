import * as Evidence from "@pawl/core/Evidence"
import { statuses } from "@pawl/core/Status"
import * as Struct from "effect/Struct"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Fact from "../src/internal/rule/Fact.ts"
import * as Order from "../src/internal/rule/Order.ts"
import { blank, type Change, type Row } from "../src/internal/rule/Row.ts"
import * as Rule from "../src/internal/rule/RowRule.ts"
import type { StoredRow } from "../src/internal/rule/StoredRow.ts"
import {
  bystander,
  check,
  due,
  evidence,
  lane,
  optional,
  read,
  status,
  storedRows,
  time
} from "./anyRow.ts"

describe("RowRule", () => {
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

  it("write needs the lease and the sequence, and a claim since the lease keeps the ladder of reads", () => {
    check(fc.tuple(change, fc.boolean()), (stored, [each, isSameSequence]) => {
      const { lease, row } = stored
      const {
        facts = [],
        ifSequence,
        release,
        until,
        ...changed
      }: Change = isSameSequence ? { ...each, ifSequence: row.sequence } : each
      const leased = { ...row, lease: 1, evidenceAtLease: 0 }
      const given: Change = { ...each, ...(isSameSequence && { ifSequence: row.sequence }) }
      const written = Rule.write([bystander, stored], leased, given)
      const mayWrite = lease?.id === 1 && (ifSequence === undefined || ifSequence === row.sequence)
      if (!mayWrite) {
        expect(written).toStrictEqual({ rows: [bystander, stored], leased: undefined })
        return
      }
      const isOvertaken = statuses.some(
        (claim) =>
          (row.evidence & Evidence.claimed(claim)) !== 0 &&
          (lease.evidence & Evidence.claimed(claim)) === 0
      )
      const next: Row = {
        ...row,
        ...changed,
        evidence: row.evidence | (changed.evidence ?? 0),
        read: Evidence.joinRead(row.read, changed.read),
        sequence: Math.max(row.sequence, changed.sequence ?? 0),
        ...(isOvertaken && { polls: row.polls, pollAt: row.pollAt, newStatusAt: row.newStatusAt })
      }
      expect(written).toStrictEqual({
        rows: [
          bystander,
          {
            ...stored,
            row: next,
            ...(release === undefined
              ? { lease: { ...lease, until: until ?? lease.until } }
              : { lease: undefined, ...due(stored, release.dueAt, release.lane ?? "repeat") }),
            facts: facts.reduce(Fact.add, stored.facts)
          }
        ],
        leased: { ...next, lease: 1, evidenceAtLease: lease.evidence }
      })
    })
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

  it("write to a row that does not exist changes nothing", () => {
    const rows = [bystander]
    const leased = { ...blank("card", "100001", 0), lease: 1, evidenceAtLease: 0 }
    expect(Rule.write(rows, leased, {})).toStrictEqual({ rows, leased: undefined })
  })

  it("write of a kind that another row has joins the two, and ends the lease", () => {
    check(fc.tuple(storedRows, time), (stored, [target, at]) => {
      const own: StoredRow = {
        ...stored,
        row: { ...stored.row, scope: "card", kind: "card" },
        lease: { id: 1, until: 9, evidence: stored.row.evidence }
      }
      const known: StoredRow = {
        ...target,
        row: { ...target.row, scope: "card-payment", kind: "card-payment" }
      }
      const leased = { ...own.row, lease: 1, evidenceAtLease: own.row.evidence }
      const given: Change = { kind: "card-payment", attempt: 3, release: { dueAt: at } }
      const written = { ...own, row: { ...own.row, kind: "card-payment" as const, attempt: 3 } }
      expect(Rule.write([bystander, own, known], leased, given)).toStrictEqual({
        rows: [bystander, Rule.join(known, written)],
        leased: undefined
      })
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
