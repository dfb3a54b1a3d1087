/**
 * The ledger in memory, the SQL statements and the laws share `RowRule`. So the expected facts come
 * from `historyFacts.ts`, which knows nothing of it, and ten planted bugs show that each fact is
 * checked.
 */
import * as Evidence from "@pawl/core/Evidence"
import { statuses } from "@pawl/core/Status"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { describe, expect, it } from "vitest"
import type { Change, Leased } from "../src/internal/rule/Row.ts"
import * as Erasure from "../src/internal/rule/Erasure.ts"
import * as RowRule from "../src/internal/rule/RowRule.ts"
import * as StoredRow from "../src/internal/rule/StoredRow.ts"
import type { Verified } from "../src/Verifier.ts"
import * as History from "./historyFacts.ts"

const longest = 5
const id = "1"

const rule = {
  accept: RowRule.accept,
  // No history registers the transaction with two amounts.
  register: (...call: Parameters<typeof RowRule.register>) =>
    Result.getOrThrow(RowRule.register(...call)),
  claimable: StoredRow.claimable,
  lease: RowRule.lease,
  write: RowRule.write,
  redrive: RowRule.redrive,
  deleteBodies: Erasure.deleteBodies
}
type Rule = typeof rule

type Letter = (at: number) => History.Step

/** Milliseconds: 10 between two steps, and 15 of a lease. */
const alphabet: ReadonlyArray<Letter> = [
  (at) => ({ type: "accept", kind: "card", status: "PENDING", ordered: undefined, at }),
  (at) => ({ type: "accept", kind: "card", status: "SUCCEED", ordered: undefined, at }),
  (at) => ({ type: "accept", kind: "refund", status: "SUCCEED", ordered: undefined, at }),
  (at) => ({ type: "accept", kind: "card-payment", status: "PENDING", ordered: "10.00", at }),
  (at) => ({ type: "register", kind: "card-payment", status: "PENDING", ordered: "25.00", at }),
  (at) => ({ type: "register", kind: "refund", status: undefined, ordered: undefined, at }),
  (at) => ({ type: "claim", until: at + 15, at }),
  (at) => ({
    type: "write",
    with: "last lease",
    confirmed: "SUCCEED",
    poll: { polls: 3, pollAt: at + 100 },
    release: { dueAt: undefined },
    at
  }),
  (at) => ({ type: "write", with: "last lease", told: "PENDING", found: "refund", at }),
  (at) => ({
    type: "write",
    with: "last lease",
    parked: at % 20 === 0 ? "amount-mismatch" : "unknown-transaction",
    release: { dueAt: at + 15 },
    at
  }),
  (at) => ({ type: "write", with: "first lease", told: "SUCCEED", once: true, until: at + 15, at }),
  (at) => ({ type: "redrive", at }),
  (at) => ({ type: "deleteBodies", at })
]

interface State {
  readonly rows: StoredRow.StoredRows
  readonly leases: ReadonlyArray<Leased>
}

const verified = ({ kind, ordered }: Extract<History.Step, { type: "accept" }>) =>
  ({
    method: "card",
    kind,
    transactionId: id,
    ordered: ordered === undefined ? undefined : { amount: ordered },
    signed: { account: "mid-1", amount: "10.00", currency: "EUR", transactionId: id },
    claim: undefined,
    quarantine: undefined,
    secret: "current",
    body: {},
    bytes: new Uint8Array()
  }) as unknown as Verified

const changeOf = (step: Extract<History.Step, { type: "write" }>): Change => ({
  ...(step.confirmed && { evidence: Evidence.confirmed(step.confirmed) }),
  ...step.poll,
  ...(step.told && { told: step.told, sequence: 1 }),
  ...(step.once && { ifSequence: 0 }),
  ...(step.found && { kind: step.found }),
  ...(step.parked && { deadLetter: { reason: step.parked, at: step.at, to: undefined } }),
  ...(step.until !== undefined && { until: step.until }),
  ...(step.release && { release: step.release })
})

