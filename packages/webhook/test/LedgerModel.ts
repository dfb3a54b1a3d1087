/**
 * A plain model of the ledger, and histories to run against both.
 */
import * as Evidence from "@pawl/core/Evidence"
import { type Status, statuses } from "@pawl/core/Status"
import type { Kind, Method } from "@pawl/core/Transaction"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { type Change, type Leased, Ledger, type Row } from "../src/Ledger.ts"
import { apm, card, verified } from "./service.ts"

/** When work is due next, asked without taking any. */
export const nextDue = (ledger: Ledger["Service"]) =>
  Effect.map(ledger.claim({ at: -1, until: -1, limit: 0 }), ({ dueAt }) => dueAt)

/** One step of a history, `after` milliseconds after the last. */
type Operation = { readonly after: number } & (
  | {
      readonly _tag: "accept"
      readonly id: string
      readonly method: Method
      readonly status: Status
      readonly note: number
    }
  | {
      readonly _tag: "register"
      readonly id: string
      readonly kind: Exclude<Kind, Method>
      readonly status: Status | undefined
    }
  | { readonly _tag: "claim"; readonly limit: number; readonly hold: number }
  | {
      readonly _tag: "write"
      readonly which: number
      readonly change: Change
      readonly isStale: boolean
    }
)

const after = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 20 }))
const id = fc.constantFrom("1", "2", "3")
const status: fc.Arbitrary<Status> = fc.constantFrom("PENDING", "PROCESSING", "SUCCEED", "FAILED")
const moment = fc.option(fc.nat(200), { nil: undefined })
const change: fc.Arbitrary<Change> = fc.record(
  {
    evidence: status.map(Evidence.confirmed),
    read: fc.option(fc.record({ status, askedAt: fc.nat(200) }), { nil: undefined }),
    told: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
    tells: fc.nat(9),
    polls: fc.nat(9),
    pollAt: moment,
    askedAt: moment,
    doubtedAt: moment,
    until: fc.nat(300),
    release: fc.record({ dueAt: moment })
  },
  { requiredKeys: [] }
)
export const history: fc.Arbitrary<Array<Operation>> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        _tag: fc.constant("accept"),
        after,
        id,
        method: fc.constantFrom("card", "apm"),
        status,
        note: fc.nat(9)
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({
        _tag: fc.constant("register"),
        after,
        id,
        kind: fc.constantFrom("card-payment", "refund", "apm-payout"),
        status: fc.option(status, { nil: undefined })
      })
    },
    {
      weight: 3,
      arbitrary: fc.record({
        _tag: fc.constant("claim"),
        after,
        limit: fc.nat(3),
        hold: fc.nat(50)
      })
    },
    {
      weight: 5,
      arbitrary: fc.record({
        _tag: fc.constant("write"),
        after,
        which: fc.nat(9),
        change,
        isStale: fc.boolean()
      })
    }
  ),
  { maxLength: 40, size: "max" }
)

/** A row of the model: what was ever seen of it, and who holds it. */
interface Known {
  readonly row: Row
  readonly dueAt: number
  readonly lease:
    | { readonly token: number; readonly until: number; readonly isReset: boolean }
    | undefined
}

