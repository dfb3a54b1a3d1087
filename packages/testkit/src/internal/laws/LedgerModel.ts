/**
 * A plain model of the ledger: what any history of one leaves, written without a thought of how it is kept.
 *
 * @since 0.1.0
 */
import { unsigned } from "@pawl/core/Callback"
import * as Evidence from "@pawl/core/Evidence"
import { type Status, statuses } from "@pawl/core/Status"
import type { Kind, Method } from "@pawl/core/Transaction"
import { Ledger } from "@pawl/webhook/Ledger"
import { blank, type Leased, type Row } from "@pawl/webhook/Row"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { expect } from "./Expect.ts"
import { callback, nextDue } from "./LedgerLaw.ts"
import type { Known, Step } from "./LedgerSteps.ts"

const same = (actual: unknown, expected: unknown) => expect(actual).toEqual(expected)

/** A row of the model: what was ever seen of it, and who holds it. */
interface Kept {
  readonly row: Row
  readonly dueAt: number
  readonly heard: Readonly<Partial<Record<Status, number>>>
  readonly lease:
    | { readonly token: number; readonly until: number; readonly isReset: boolean }
    | undefined
}

const kinds: Readonly<Record<Method, ReadonlyArray<Known>>> = {
  card: ["card-payment", "card-payout", "refund"],
  apm: ["apm-payment", "apm-payout"]
}

/**
 * Runs a history against a ledger and the model side by side.
 *
 * @category running
 * @since 0.1.0
 */
