import * as Evidence from "@pawl/core/Evidence"
import { defaults } from "@pawl/core/Profile"
import { isTerminal, type Status, statuses } from "@pawl/core/Status"
import type { Kind } from "@pawl/core/Kind"
import * as Duration from "effect/Duration"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ReadResult, unsettledClaim } from "../src/Confirmer.ts"
import { blank, type Row } from "../src/Row.ts"
import { afterRead, readAt, type Rules } from "../src/Reconciler.ts"

const rules: Rules = { policy: "final", pollGaps: defaults.pollGaps }
const minutes = (...counts: ReadonlyArray<number>) => counts.map((count) => count * 60_000)
const seconds = (...counts: ReadonlyArray<number>) => counts.map((count) => count * 1000)
const day = Duration.toMillis(Duration.days(1))
const hours = (...counts: ReadonlyArray<number>) => counts.map((count) => count * 3_600_000)

const row = (evidence: Evidence.Evidence, changes?: Partial<Row>): Row => ({
  ...blank("apm-payment", "100001", 0),
  evidence,
  callbacks: 1,
  ...changes
})

const apply = (before: Row, result: ReadResult, now: number): Row => {
  const change = afterRead(before, result, rules, now)
  return {
    ...before,
    ...change,
    evidence: Evidence.join(before.evidence, change.evidence ?? Evidence.none),
    read: Evidence.joinRead(before.read, change.read)
  }
}

const said = (status: string, kind: Kind = "apm-payment") =>
  ({ _tag: "Answered", kind, status }) as const

/** The times of the first `count` reads, when the service always answers alike. */
const reads = (
  start: Row,
  answer: { readonly _tag: "NotFound" } | { readonly _tag: "NoAnswer" } | ReturnType<typeof said>,
  count: number
): Array<number> => {
  const times: Array<number> = []
  let current = start
  while (times.length < count) {
    const at = readAt(current, rules)
    if (at === undefined) break
    times.push(at)
    current = apply(current, { ...answer, askedAt: at }, at)
  }
  return times
}
const gaps = (times: ReadonlyArray<number>) =>
  times.map((time, index) => time - (times[index - 1] ?? 0))

describe("the poll ladder", () => {
  it("waits 5, 5, 10, 30 and 60 minutes, then hourly, while a transaction has not ended", () => {
    const times = reads(row(Evidence.claimed("PENDING")), said("PENDING"), 8)
    expect(gaps(times)).toEqual(minutes(5, 5, 10, 30, 60, 60, 60, 60))
  })

  it("ends after 180 days", () => {
    const times = reads(row(Evidence.claimed("PENDING")), said("PENDING"), 10_000)
    expect(times.length).toBeLessThan(10_000)
    const last = times.at(-1) ?? 0
    expect(last).toBeGreaterThan(Duration.toMillis(Duration.days(179)))
    expect(last).toBeLessThanOrEqual(Duration.toMillis(Duration.days(180)))
  })

  it("ends 180 days after the last new status, however old the transaction is", () => {
    const late = row(Evidence.claimed("PENDING"), {
      newStatusAt: Duration.toMillis(Duration.days(200))
    })
    expect(readAt(late, rules)).toBe(late.newStatusAt + 300_000)
  })

  it("asks a silent service again after 15 seconds, without taking a step", () => {
    const start = row(Evidence.claimed("PENDING"))
    const silent = apply(start, { _tag: "NoAnswer", askedAt: 300_000 }, 300_000)
    expect(silent.polls).toBe(0)
    expect(readAt(silent, rules)).toBe(315_000)
  })

  it("parks an id that no endpoint knows for 24 hours, and reads it no more", () => {
    let current = row(Evidence.claimed("PENDING"))
    for (const at of reads(current, { _tag: "NotFound" }, 100)) {
      current = apply(current, { _tag: "NotFound", askedAt: at }, at)
      if (current.deadLetter !== undefined) break
    }
    expect(current.deadLetter?.reason).toBe("unknown-transaction")
    expect(current.deadLetter?.at).toBeGreaterThanOrEqual(Duration.toMillis(Duration.days(1)))
    expect(readAt(current, rules)).toBeUndefined()
    expect(readAt({ ...current, evidence: Evidence.confirmed("NEW") }, rules)).toBeDefined()
    const doubted = { ...current, evidence: Evidence.claimed("SUCCEED"), unconfirmedAt: 2 * day }
    const silent = apply(doubted, { _tag: "NoAnswer", askedAt: 2 * day }, 2 * day)
    expect(readAt(silent, rules)).toBe(2 * day + 15_000)
    const newStatusAt = (current.deadLetter?.at ?? 0) + 1
    expect(readAt({ ...current, newStatusAt, polls: 0, pollAt: undefined }, rules)).toBe(
      newStatusAt + 300_000
    )
  })
})

