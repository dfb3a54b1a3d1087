import { forAll, optional } from "@pawl/test-support/Properties"
import * as Evidence from "@pawl/core/Evidence"
import { defaults } from "@pawl/core/Profile"
import { isTerminal, type Status, statuses } from "@pawl/core/Status"
import type { Kind } from "@pawl/core/Kind"
import * as Duration from "effect/Duration"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ReadResult } from "../src/internal/work/Confirmer.ts"
import { blank, type Row } from "../src/internal/rule/Row.ts"
import { afterRead, maxGap, readAt, type Rules } from "../src/internal/work/Reconciler.ts"

const rules: Rules = { policy: "final", pollIntervals: defaults.pollIntervals }
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

const apply = (before: Row, result: ReadResult, now: number, given = rules): Row => {
  const change = afterRead(before, result, given, now)
  return {
    ...before,
    ...change,
    evidence: Evidence.join(before.evidence, change.evidence ?? Evidence.none),
    read: Evidence.joinRead(before.read, change.read)
  }
}

const readOf = (status: string, kind: Kind = "apm-payment") =>
  ({ _tag: "Answered", kind, status }) as const

const reads = (
  start: Row,
  answer: { readonly _tag: "NotFound" } | { readonly _tag: "NoAnswer" } | ReturnType<typeof readOf>,
  count: number,
  given = rules
): Array<number> => {
  const times: Array<number> = []
  let current = start
  while (times.length < count) {
    const at = readAt(current, given)
    if (at === undefined) break
    times.push(at)
    current = apply(current, { ...answer, askedAt: at }, at, given)
  }
  return times
}
const gaps = (times: ReadonlyArray<number>) =>
  times.map((time, index) => time - (times[index - 1] ?? 0))

describe("the poll ladder", () => {
  it("waits 5, 5, 10, 30 and 60 minutes, then hourly, while a transaction is open", () => {
    const times = reads(row(Evidence.claimed("PENDING")), readOf("PENDING"), 8)
    expect(gaps(times)).toEqual(minutes(5, 5, 10, 30, 60, 60, 60, 60))
  })

  it("waits a tenth of the transaction's age after 24 hours, at most 2 days", () => {
    const times = reads(row(Evidence.claimed("PENDING")), readOf("PENDING"), 10_000)
    const hour = 3_600_000
    for (const [index, at] of times.entries()) {
      const next = times[index + 1]
      if (index < 5 || next === undefined) continue
      expect(next - at).toBe(
        at < day ? hour : Math.min(Math.max(Math.round(at / 10), hour), 2 * day)
      )
    }
    expect(times.filter((at) => at < day)).toHaveLength(27)
    expect(times.length).toBeLessThan(150)
  })

  it("ends after 180 days, with a read in the last 2 days", () => {
    const times = reads(row(Evidence.claimed("PENDING")), readOf("PENDING"), 10_000)
    const last = times.at(-1) ?? 0
    expect(last).toBeGreaterThan(178 * day)
    expect(last).toBeLessThanOrEqual(180 * day)
  })

  it("keeps a last gap of the profile that is longer than a tenth of the age", () => {
    const gap = Duration.days(15)
    let current = row(Evidence.claimed("PENDING"))
    for (let count = 1; count <= 12; count++) {
      const rules: Rules = { policy: "final", pollIntervals: [gap] }
      const at = readAt(current, rules) ?? 0
      expect(at).toBe(count * Duration.toMillis(gap))
      expect(maxGap(rules)).toBe(Duration.toMillis(gap))
      const change = afterRead(current, { ...readOf("PENDING"), askedAt: at }, rules, at)
      current = { ...current, ...change }
    }
  })

  it("ends 180 days after the last new status, however old the transaction is", () => {
    const late = row(Evidence.claimed("PENDING"), {
      newStatusAt: Duration.toMillis(Duration.days(200))
    })
    expect(readAt(late, rules)).toBe(late.newStatusAt + 300_000)
  })

  it("repeats a failed read after 15 seconds, without a step on the ladder, and keeps that it failed", () => {
    const start = row(Evidence.claimed("PENDING"))
    const failed = { _tag: "NoAnswer", askedAt: 300_000 } as const
    expect(afterRead(start, failed, rules, 300_000).facts).toMatchObject([
      { fact: "asked", at: 300_000, result: "no answer" }
    ])
    const silent = apply(start, failed, 300_000)
    expect(silent.polls).toBe(0)
    expect(readAt(silent, rules)).toBe(315_000)
  })

  it("parks an id that no endpoint knows for 24 hours, and does not read it again", () => {
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
    // A read for a new claim parks it no second time, and an answer opens it again.
    const unknown = { _tag: "NotFound", askedAt: 2 * day } as const
    expect(afterRead(doubted, unknown, rules, 2 * day)).not.toHaveProperty("deadLetter")
    const found = apply(current, { ...readOf("PENDING"), askedAt: 2 * day }, 2 * day)
    expect(found.deadLetter).toBeUndefined()
    expect(apply(row(Evidence.confirmed("NEW")), unknown, 2 * day).deadLetter).toBeUndefined()
    const newStatusAt = (current.deadLetter?.at ?? 0) + 1
    expect(readAt({ ...current, newStatusAt, polls: 0, pollAt: undefined }, rules)).toBe(
      newStatusAt + 300_000
    )
  })
})

