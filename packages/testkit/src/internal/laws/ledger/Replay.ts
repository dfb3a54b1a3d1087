/**
 * Plays a history to a ledger and to the rule of its rows (`@pawl/webhook/internal/rule/RowRule`).
 */
import * as Evidence from "@pawl/core/Evidence"
import { kindsOf, methodOf } from "@pawl/core/Kind"
import * as Fact from "@pawl/webhook/internal/rule/Fact"
import { Ledger } from "@pawl/webhook/Ledger"
import { type Change, type Leased, perLane, type Row } from "@pawl/webhook/internal/rule/Row"
import * as RowRule from "@pawl/webhook/internal/rule/RowRule"
import { shardOf } from "@pawl/webhook/LedgerSql"
import * as StoredRow from "@pawl/webhook/internal/rule/StoredRow"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as ExpectedRows from "./ExpectedRows.ts"
import * as HistoryLaws from "../HistoryLaws.ts"
import { type Facet, facetOf } from "./Facets.ts"
import { allDeadLetters, callback, nextDue } from "./LedgerLaw.ts"
import type { Step } from "./Steps.ts"

type ReturnedRow = Row & Partial<Leased>

export const replay = HistoryLaws.replaying(
  Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, compare: HistoryLaws.Comparison<Facet>) {
    const ledger = yield* Ledger
    const expected = ExpectedRows.make()
    const leases: Array<Leased> = []
    const shards = ledger.shards?.length ?? 1
    let now = 0

    const compareRow = (
      name: string,
      actual: ReturnedRow | undefined,
      wanted: ReturnedRow | undefined
    ) => {
      compare.result(
        "rows",
        `the key of ${name}`,
        actual && nameOf(actual),
        wanted && nameOf(wanted)
      )
      compare.row(facetOf, name, actual, wanted, readable)
    }

    for (const step of steps) {
      now += step.after
      compare.step()
      if (step._tag === "accept") {
        const verified = verifiedOf(step)
        const { isNew, rows } = RowRule.accept(expected.of(verified), verified, step.status, now)
        expected.set(verified, rows)
        const accepted = yield* ledger.accept(verified, now)
        compare.result("evidence", "the result of accept", accepted, { isNew })
      } else if (step._tag === "register") {
        const { amount, id: transactionId, kind, status } = step
        const registration = { kind, transactionId, status, amount }
        const key = { method: methodOf(kind), transactionId }
        // The rule refuses no registration of these histories.
        const rows = Result.getOrThrow(RowRule.register(expected.of(key), registration, now))
        const refused = yield* ledger.register(registration, now).pipe(
          Effect.as(undefined),
          Effect.catchTag("RegisteredDifferently", ({ field }) => Effect.succeed(field))
        )
        const name = `the field that refuses the registration of ${transactionId}`
        compare.result("ordered", name, refused, undefined)
        expected.set(key, rows)
      } else if (step._tag === "claim") {
        const until = now + step.hold
        const limit =
          step.lane === undefined ? step.limit : { ...perLane(0), [step.lane]: step.limit }
        // Order and limits hold within a shard.
        const due = expected
          .shards(shards)
          .flatMap((rows) => ExpectedRows.dueTimes(rows, now, limit))
        const { dueAt, rows } = yield* ledger.claim({ at: now, until, limit })
        const times: Array<number> = []
        for (const row of rows) {
          const name = nameOf(row)
          const stored = expected.of(row).find((each) => each.row.scope === row.scope)
          if (stored === undefined) return compare.result("rows", `claimed ${name}`, row, undefined)
          const isLeased = (stored.lease?.until ?? now) > now
          const isRepeated = leases.some(
            (other) => other.lease === row.lease && shardOf(other, shards) === shardOf(row, shards)
          )
          compare.result("leases", `whether ${name} is already leased`, isLeased, false)
          compare.result(
            "leases",
            `whether the lease id of ${name} is used twice`,
            isRepeated,
            false
          )
          const leased = RowRule.lease(expected.of(row), row.scope, { id: row.lease, until })
          expected.set(row, leased.rows)
          compareRow(name, row, leased.leased)
          times.push(StoredRow.claimableAt(stored))
          leases.push(row)
        }
        compare.result("due", "the times from which the claimed rows were due", times, due)
        compare.result("due", "the time of the next due row", dueAt, expected.nextAt(limit))
      } else if (step._tag === "write") {
        const leased = leases.at(-1 - (step.which % Math.max(leases.length, 1)))
        if (leased === undefined) continue
        const kinds = kindsOf[leased.method]
        const kind = leased.kind === leased.method ? kinds[step.found ?? kinds.length] : undefined
        const change: Change = { ...step.change, ...(kind && { kind }) }
        const name = nameOf(leased)
        const before = expected.of(leased)
        const wanted = RowRule.write(before, leased, change)
        expected.set(leased, wanted.rows)
        const written = yield* ledger.write(leased, change)
        const isJoined = wanted.rows.length < before.length
        const isWritten = wanted.leased !== undefined
        compare.result(
          isJoined ? "rows" : "leases",
          `whether a write of ${name} returns a row`,
          written !== undefined,
          isWritten
        )
        if (isWritten) {
          // The returned bodies may be older than a clean-up.
          const newestCallbacks = written?.newestCallbacks ?? {}
          compareRow(name, written, { ...wanted.leased, newestCallbacks })
          // A worker may go on with the leased row, or with the one that a write returned.
          if (!step.isStale && written) leases[leases.indexOf(leased)] = written
        }
      } else if (step._tag === "redrive") {
        const { id: transactionId, method, note, scope } = step
        const key = { method, transactionId, scope }
        const before = expected.of(key)
        const after = RowRule.redrive(before, key, now, Fact.redriven(now, note))
        expected.set(key, after)
        const isRedriven = yield* ledger.redrive(key, now, note)
        compare.result("deadLetters", "the result of redrive", isRedriven, after !== before)
      } else if (step._tag === "shift") {
        const options = { at: now, by: step.by, until: now + step.hold }
        expected.shift(options)
        yield* ledger.shift(options)
      } else {
        const options = { before: now - step.age, limit: 1000 }
        const count = yield* ledger.deleteBodies(options)
        compare.result(
          "bodies",
          "the number of deleted bodies",
          count,
          expected.deleteBodies(options)
        )
      }

      if (compare.isOpen("due")) {
        const { due: count, oldestDueAt } = yield* ledger.backlog(now)
        const due = ExpectedRows.dueTimes(expected.all(), now)
        const wanted = { due: due.length, oldestDueAt: due[0] }
        const next = yield* nextDue(ledger)
        compare.facet("due", "the time of the next due row", next, expected.nextAt())
        compare.facet("due", "the backlog", { due: count, oldestDueAt }, wanted)
      }
      if (compare.isOpen("deadLetters")) {
        const letters = yield* allDeadLetters(ledger)
        const times = letters.map(({ deadLetter }) => deadLetter.at)
        const parked = expected.all().filter(({ row }) => row.deadLetter !== undefined)
        const names = parked.map(({ row }) => nameOf(row)).toSorted()
        const { deadLetters } = yield* ledger.backlog(now)
        compare.facet("deadLetters", "the dead letters", letters.map(nameOf).toSorted(), names)
        compare.facet(
          "deadLetters",
          "the order of the dead letters",
          times,
          times.toSorted(ascending)
        )
        compare.facet("deadLetters", "the number of dead letters", deadLetters, names.length)
      }
      for (const [name, { method, transactionId }] of compare.isOpen("facts")
        ? expected.keys()
        : []) {
        const stories = yield* ledger.story(method, transactionId)
        const wanted = expected
          .of({ method, transactionId })
          .map((stored) => StoredRow.storyOf(stored))
        compare.facet("facts", `the facts of ${name}`, factsIn(stories), factsIn(wanted))
      }
      for (const [name, { method, transactionId }] of expected.keys()) {
        const wanted = StoredRow.get(expected.of({ method, transactionId }), method)
        compareRow(name, yield* ledger.get(method, transactionId), wanted)
        if (wanted === undefined || !compare.isOpen("bodies")) continue
        const { accepted, bodies } = expected
          .of({ method, transactionId })
          .find(({ row }) => row.scope === wanted.scope) ?? { accepted: {}, bodies: {} }
        const key = { method, transactionId, scope: wanted.scope }
        for (const status of Struct.keys(accepted)) {
          const kept = status in wanted.newestCallbacks ? bodies[status] : undefined
          const [is, shouldBe] = [yield* ledger.body(key, status), kept].map(textOf)
          compare.facet("bodies", `the body of ${name} with ${String(status)}`, is, shouldBe)
        }
      }
    }
  })
)

const factsIn = (stories: ReadonlyArray<StoredRow.Story>) =>
  Object.fromEntries(
    stories.map(({ complete, facts, row }) => [
      row.scope,
      [complete, ...facts.map((fact) => Struct.omit(fact, ["number"]))]
    ])
  )

const nameOf = ({ scope, transactionId }: Pick<Row, "scope" | "transactionId">) =>
  `${scope} ${transactionId}`

const verifiedOf = ({ id, kind, requestId, status, unsigned }: Extract<Step, { _tag: "accept" }>) =>
  callback(status, {
    ...unsigned,
    method: methodOf(kind),
    account: "mid-1",
    transactionId: id,
    ...(kind !== "card" &&
      kind !== "apm" && { token: [kind, { requestId, amount: "10.00", currency: "EUR" }] })
  })

const textOf = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes)

const ascending = (one: number, two: number) => one - two

const readable = (value: unknown, field: keyof Leased) =>
  (field === "evidence" || field === "evidenceAtLease") && typeof value === "number"
    ? { claimed: Evidence.claimedStatuses(value), confirmed: Evidence.confirmedStatuses(value) }
    : value