it("follows an id that nobody knows further for a status that came while it was asked about", () => {
  const start = row(Evidence.claimed("PENDING"))
  const asked = apply(start, { _tag: "NotFound", askedAt: day }, day + 5000)
  expect(asked.deadLetter?.reason).toBe("unknown-transaction")
  expect(readAt(asked, rules)).toBeUndefined()
  for (const newStatusAt of [day, day + 1]) {
    const overtaken = { ...asked, newStatusAt, polls: 0, pollAt: undefined }
    expect(readAt(overtaken, rules)).toBe(newStatusAt + 300_000)
  }
})

describe("a doubtful claim", () => {
  it("ahead of the service is read at once, after 1, 2, 5, 15 and 60 seconds, then on the ladder", () => {
    const times = reads(row(Evidence.claimed("SUCCEED")), said("PENDING"), 10)
    expect(gaps(times)).toEqual([...seconds(0, 1, 2, 5, 15, 60), ...minutes(5, 5, 10, 30)])
  })

  it("that the service does not know yet is read like one it is behind of", () => {
    const times = reads(row(Evidence.claimed("SUCCEED")), { _tag: "NotFound" }, 6)
    expect(gaps(times)).toEqual(seconds(0, 1, 2, 5, 15, 60))
  })

  it("that is not final contradicts nothing, where every claim has to be confirmed", () => {
    const evidence = Evidence.claimed("CUSTOMER_VERIFICATION") | Evidence.confirmed("PROCESSING")
    const claim = row(evidence, { read: { status: "PROCESSING", askedAt: 0 } })
    expect(unsettledClaim(claim, "always")).toBe("ahead")
    expect(unsettledClaim(claim, "final")).toBeUndefined()
  })

  it("against what the service says is read at once, after 5 and 60 seconds, then on the ladder once, then after 12 hours", () => {
    const times = reads(row(Evidence.claimed("SUCCEED")), said("FAILED"), 100)
    expect(gaps(times)).toEqual([...seconds(0, 5, 60), ...minutes(5, 5, 10, 30, 60), ...hours(12)])
  })

  it("makes the row due each time it comes again, at most once a second, and never moves the plan", () => {
    const answer = fc.constantFrom(said("FAILED"), said("PENDING"), { _tag: "NotFound" } as const)
    fc.assert(
      fc.property(
        answer,
        fc.nat({ max: 8 }),
        fc.integer({ min: 1, max: 3_600_000 }),
        (each, steps, delay) => {
          let current = row(Evidence.claimed("SUCCEED"))
          for (const at of reads(current, each, steps))
            current = apply(current, { ...each, askedAt: at }, at)
          const planned = readAt(current, rules)
          if (planned === undefined || current.askedAt === undefined) return
          const repeatedAt = current.askedAt + delay
          if (repeatedAt >= planned) return
          const repeated = { ...current, unconfirmedAt: repeatedAt }
          const due = readAt(repeated, rules)
          expect(due).toBe(Math.min(planned, Math.max(repeatedAt, current.askedAt + 1000)))
          if (due === undefined || due === planned) return
          const askedAt = Math.max(due, repeatedAt + 1)
          if (askedAt >= planned) return
          const after = apply(repeated, { ...each, askedAt }, askedAt)
          expect(after.pollAt).toBe(current.pollAt)
          expect(readAt(after, rules)).toBe(Math.max(planned, askedAt + 1000))
          const silent = apply(repeated, { _tag: "NoAnswer", askedAt }, askedAt)
          expect(silent.pollAt).toBe(current.pollAt)
          expect(readAt(silent, rules)).toBe(
            Math.max(Math.min(planned, askedAt + 15_000), askedAt + 1000)
          )
        }
      )
    )
  })
})