const take = (
  tested: Rule,
  { leases, rows }: State,
  step: History.Step,
  past: History.Past
): State & { readonly result: unknown } => {
  switch (step.type) {
    case "accept": {
      const accepted = tested.accept(rows, verified(step), step.status, step.at)
      return { leases, rows: accepted.rows, result: accepted.isNew }
    }
    case "register": {
      const { kind, ordered: amount, status } = step
      const registration = { kind, transactionId: id, status, amount }
      return { leases, rows: tested.register(rows, registration, step.at), result: null }
    }
    case "claim": {
      const due = tested.claimable(rows, step.at).map(({ row }) => row.scope)
      return due.reduce<State & { readonly result: unknown }>(
        (state, scope, index) => {
          const given = { id: leases.length + index + 1, until: step.until }
          const next = tested.lease(state.rows, scope, given)
          const leased = next.leased === undefined ? [] : [next.leased]
          return { rows: next.rows, leases: [...state.leases, ...leased], result: due }
        },
        { rows, leases, result: due }
      )
    }
    case "write": {
      const lease = History.leaseFor(past, step)
      const leased = leases.find((each) => each.lease === lease?.id)
      if (leased === undefined) return { rows, leases, result: "not written" }
      const written = tested.write(rows, leased, changeOf(step))
      const { length } = written.rows
      const result =
        written.leased !== undefined ? "written" : length < rows.length ? "joined" : "not written"
      return { leases, rows: written.rows, result }
    }
    case "redrive": {
      const redriven = tested.redrive(rows, { method: "card", transactionId: id }, step.at)
      return { leases, rows: redriven, result: redriven !== rows }
    }
    case "deleteBodies": {
      const deleted = tested.deleteBodies(rows, { before: step.at, limit: 1 })
      return { leases, rows: deleted.rows, result: deleted.count }
    }
  }
}

const factsOf = History.remembered((stored: StoredRow.StoredRow) => {
  const { row } = stored
  const time = StoredRow.claimableAt(stored)
  return {
    scope: row.scope,
    kind: row.kind,
    ordered: row.ordered?.amount ?? null,
    claimed: Evidence.claimedStatuses(row.evidence),
    confirmed: Evidence.confirmedStatuses(row.evidence),
    callbacks: row.callbacks,
    accepted: statuses.flatMap((status) => {
      const first = stored.accepted[status]
      return first === undefined ? [] : [[status, first.at, first.count]]
    }),
    registered: row.registered,
    lane: stored.dueAt === undefined ? null : stored.lane,
    createdAt: row.createdAt,
    newStatusAt: row.newStatusAt,
    unconfirmedAt: row.unconfirmedAt ?? null,
    polls: row.polls,
    pollAt: row.pollAt ?? null,
    told: row.told ?? null,
    sequence: row.sequence,
    deadLetter: row.deadLetter?.reason ?? null,
    isCleared: row.amountCleared,
    retryAt: row.retryAt,
    bodies: statuses.flatMap((status) => {
      const callback = row.newestCallbacks[status]
      return callback === undefined ? [] : [[status, callback.at]]
    }),
    claimableAt: time === Infinity ? null : time
  }
})

const observed = (rows: StoredRow.StoredRows, result: unknown): History.Facts => ({
  rows: rows.map(factsOf),
  shown: StoredRow.get(rows, "card")?.scope as History.Kind | undefined,
  result
})

const textOf = History.remembered((facts: object) => JSON.stringify(facts))

const isSame = (one: History.Facts, two: History.Facts): boolean =>
  one.rows.length === two.rows.length &&
  one.rows.every((row, index) => textOf(row) === textOf(two.rows[index] ?? {})) &&
  one.shown === two.shown &&
  JSON.stringify(one.result) === JSON.stringify(two.result)

interface Difference {
  readonly history: ReadonlyArray<History.Step>
  readonly actual: History.Facts
  readonly wanted: History.Facts
}

/**
 * Plays every history until one differs from its facts. A step that changes nothing ends its
 * history: those without it go on.
 */
