/**
 * A history of a ledger, played to it and to the model side by side.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import { Ledger } from "@pawl/webhook/Ledger"
import type { Change, Leased, Row } from "@pawl/webhook/Row"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { expect } from "../Expect.ts"
import { type Facet, fieldsOf } from "./Facets.ts"
import { callback, nextDue } from "./LedgerLaw.ts"
import * as Model from "./Model.ts"
import type { Step } from "./Steps.ts"

/** A row as it is shown, or leased. */
type Seen = Row & Partial<Leased>

/** Where a ledger parts from the model. */
class Parting extends Data.TaggedError("Parting")<{
  readonly facet: Facet
  readonly message: string
}> {}

/**
 * Plays a history, and looks at one facet. Where ledger and model part in another the history ends, since
 * what follows says nothing: that is for the law of the other.
 *
 * @category running
 * @since 0.1.0
 */
export const replay = Effect.fnUntraced(
  function* (steps: ReadonlyArray<Step>, mine: Facet) {
    const ledger = yield* Ledger
    const model = Model.make()
    const fields = fieldsOf(mine)
    const leases: Array<Leased> = []
    let now = 0
    let done = 0

    const same = (facet: Facet, what: string, actual: unknown, expected: unknown) =>
      Result.getOrThrowWith(
        Result.try(() => expect(actual).toEqual(expected)),
        (wrong) =>
          new Parting({ facet, message: `step ${done}, ${what}. ${(wrong as Error).message}` })
      )
    const sameRow = (name: string, actual: Seen | undefined, expected: Seen | undefined) => {
      same(
        "rows",
        `which row ${name} is`,
        actual && Model.keyOf(actual),
        expected && Model.keyOf(expected)
      )
      for (const field of fields) {
        const [is, isToBe] = [actual, expected].map((row) => inWords(field, row?.[field]))
        same(mine, `${field} of ${name}`, is, isToBe)
      }
    }

    for (const step of steps) {
      now += step.after
      done++
      if (step._tag === "accept") {
        const said = saidBy(step)
        const expected = model.accept(said, step.status, now)
        same("evidence", "what accept says", yield* ledger.accept(said, now), expected)
      } else if (step._tag === "register") {
        const { amount, id: transactionId, kind, status } = step
        const operation = { kind, transactionId, status, amount }
        model.register(operation, now)
        yield* ledger.register(operation, now)
      } else if (step._tag === "claim") {
        const until = now + step.hold
        const due = dueOf(model, now).slice(0, step.limit)
        const { dueAt, rows } = yield* ledger.claim({ at: now, until, limit: step.limit })
        const times: Array<number> = []
        for (const row of rows) {
          const name = Model.keyOf(row)
          const before = model.of(row)
          if (before === undefined) return same("rows", `claimed ${name}`, row, undefined)
          const isAnothers = (before.lease?.until ?? now) > now
          const isOld = leases.some(({ lease }) => lease === row.lease)
          same("leases", `whether another holds ${name}`, isAnothers, false)
          same("leases", `whether the lease of ${name} was given before`, isOld, false)
          sameRow(name, row, {
            ...before.row,
            lease: row.lease,
            evidenceAtLease: before.row.evidence
          })
          times.push(Model.freeAt(before))
          leases.push(row)
          model.lease(before, row.lease, until)
        }
        same("due", "since when the claimed rows were due", times, due)
        same("due", "when the next is due", dueAt, model.soonest())
      } else if (step._tag === "write") {
        const given = leases.at(-1 - (step.which % Math.max(leases.length, 1)))
        if (given === undefined) continue
        const kinds = Model.kinds[given.method]
        const kind = given.kind === given.method ? kinds[step.found ?? kinds.length] : undefined
        const change: Change = { ...step.change, ...(kind && { kind }) }
        const name = Model.keyOf(given)
        const expected = model.write(given, change)
        const written = yield* ledger.write(given, change)
        const facet = expected === "joined" ? "rows" : "leases"
        const isWritten = typeof expected !== "string"
        same(facet, `whether a write of ${name} gives a row`, written !== undefined, isWritten)
        if (isWritten) {
          const { lease, evidenceAtLease } = given
          // Its bodies may be from before a clean-up.
          sameRow(name, written, {
            ...expected,
            newestCallbacks: written?.newestCallbacks ?? {},
            lease,
            evidenceAtLease
          })
          // A worker may go on with the row it began with, or with the one a write gave it.
          if (!step.isStale && written) leases[leases.indexOf(given)] = written
        }
      } else if (step._tag === "redrive") {
        const { id: transactionId, method, scope } = step
        const key = { method, transactionId, scope }
        const expected = model.redrive(key, now)
        same("letters", "what redrive says", yield* ledger.redrive(key, now), expected)
      } else {
        const before = now - step.age
        const expected = model.forget(before)
        const count = yield* ledger.forget({ before, limit: 1000 })
        same("bodies", "how many bodies forget says", count, expected)
      }

      if (mine === "due") {
        const { due: count, oldestDueAt } = yield* ledger.backlog(now)
        const due = dueOf(model, now)
        same(mine, "when the next is due", yield* nextDue(ledger), model.soonest())
        same(
          mine,
          "the backlog",
          { due: count, oldestDueAt },
          { due: due.length, oldestDueAt: due[0] }
        )
      } else if (mine === "letters") {
        const letters = yield* ledger.deadLetters
        const times = letters.map(({ deadLetter }) => deadLetter?.at ?? 0)
        const expected = model.all().filter(({ row }) => row.deadLetter !== undefined)
        const names = expected.map(({ row }) => Model.keyOf(row))
        same(mine, "the dead letters", letters.map(Model.keyOf).toSorted(), names.toSorted())
        same(mine, "the order of the dead letters", times, times.toSorted(ascending))
        const { deadLetters } = yield* ledger.backlog(now)
        same(mine, "how many dead letters there are", deadLetters, names.length)
      }
      const places = new Map(
        model.all().map(({ row }) => [`${row.method} ${row.transactionId}`, row])
      )
      for (const [name, { method, transactionId }] of places) {
        const row = yield* ledger.get(method, transactionId)
        sameRow(name, row, model.get(method, transactionId))
      }
    }
  },
  (played, _, mine) =>
    Effect.catchDefect(played, (wrong) =>
      wrong instanceof Parting && wrong.facet !== mine ? Effect.void : Effect.die(wrong)
    )
)

const saidBy = ({ id, kind, requestId, status, unsigned }: Extract<Step, { _tag: "accept" }>) =>
  callback(status, {
    ...unsigned,
    method: kind.startsWith("apm") ? "apm" : "card",
    // With it the checksum is the same in both methods.
    account: "mid-1",
    transactionId: kind === "refund" ? "9" : id,
    ...(kind === "refund" && { refundId: id }),
    ...(kind !== "card" &&
      kind !== "apm" && { token: [kind, { requestId, amount: "10.00", currency: "EUR" }] })
  })

const dueOf = (model: ReturnType<typeof Model.make>, at: number) =>
  model
    .all()
    .map(Model.freeAt)
    .filter((each) => each <= at)
    .toSorted(ascending)

const ascending = (one: number, two: number) => one - two

const inWords = (field: keyof Leased, value: unknown) =>
  (field === "evidence" || field === "evidenceAtLease") && typeof value === "number"
    ? { claimed: Evidence.claimedStatuses(value), confirmed: Evidence.confirmedStatuses(value) }
    : value