it("keeps reading an unknown id after a callback that came during the read", () => {
  const start = { ...row(Evidence.claimed("PENDING")), polls: 5 }
  const asked = apply(start, { _tag: "NotFound", askedAt: day }, day + 5000)
  expect(asked.deadLetter?.reason).toBe("unknown-transaction")
  expect(readAt(asked, rules)).toBeUndefined()
  for (const newStatusAt of [day, day + 1]) {
    const overtaken = { ...asked, newStatusAt, polls: 0, pollAt: undefined }
    expect(readAt(overtaken, rules)).toBe(newStatusAt + 300_000)
  }
})

describe("a doubtful claim", () => {
  it("that is ahead of the service is read at once, after 1, 2, 5, 15 and 60 seconds, then on the ladder", () => {
    const times = reads(row(Evidence.claimed("SUCCEED")), readOf("PENDING"), 10)
    expect(gaps(times)).toEqual([...seconds(0, 1, 2, 5, 15, 60), ...minutes(5, 5, 10, 30)])
  })

  it("of an id that the service does not know yet is read like one that is ahead", () => {
    const times = reads(row(Evidence.claimed("SUCCEED")), { _tag: "NotFound" }, 6)
    expect(gaps(times)).toEqual(seconds(0, 1, 2, 5, 15, 60))
  })

  it("that the service contradicts is read at once, after 5 and 60 seconds, then once through the ladder, then after 12 hours", () => {
    const times = reads(row(Evidence.claimed("SUCCEED")), readOf("FAILED"), 100)
    expect(gaps(times)).toEqual([...seconds(0, 5, 60), ...minutes(5, 5, 10, 30, 60), ...hours(12)])
  })

  it("of an open status is read at once under the policy `always`, then on the ladder", () => {
    const always = { ...rules, policy: "always" } as const
    const times = reads(row(Evidence.claimed("PENDING")), readOf("PENDING"), 5, always)
    expect(gaps(times)).toEqual(minutes(0, 5, 5, 10, 30))
  })

  it("makes the row due at each repeat, at most once a second, and never moves the ladder", () => {
    const answer = fc.constantFrom(readOf("FAILED"), readOf("PENDING"), {
      _tag: "NotFound"
    } as const)
    return forAll(
      [answer, fc.nat({ max: 8 }), fc.integer({ min: 1, max: 3_600_000 })],
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
  })
})

it("a row is read again for a claim in the millisecond of its last read, and not for an earlier one", () => {
  const start = row(Evidence.claimed("SUCCEED") | Evidence.confirmed("FAILED"), {
    polls: 3,
    pollAt: 90_000,
    askedAt: 5000
  })
  expect(readAt({ ...start, unconfirmedAt: 4999 }, rules)).toBe(90_000)
  expect(readAt({ ...start, unconfirmedAt: 5000 }, rules)).toBe(6000)
})

describe("a transaction that ended", () => {
  // 12 hours to 8 days, then 11 times 14 days: 169.5 days in all.
  const watch = [...hours(12, 24, 48, 96, 192), ...Array.from({ length: 11 }, () => 14 * day)]

  it("R35: in SUCCEED or REFUNDED is read after 12 hours, then at gaps that double to 14 days", () => {
    for (const kind of ["apm-payment", "card-payment", "apm-payout", "card-payout"] as const) {
      for (const end of ["SUCCEED", "REFUNDED"] as const) {
        const times = reads(row(Evidence.confirmed(end), { kind }), readOf(end, kind), 100)
        expect(gaps(times)).toEqual(watch)
      }
    }
  })

  it("in FAILED or CANCELLED is read once, after 12 hours", () => {
    for (const end of ["FAILED", "CANCELLED"] as const) {
      expect(gaps(reads(row(Evidence.confirmed(end)), readOf(end), 100))).toEqual(hours(12))
    }
  })

  it("in CHARGEBACK is not read again, and neither is a refund that succeeded", () => {
    expect(reads(row(Evidence.confirmed("CHARGEBACK")), readOf("CHARGEBACK"), 100)).toEqual([])
    const refund = row(Evidence.confirmed("SUCCEED"), { kind: "refund" })
    expect(reads(refund, readOf("SUCCEED", "refund"), 100)).toEqual([])
  })

  it("starts its watch at the read that found the end, and again at a read that found another end", () => {
    const start = row(Evidence.claimed("PENDING"))
    const found = apply(start, { ...readOf("SUCCEED"), askedAt: 300_000 }, 300_400)
    expect(readAt(found, rules)).toBe(300_400 + 12 * 3_600_000)
    let current = found
    for (const at of reads(found, readOf("SUCCEED"), 3)) {
      current = apply(current, { ...readOf("SUCCEED"), askedAt: at }, at)
    }
    const at = readAt(current, rules) ?? 0
    const refunded = apply(current, { ...readOf("REFUNDED"), askedAt: at }, at)
    expect(gaps([at, ...reads(refunded, readOf("REFUNDED"), 100)]).slice(1)).toEqual(watch)
  })

  it("before the service knew it is watched from the first successful read", () => {
    const known = Evidence.claimed("SUCCEED") | Evidence.confirmed("SUCCEED")
    const start = row(known, { polls: 4, pollAt: 23_000, askedAt: 8000 })
    const times = reads(
      apply(start, { _tag: "NotFound", askedAt: 23_000 }, 23_000),
      readOf("SUCCEED"),
      4
    )
    expect(gaps([23_000, ...times]).slice(1)).toEqual(hours(12, 12, 24, 48))
  })
})

it("a row is never read more than once a second, in any state", () => {
  const status = fc.constantFrom<Status>(...statuses)
  return forAll(
    [
      fc.nat({ max: 2 ** 18 - 1 }),
      optional(status),
      fc.nat({ max: 10_000 }),
      fc.nat({ max: 10_000 })
    ],
    (evidence, read, askedAt, unconfirmedAt) => {
      const at = readAt(
        row(evidence, { askedAt, unconfirmedAt, read: read && { status: read, askedAt } }),
        rules
      )
      if (at !== undefined) expect(at).toBeGreaterThanOrEqual(askedAt + 1000)
    }
  )
})

it("reads go on for every open transaction and for every unsettled claim", () =>
  forAll([fc.nat({ max: 2 ** 18 - 1 })], (evidence) => {
    const { status } = Evidence.standing(evidence, undefined, rules.policy)
    const isOpen = status === undefined || !isTerminal(status)
    const isDoubted = Evidence.unsettled(evidence, undefined, rules.policy).length > 0
    if (isOpen || isDoubted) expect(readAt(row(evidence), rules)).toBeDefined()
  }))