const search = (tested: Rule) => {
  let count = 0
  const from = (
    history: ReadonlyArray<History.Step>,
    state: State,
    past: History.Past
  ): Difference | undefined => {
    const at = (history.length + 1) * 10
    for (const letter of alphabet) {
      const step = letter(at)
      const steps = [...history, step]
      const next = take(tested, state, step, past)
      const expected = History.after(past, step)
      const actual = observed(next.rows, next.result)
      const wanted = History.facts(expected, expected.result)
      count++
      if (!isSame(actual, wanted)) return { history: steps, actual, wanted }
      if (steps.length === longest || expected.rows === past.rows) continue
      const difference = from(steps, next, expected)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  const difference = from([], { rows: [], leases: [] }, History.nothing)
  return { count, difference }
}

type Bug = readonly [name: string, change: Partial<Rule>]

/** Changes each returned row, given the row of its scope before. */
const changed = (
  before: StoredRow.StoredRows,
  after: StoredRow.StoredRows,
  change: (stored: StoredRow.StoredRow, old: StoredRow.StoredRow) => StoredRow.StoredRow
) =>
  after.map((stored) => {
    const old = before.find(({ row }) => row.scope === stored.row.scope)
    return old === undefined || old === stored ? stored : change(stored, old)
  })

const bugs: ReadonlyArray<Bug> = [
  [
    "a repeat is not counted",
    {
      accept: (rows, ...call) => {
        const next = RowRule.accept(rows, ...call)
        return {
          ...next,
          rows: changed(rows, next.rows, (stored, { row }) =>
            next.isNew ? stored : { ...stored, row: { ...stored.row, callbacks: row.callbacks } }
          )
        }
      }
    }
  ],
  [
    "a callback replaces the evidence",
    {
      accept: (rows, verified, claim, at) => {
        const next = RowRule.accept(rows, verified, claim, at)
        const evidence = Evidence.claimed(claim)
        return {
          ...next,
          rows: changed(rows, next.rows, (stored) => ({
            ...stored,
            row: { ...stored.row, evidence }
          }))
        }
      }
    }
  ],
  [
    "a repeat of an unconfirmed claim makes nothing due",
    {
      accept: (rows, ...call) => {
        const next = RowRule.accept(rows, ...call)
        return {
          ...next,
          rows: changed(rows, next.rows, (stored, { dueAt }) =>
            next.isNew ? stored : { ...stored, dueAt }
          )
        }
      }
    }
  ],
  [
    "a callback during a lease is lost",
    {
      accept: (rows, ...call) => {
        const next = RowRule.accept(rows, ...call)
        return {
          ...next,
          rows: changed(rows, next.rows, (stored, old) => (old.lease === undefined ? stored : old))
        }
      }
    }
  ],
  [
    "a registration drops the evidence",
    {
      register: (rows, registration, at) =>
        changed(rows, rule.register(rows, registration, at), (stored) => {
          const { status } = registration
          const evidence = status === undefined ? Evidence.none : Evidence.confirmed(status)
          return { ...stored, row: { ...stored.row, evidence } }
        })
    }
  ],
  [
    "a row under a lease may be claimed",
    {
      claimable: (rows, at) =>
        rows.filter(({ dueAt, lease }) => (dueAt ?? lease?.until ?? Infinity) <= at)
    }
  ],
  [
    "a lease does not take the work that it is for",
    {
      lease: (rows, ...call) => {
        const next = RowRule.lease(rows, ...call)
        const before = changed(rows, next.rows, (stored, { dueAt }) => ({ ...stored, dueAt }))
        return { ...next, rows: before }
      }
    }
  ],
  [
    "a write is made without the lease",
    {
      write: (rows, leased, change) => {
        const current = rows.find(({ row }) => row.scope === leased.scope)?.lease?.id
        return RowRule.write(rows, { ...leased, lease: current ?? leased.lease }, change)
      }
    }
  ],
  [
    "a write undoes the ladder that a new status restarted",
    {
      write: (rows, leased, change) => {
        const next = RowRule.write(rows, leased, change)
        const { pollAt, polls } = change
        return {
          ...next,
          rows: changed(rows, next.rows, (stored) =>
            polls === undefined ? stored : { ...stored, row: { ...stored.row, polls, pollAt } }
          )
        }
      }
    }
  ],
  [
    "a write is made twice",
    {
      write: (rows, leased, change) =>
        RowRule.write(rows, leased, Struct.omit(change, ["ifSequence"]))
    }
  ],
  [
    "a join counts the callbacks of one row only",
    {
      write: (rows, leased, change) => {
        const next = RowRule.write(rows, leased, change)
        return {
          ...next,
          rows: changed(rows, next.rows, (stored, { row }) => ({
            ...stored,
            row: { ...stored.row, callbacks: row.callbacks }
          }))
        }
      }
    }
  ],
  [
    "a join keeps the sequence of one row only",
    {
      write: (rows, leased, change) => {
        const next = RowRule.write(rows, leased, change)
        if (next.rows.length === rows.length) return next
        const joined = changed(rows, next.rows, (stored, { row: { sequence } }) => ({
          ...stored,
          row: { ...stored.row, sequence }
        }))
        return { ...next, rows: joined }
      }
    }
  ],
  [
    "a join forgets the last unconfirmed claim of one row",
    {
      write: (rows, leased, change) => {
        const next = RowRule.write(rows, leased, change)
        if (next.rows.length === rows.length) return next
        const joined = changed(rows, next.rows, (stored, { row: { unconfirmedAt } }) => ({
          ...stored,
          row: { ...stored.row, unconfirmedAt }
        }))
        return { ...next, rows: joined }
      }
    }
  ],
  [
    "a join makes nothing due",
    {
      write: (rows, leased, change) => {
        const next = RowRule.write(rows, leased, change)
        if (next.rows.length === rows.length) return next
        const joined = changed(rows, next.rows, (stored, { dueAt }) => ({ ...stored, dueAt }))
        return { ...next, rows: joined }
      }
    }
  ],
  [
    "a redrive makes nothing due",
    {
      redrive: (rows, ...call) => {
        const next = RowRule.redrive(rows, ...call)
        if (next === rows) return rows
        return changed(rows, next, (stored, { dueAt }) => ({ ...stored, dueAt }))
      }
    }
  ],
  [
    "a redrive does not end the dead letter",
    {
      redrive: (rows, ...call) => {
        const next = RowRule.redrive(rows, ...call)
        if (next === rows) return rows
        return changed(rows, next, (stored, { row }) => ({
          ...stored,
          row: { ...stored.row, deadLetter: row.deadLetter }
        }))
      }
    }
  ],
  [
    "a clean-up deletes the count with the body",
    {
      deleteBodies: (rows, ...call) => {
        const next = Erasure.deleteBodies(rows, ...call)
        return {
          ...next,
          rows: next.rows.map((stored) =>
            next.count === 0 ? stored : { ...stored, row: { ...stored.row, callbacks: 0 } }
          )
        }
      }
    }
  ],
  [
    "a clean-up deletes the bodies of dead letters",
    {
      deleteBodies: (rows, options) => {
        const hidden = rows.map(({ row, ...rest }) => ({
          ...rest,
          row: { ...row, deadLetter: undefined }
        }))
        const next = Erasure.deleteBodies(hidden, options)
        return {
          ...next,
          rows: changed(rows, next.rows, (stored, { row }) => ({
            ...stored,
            row: { ...stored.row, deadLetter: row.deadLetter }
          }))
        }
      }
    }
  ]
]

describe("the rule of a row", () => {
  it("leaves the facts of every history of up to five steps", () => {
    const { count, difference } = search(rule)
    expect(difference?.actual).toEqual(difference?.wanted)
    expect(difference).toBeUndefined()
    expect(count).toBeGreaterThan(35_000)
  })

  it.for(bugs)("is caught when %s", ([, change]) => {
    const { difference } = search({ ...rule, ...change })
    expect(difference).toBeDefined()
    expect(difference?.actual).not.toEqual(difference?.wanted)
  })
})