/** Runs a history against a ledger and the model side by side. */
export const replay = Effect.fnUntraced(function* (operations: ReadonlyArray<Operation>) {
  const ledger = yield* Ledger
  const known = new Map<string, Known>()
  const leases: Array<Leased> = []
  let now = 1000

  const keyOf = ({ method, transactionId }: Pick<Row, "method" | "transactionId">) =>
    `${method} ${transactionId}`
  const freeAt = ({ dueAt, lease }: Known) => lease?.until ?? dueAt
  const knownOf = (method: Method, transactionId: string): Known =>
    known.get(keyOf({ method, transactionId })) ?? {
      row: {
        method,
        transactionId,
        kind: method,
        evidence: Evidence.none,
        read: undefined,
        callbacks: 0,
        told: undefined,
        tells: 0,
        trying: undefined,
        attempt: 0,
        failingSince: undefined,
        tellAt: now,
        createdAt: now,
        since: now,
        polls: 0,
        pollAt: undefined,
        askedAt: undefined,
        doubtedAt: undefined,
        parked: undefined,
        newest: {}
      },
      dueAt: Infinity,
      lease: undefined
    }
  const soonest = () => {
    const least = Math.min(...[...known.values()].map(freeAt))
    return least === Infinity ? undefined : least
  }

  for (const operation of operations) {
    now += operation.after
    if (operation._tag === "accept") {
      const { id: transactionId, method, note, status } = operation
      const fields = { transactionId, transactionStatus: status, metadata: { note: String(note) } }
      const callback = verified(method, method === "card" ? card(fields) : apm(fields))
      const before = knownOf(method, transactionId)
      const isNew = !Evidence.claimedStatuses(before.row.evidence).includes(status)
      const isSure = Evidence.confirmedStatuses(before.row.evidence).includes(status)
      expect(yield* ledger.accept(callback, now)).toEqual({ isNew })
      const { transactionStatus, ...others } = callback.body
      const { apmType } = others
      known.set(keyOf(before.row), {
        row: {
          ...before.row,
          evidence: Evidence.join(before.row.evidence, Evidence.claimed(status)),
          callbacks: before.row.callbacks + 1,
          doubtedAt: isSure ? before.row.doubtedAt : now,
          newest: {
            ...before.row.newest,
            [status]: {
              signed: callback.signed,
              unsigned: {
                transactionStatus,
                metadata: { note: String(note) },
                ...(apmType !== undefined && { apmType })
              }
            }
          },
          ...(isNew && { since: now, polls: 0, pollAt: undefined })
        },
        dueAt: isNew || !isSure ? Math.min(before.dueAt, now) : before.dueAt,
        lease: before.lease && { ...before.lease, isReset: before.lease.isReset || isNew }
      })
    } else if (operation._tag === "register") {
      const { id: transactionId, kind, status } = operation
      const before = knownOf(kind === "apm-payout" ? "apm" : "card", transactionId)
      yield* ledger.register({ kind, transactionId, status }, now)
      known.set(keyOf(before.row), {
        ...before,
        row: {
          ...before.row,
          kind,
          evidence:
            status === undefined
              ? before.row.evidence
              : Evidence.join(before.row.evidence, Evidence.confirmed(status))
        },
        dueAt: Math.min(before.dueAt, now)
      })
    } else if (operation._tag === "claim") {
      const due = [...known.values()].filter((each) => freeAt(each) <= now)
      const until = now + operation.hold
      const { dueAt, rows } = yield* ledger.claim({ at: now, until, limit: operation.limit })
      const times = rows.map((row) => freeAt(known.get(keyOf(row)) as Known))
      expect(rows.length).toBe(Math.min(operation.limit, due.length))
      expect(new Set(rows.map(keyOf)).size).toBe(rows.length)
      expect(times).toEqual(
        due
          .map(freeAt)
          .toSorted((one, two) => one - two)
          .slice(0, operation.limit)
      )
      for (const row of rows) {
        const before = known.get(keyOf(row)) as Known
        expect(row).toMatchObject(before.row)
        expect(leases.map(({ lease }) => lease)).not.toContain(row.lease)
        leases.push(row)
        known.set(keyOf(row), {
          ...before,
          dueAt: Infinity,
          lease: { token: row.lease, until, isReset: false }
        })
      }
      expect(dueAt).toBe(soonest())
    } else {
      const given = leases.at(-1 - (operation.which % Math.max(leases.length, 1)))
      if (given === undefined) continue
      const before = known.get(keyOf(given)) as Known
      const { change } = operation
      const isHeld = before.lease?.token === given.lease
      const written = yield* ledger.write(given, change)
      expect(written === undefined).toBe(!isHeld)
      if (written === undefined || before.lease === undefined) continue
      const { evidence, read, release, until, ...rest } = change
      const { isReset } = before.lease
      const row: Row = {
        ...before.row,
        ...rest,
        evidence: Evidence.join(before.row.evidence, evidence ?? Evidence.none),
        read: Evidence.joinRead(before.row.read, read),
        polls: isReset ? before.row.polls : (change.polls ?? before.row.polls),
        pollAt: isReset || !("pollAt" in change) ? before.row.pollAt : change.pollAt
      }
      known.set(keyOf(row), {
        row,
        dueAt:
          release === undefined ? before.dueAt : Math.min(before.dueAt, release.dueAt ?? Infinity),
        lease:
          release === undefined
            ? { ...before.lease, until: until ?? before.lease.until }
            : undefined
      })
      // A worker may go on with the row it began with, or with the one a write gave it.
      if (!operation.isStale) leases[leases.indexOf(given)] = written
      expect({ ...written, callbacks: 0 }).toMatchObject({ ...row, callbacks: 0 })
    }
    for (const { row } of known.values()) {
      expect(yield* ledger.get(row.method, row.transactionId)).toEqual(row)
    }
    expect(yield* nextDue(ledger)).toBe(soonest())
  }
})