it("is read again for a claim of the millisecond of its last read, and for none before it", () => {
  const start = row(Evidence.claimed("SUCCEED") | Evidence.confirmed("FAILED"), {
    polls: 3,
    pollAt: 90_000,
    askedAt: 5000
  })
  expect(readAt({ ...start, unconfirmedAt: 4999 }, rules)).toBe(90_000)
  expect(readAt({ ...start, unconfirmedAt: 5000 }, rules)).toBe(6000)
})

describe("a transaction that ended", () => {
  it("in SUCCEED or REFUNDED is read after 12 hours, then at doubling gaps to 64 days", () => {
    for (const end of ["SUCCEED", "REFUNDED"] as const) {
      const times = reads(row(Evidence.confirmed(end)), said(end), 100)
      expect(gaps(times)).toEqual(hours(12, 24, 48, 96, 192, 384, 768, 1536))
    }
  })

  it("in FAILED or CANCELLED is read once, after 12 hours", () => {
    for (const end of ["FAILED", "CANCELLED"] as const) {
      expect(gaps(reads(row(Evidence.confirmed(end)), said(end), 100))).toEqual(hours(12))
    }
  })

  it("in CHARGEBACK is read no more, and neither is a payout or refund that succeeded", () => {
    expect(reads(row(Evidence.confirmed("CHARGEBACK")), said("CHARGEBACK"), 100)).toEqual([])
    for (const kind of ["apm-payout", "card-payout", "refund"] as const) {
      expect(
        reads(row(Evidence.confirmed("SUCCEED"), { kind }), said("SUCCEED", kind), 100)
      ).toEqual([])
    }
  })

  it("starts its follow-up from the read that found the end, and anew from one that found another", () => {
    const start = row(Evidence.claimed("PENDING"))
    const found = apply(start, { ...said("SUCCEED"), askedAt: 300_000 }, 300_400)
    expect(readAt(found, rules)).toBe(300_400 + 12 * 3_600_000)
    let current = found
    for (const at of reads(found, said("SUCCEED"), 3)) {
      current = apply(current, { ...said("SUCCEED"), askedAt: at }, at)
    }
    const at = readAt(current, rules) ?? 0
    const refunded = apply(current, { ...said("REFUNDED"), askedAt: at }, at)
    expect(gaps([at, ...reads(refunded, said("REFUNDED"), 100)]).slice(1)).toEqual(
      hours(12, 24, 48, 96, 192, 384, 768, 1536)
    )
  })

  it("while the service did not know it yet is followed from its first answer", () => {
    const known = Evidence.claimed("SUCCEED") | Evidence.confirmed("SUCCEED")
    const start = row(known, { polls: 4, pollAt: 23_000, askedAt: 8000 })
    const times = reads(
      apply(start, { _tag: "NotFound", askedAt: 23_000 }, 23_000),
      said("SUCCEED"),
      4
    )
    expect(gaps([23_000, ...times]).slice(1)).toEqual(hours(12, 12, 24, 48))
  })
})

it("is never read more than once a second, whatever is known", () => {
  const status = fc.constantFrom<Status>(...statuses)
  fc.assert(
    fc.property(
      fc.nat({ max: 2 ** 18 - 1 }),
      fc.option(status, { nil: undefined }),
      fc.nat({ max: 10_000 }),
      fc.nat({ max: 10_000 }),
      (evidence, read, askedAt, unconfirmedAt) => {
        const at = readAt(
          row(evidence, { askedAt, unconfirmedAt, read: read && { status: read, askedAt } }),
          rules
        )
        if (at !== undefined) expect(at).toBeGreaterThanOrEqual(askedAt + 1000)
      }
    )
  )
})

it("keeps reading whatever has not ended, and whatever claim is not settled", () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 18 - 1 }), (evidence) => {
      const { status } = Evidence.standing(evidence, undefined, rules.policy)
      const isOpen = status === undefined || !isTerminal(status)
      const isDoubted = Evidence.unsettled(evidence, undefined, rules.policy).length > 0
      if (isOpen || isDoubted) expect(readAt(row(evidence), rules)).toBeDefined()
    })
  )
})
