/** `PAWL_STORIES=100000` plays so many histories; those of the rule alone are cheap. */
import { forAll } from "@pawl/test-support/Properties"
import type { Kind } from "@pawl/core/Kind"
import { statuses } from "@pawl/core/Status"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Fact from "@pawl/webhook/internal/rule/Fact"
import * as NextWork from "@pawl/webhook/internal/work/NextWork"
import type { ReadResult } from "@pawl/webhook/internal/work/Confirmer"
import * as Replay from "../src/internal/story/Replay.ts"
import * as Reconciler from "@pawl/webhook/internal/work/Reconciler"
import type { Change, Leased } from "@pawl/webhook/internal/rule/Row"
import * as Erasure from "@pawl/webhook/internal/rule/Erasure"
import * as RowRule from "@pawl/webhook/internal/rule/RowRule"
import type { StoredRows } from "@pawl/webhook/internal/rule/StoredRow"
import * as StoredRow from "@pawl/webhook/internal/rule/StoredRow"
import { card, verified } from "@pawl/test-support/Service"

const runs = Number(process.env["PAWL_STORIES"] ?? 400)
const rules: Reconciler.Rules = { policy: "final", pollIntervals: [Duration.minutes(5)] }
const id = "100001"

const status = fc.constantFrom(...statuses)
const step = fc.record({
  after: fc.constantFrom(0, 0, 1, 1001, 16_000, 400_003, 100_000_000),
  event: fc.constantFrom(
    "callback",
    "callback",
    "callback",
    "refund's callback",
    "registration",
    "redrive",
    "deleteBodies",
    "none"
  ),
  status,
  read: fc.oneof(status, fc.constantFrom("SETTLED", "404", "404", "no answer", "none")),
  outcome: fc.constantFrom("accepts", "accepts", "fails", "is killed", "is told twice")
})

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const play = (steps: ReadonlyArray<Step>) => {
  let now = 1_000_000
  let rows: StoredRows = []
  let leases = 0
  const calls = new Map<Kind, Array<string>>()

  const write = (leased: Leased, change: Change): Leased | undefined => {
    const written = RowRule.write(rows, leased, change)
    rows = written.rows
    return written.leased
  }

  const readRow = (leased: Leased, read: Step["read"]): Leased | undefined => {
    if (read === "none") return leased
    const kind = leased.kind === "card" ? (now % 2 === 0 ? "card-payment" : "refund") : leased.kind
    const result: ReadResult =
      read === "404"
        ? { _tag: "NotFound", askedAt: now }
        : read === "no answer"
          ? { _tag: "NoAnswer", askedAt: now }
          : { _tag: "Answered", askedAt: now, kind, status: read }
    const change = Reconciler.afterRead(leased, result, rules, now)
    return write(
      leased,
      change.deadLetter && now % 3 === 0 ? Reconciler.asReplay(leased, change) : change
    )
  }

  const tell = (leased: Leased, outcome: Step["outcome"]): Leased | undefined => {
    const next = NextWork.nextStep(leased, NextWork.standingOf(leased, "final"), now)
    if (next._tag === "Nothing") return leased
    if (next._tag === "Park") {
      const { deadLetter } = next
      return write(leased, {
        deadLetter,
        failingSince: undefined,
        facts: [Fact.parked(deadLetter)]
      })
    }
    const { change, to } = next
    const started = write(leased, change)
    if (started === undefined) return undefined
    const sequence = started.sequence + 1
    const made = calls.get(leased.scope) ?? []
    calls.set(leased.scope, [
      ...made.filter((call) => call !== `${sequence} ${to}`),
      `${sequence} ${to}`
    ])
    if (outcome === "is killed") return undefined
    if (outcome === "fails") {
      const retryAt = now + 1000
      return write(started, { retryAt, facts: [{ fact: "failed", at: now, sequence, to }] })
    }
    const told: Change = {
      told: to,
      sequence,
      pendingStatus: undefined,
      attempt: 0,
      failingSince: undefined,
      deadLetter: undefined,
      facts: [{ fact: "told", at: now, sequence, to }]
    }
    const marked = write(started, told)
    // The answer of the ledger was lost, so the same write is made again.
    return outcome === "is told twice" && marked !== undefined ? write(started, told) : marked
  }

  for (const { after, event, outcome, read, status } of steps) {
    now += after
    if (event === "callback" || event === "refund's callback") {
      const one = verified(
        "card",
        card({ transactionId: id, orderAmount: now % 3 === 0 ? "9.00" : "10.00" })
      )
      const callback = event === "callback" ? one : { ...one, kind: "refund" as const }
      rows = RowRule.accept(rows, callback, status, now).rows
    } else if (event === "registration") {
      const kind = now % 4 < 2 ? "refund" : "card-payment"
      const registration = { kind, transactionId: id, status, amount: "10.00" } as const
      rows = Result.getOrThrow(RowRule.register(rows, registration, now))
    } else if (event === "redrive") {
      // A person redrives after the call that failed.
      now++
      rows = RowRule.redrive(rows, { method: "card", transactionId: id }, now)
    } else if (event === "deleteBodies") {
      rows = Erasure.deleteBodies(rows, { before: now, limit: 9 }).rows
    }
    for (const scope of rows.map(({ row }) => row.scope)) {
      const { leased, rows: next } = RowRule.lease(rows, scope, { id: ++leases, until: now })
      rows = next
      const known = leased && readRow(leased, read)
      if (known !== undefined) tell(known, outcome)
    }
  }
  return { stories: rows.map((stored) => StoredRow.storyOf(stored)), calls }
}

describe("the facts of a history", () => {
  it(`lead to its row and to the calls of the handler, in ${runs} random histories`, async () => {
    const marks = { joined: 0, full: 0, parked: 0, redriven: 0, told: 0 }
    await forAll([fc.array(step, { maxLength: 40, size: "max" })], { numRuns: runs }, (steps) => {
      const { calls, stories } = play(steps)
      for (const story of stories) {
        const replayed = Replay.replay(story)
        expect(replayed.differences).toEqual([])
        const names = replayed.calls.map(({ sequence, to }) => `${sequence} ${to}`)
        if (story.complete) expect(names).toEqual(calls.get(story.row.scope) ?? [])
        for (const { fact, from } of story.facts) {
          if (from !== undefined) marks.joined++
          if (fact === "parked" || fact === "redriven" || fact === "told") marks[fact]++
          if (fact === "more") marks.full++
        }
      }
    })
    const { full: _, ...others } = marks
    for (const [mark, count] of Object.entries(others))
      expect([mark, count > 0]).toEqual([mark, true])
  }, 600_000)
})