export const replay = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const ledger = yield* Ledger
  const kept = new Map<string, Kept>()
  const leases: Array<Leased> = []
  let now = 1000

  const keyOf = ({ scope, transactionId }: Pick<Row, "scope" | "transactionId">) =>
    `${scope} ${transactionId}`
  const freeAt = ({ dueAt, lease }: Kept) => lease?.until ?? dueAt
  const methodOf = (kind: Kind): Method => (kind.startsWith("apm") ? "apm" : "card")
  const under = (method: Method, transactionId: string) =>
    [...kept.values()].filter(
      ({ row }) => row.method === method && row.transactionId === transactionId
    )
  const rowOf = (kind: Kind, transactionId: string, takesUnknown: boolean): Kept => {
    const method = methodOf(kind)
    const wanted = kind === method ? kinds[method] : [kind]
    const order = takesUnknown ? [...wanted, method] : wanted
    const there = under(method, transactionId)
    const found = order.flatMap((each) => there.filter(({ row }) => row.kind === each))[0]
    return (
      found ?? {
        row: blank(kind, transactionId, now),
        dueAt: Infinity,
        heard: {},
        lease: undefined
      }
    )
  }
  const keep = (each: Kept) => kept.set(keyOf(each.row), each)
  const soonest = () => {
    const least = Math.min(...[...kept.values()].map(freeAt))
    return least === Infinity ? undefined : least
  }

  for (const step of steps) {
    now += step.after
    if (step._tag === "accept") {
      const { id: transactionId, kind, note, status } = step
      const method = methodOf(kind)
      const request = { requestId: `r${note}`, amount: "10.00", currency: "EUR" }
      const said = callback(status, {
        method,
        transactionId,
        metadata: { note: String(note) },
        ...(kind !== "card" && kind !== "apm" && { token: [kind, request] as const })
      })
      const before = rowOf(kind, transactionId, kind !== "refund")
      const isNew = !Evidence.claimedStatuses(before.row.evidence).includes(status)
      const isSure = Evidence.confirmedStatuses(before.row.evidence).includes(status)
      same(yield* ledger.accept(said, now), { isNew })
      const heard = { signed: said.signed, unsigned: unsigned(method, said.body) }
      keep({
        ...before,
        row: {
          ...before.row,
          kind: before.row.kind === method ? kind : before.row.kind,
          terms: before.row.terms ?? said.terms,
          secret: "current",
          evidence: Evidence.join(before.row.evidence, Evidence.claimed(status)),
          callbacks: before.row.callbacks + 1,
          doubtedAt: isSure ? before.row.doubtedAt : now,
          newest: { ...before.row.newest, [status]: heard },
          ...(isNew && { since: now, polls: 0, pollAt: undefined })
        },
        heard: { ...before.heard, [status]: now },
        dueAt: isNew || !isSure ? Math.min(before.dueAt, now) : before.dueAt,
        lease: before.lease && { ...before.lease, isReset: before.lease.isReset || isNew }
      })
    } else if (step._tag === "register") {
      const { amount, id: transactionId, kind, status } = step
      const before = rowOf(kind, transactionId, true)
      yield* ledger.register({ kind, transactionId, status, amount }, now)
      const seen = status === undefined ? Evidence.none : Evidence.confirmed(status)
      keep({
        ...before,
        row: {
          ...before.row,
          kind,
          terms: amount === undefined ? before.row.terms : { amount },
          evidence: Evidence.join(before.row.evidence, seen)
        },
        dueAt: Math.min(before.dueAt, now)
      })
    } else if (step._tag === "claim") {
      const due = [...kept.values()].filter((each) => freeAt(each) <= now)
      const until = now + step.hold
      const { dueAt, rows } = yield* ledger.claim({ at: now, until, limit: step.limit })
      const times = rows.map((row) => freeAt(kept.get(keyOf(row)) as Kept))
      same(rows.length, Math.min(step.limit, due.length))
      same(new Set(rows.map(keyOf)).size, rows.length)
      same(
        times,
        due
          .map(freeAt)
          .toSorted((one, two) => one - two)
          .slice(0, step.limit)
      )
      for (const row of rows) {
        const before = kept.get(keyOf(row)) as Kept
        same(row, {
          ...before.row,
          lease: row.lease,
          seen: before.row.evidence
        })
        same(
          leases.some(({ lease }) => lease === row.lease),
          false
        )
        leases.push(row)
        keep({
          ...before,
          dueAt: Infinity,
          lease: { token: row.lease, until, isReset: false }
        })
      }
      same(dueAt, soonest())
    } else if (step._tag === "write") {
      const given = leases.at(-1 - (step.which % Math.max(leases.length, 1)))
      if (given === undefined) continue
      const before = kept.get(keyOf(given))
      const isUnknown = given.kind === given.method && step.found !== undefined
      const found = kinds[given.method][(step.found ?? 0) % kinds[given.method].length]
      const change = { ...step.change, ...(isUnknown && { kind: found as Known }) }
      const isHeld =
        before?.lease?.token === given.lease &&
        (change.tellsBefore ?? before.row.tells) === before.row.tells
      const written = yield* ledger.write(given, change)
      if (!isHeld || before.lease === undefined) {
        same(written, undefined)
      } else {
        const { evidence, read, release, tellsBefore: _, until, ...rest } = change
        const { isReset } = before.lease
        const row: Row = {
          ...before.row,
          ...rest,
          evidence: Evidence.join(before.row.evidence, evidence ?? Evidence.none),
          read: Evidence.joinRead(before.row.read, read),
          polls: isReset ? before.row.polls : (change.polls ?? before.row.polls),
          pollAt: isReset || !("pollAt" in change) ? before.row.pollAt : change.pollAt
        }
        const twin = under(row.method, row.transactionId).find(
          (other) => isUnknown && other.row.scope !== row.scope && other.row.kind === row.kind
        )
        same(written === undefined, twin !== undefined)
        const isMore =
          twin !== undefined &&
          Evidence.claimedStatuses(row.evidence & ~twin.row.evidence).length > 0
        if (twin !== undefined) {
          kept.delete(keyOf(row))
          keep({
            ...twin,
            row: {
              ...twin.row,
              evidence: Evidence.join(twin.row.evidence, row.evidence),
              callbacks: twin.row.callbacks + row.callbacks,
              terms: twin.row.terms ?? row.terms,
              told: twin.row.told ?? row.told,
              newest: { ...row.newest, ...twin.row.newest }
            },
            heard: { ...before.heard, ...twin.heard },
            lease: twin.lease && { ...twin.lease, isReset: twin.lease.isReset || isMore },
            dueAt: Math.min(twin.dueAt, row.since)
          })
        } else {
          keep({
            ...before,
            row,
            dueAt:
              release === undefined
                ? before.dueAt
                : Math.min(before.dueAt, release.dueAt ?? Infinity),
            lease:
              release === undefined
                ? { ...before.lease, until: until ?? before.lease.until }
                : undefined
          })
          if (written !== undefined) {
            // A worker may go on with the row it began with, or with the one a write gave it.
            if (!step.isStale) leases[leases.indexOf(given)] = written
            // Its bodies may be from before a clean-up.
            same(
              { ...written, newest: {} },
              { ...row, newest: {}, lease: given.lease, seen: given.seen }
            )
          }
        }
      }
    } else if (step._tag === "redrive") {
      const found = under(step.method, step.id).filter(({ row }) => row.parked !== undefined)
      const key = { method: step.method, transactionId: step.id }
      same(yield* ledger.redrive(key, now), found.length > 0)
      for (const each of found) {
        const reason = each.row.parked?.reason
        keep({
          ...each,
          row: {
            ...each.row,
            parked: undefined,
            cleared: each.row.cleared || reason === "amount-mismatch",
            failingSince: undefined,
            tellAt: now,
            pollAt: reason === "unknown-transaction" ? now : each.row.pollAt
          },
          dueAt: Math.min(each.dueAt, now)
        })
      }
    } else {
      const before = now - step.age
      let count = 0
      for (const each of kept.values()) {
        if (each.row.parked !== undefined) continue
        const old = statuses.filter((status) => (each.heard[status] ?? Infinity) < before)
        count += old.length
        keep({
          ...each,
          row: { ...each.row, newest: Struct.omit(each.row.newest, old) },
          heard: Struct.omit(each.heard, old)
        })
      }
      same(yield* ledger.forget({ before, limit: 1000 }), count)
    }
    for (const method of ["card", "apm"] as const) {
      for (const transactionId of ["1", "2", "3"]) {
        const there = under(method, transactionId)
        const order = [...kinds[method], method]
        const first = order.flatMap((kind) => there.filter(({ row }) => row.kind === kind))[0]
        same(yield* ledger.get(method, transactionId), first?.row)
      }
    }
    const letters = yield* ledger.deadLetters
    same(
      letters.map(keyOf).toSorted(),
      [...kept.values()]
        .filter(({ row }) => row.parked !== undefined)
        .map(({ row }) => keyOf(row))
        .toSorted()
    )
    const times = letters.map(({ parked }) => parked?.at ?? 0)
    same(
      times,
      times.toSorted((one, two) => one - two)
    )
    same(yield* nextDue(ledger), soonest())
  }
})
