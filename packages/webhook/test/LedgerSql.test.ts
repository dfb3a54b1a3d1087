/** `@pawl/testkit/Laws/Store` has the laws of every ledger. */
import type { Kind } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { SqlClient } from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import fc from "fast-check"
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { layerMemory, Ledger } from "../src/Ledger.ts"
import type { Change, Leased } from "../src/internal/rule/Row.ts"
import { signed } from "./anyRow.ts"
import { repeats } from "@pawl/test-support/Repeats"
import { live, testIn, test } from "@pawl/test-support/Tests"
import { client, emptied, ledgerOf, type Place, services, empty } from "@pawl/test-support/Places"
import {
  card,
  incoming,
  secret,
  verified,
  verifierOf,
  transition
} from "@pawl/test-support/Service"
import { inEachStore } from "@pawl/test-support/Stores"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { Handler, type Transition } from "@pawl/core/Handler"
import * as LedgerSql from "../src/LedgerSql.ts"

/** Callbacks of one status keep their order in a group, and those of others may change places. */
const groups = (place: Place, numRuns: number) => {
  const callbacks = fc.array(
    fc.record({
      transactionId: fc.constantFrom("1", "2", "3"),
      transactionStatus: fc.constantFrom<Status>("NEW", "PENDING", "SUCCEED", "FAILED"),
      isPrevious: fc.boolean(),
      namesRefund: fc.boolean(),
      type: fc.constantFrom("PAYMENT", "PAYOUT"),
      mid: fc.constantFrom("mid-1", "mid-2"),
      orderAmount: fc.constantFrom("1.00", "2.00"),
      orderCurrency: fc.constantFrom("EUR", "USD"),
      note: fc.nat(99)
    }),
    { minLength: 2, maxLength: 30 }
  )
  const { verify: rotated } = verifierOf("newer", secret)
  const { verify } = verifierOf(secret)
  it("accepts a group with the same rows, bodies and results as its callbacks one by one", () =>
    live.forAll([callbacks, fc.boolean()], { numRuns }, function* (drawn, isOneStatus) {
      const one = Context.get(yield* Layer.build(layerMemory), Ledger)
      const many = Context.get(yield* Layer.build(emptied(place)), Ledger)
      const all = drawn.map(({ isPrevious, namesRefund, note, ...fields }) => {
        const { transactionId } = fields
        const status = isOneStatus ? { transactionStatus: "SUCCEED" } : {}
        const hint = namesRefund ? { refundId: transactionId } : {}
        const body = card({ ...fields, ...status, ...hint, metadata: { n: String(note) } })
        const verified = (isOneStatus && isPrevious ? rotated : verify)(incoming("card", body))
        return Result.getOrThrow(verified)
      })
      // A confirmed status makes a repeat not due.
      for (const ledger of [one, many]) {
        yield* ledger.register({ kind: "refund", transactionId: "1", status: "PENDING" }, 1)
      }
      const accepts = (ledger: Ledger["Service"]) =>
        all.map((each, at) =>
          ledger.accept(each, 1000 + (isOneStatus ? at : Number(each.transactionId)))
        )
      for (const _ of [1, 2]) {
        const inTurn = yield* Effect.all(accepts(one))
        expect(yield* Effect.all(accepts(many), { concurrency: "unbounded" })).toEqual(inTurn)
      }
      for (const { claim = "NEW", transactionId } of all) {
        const key = { method: "card", transactionId, scope: "card" } as const
        const shown = (ledger: Ledger["Service"]) =>
          Effect.all([ledger.get("card", transactionId), ledger.body(key, claim)])
        expect(yield* shown(many)).toEqual(yield* shown(one))
      }
      const claims = yield* Effect.forEach([one, many], (ledger) =>
        ledger.claim({ at: 5000, until: 6000, limit: 2 })
      )
      const plain = claims.map(({ dueAt, rows }) => ({
        dueAt,
        rows: rows.map((row) => ({ ...row, lease: 0 }))
      }))
      expect(plain[1]).toEqual(plain[0])
    }))
}

const promises = (place: Place) => {
  const test = testIn(place)

  test("A31: reads no body but that of the status to tell", function* () {
    const { ledger, sql } = yield* services
    const accept = (transactionStatus: Status) =>
      ledger.accept(verified("card", card({ transactionStatus })), 1000)
    yield* accept("PENDING")
    yield* accept("SUCCEED")
    // A body that is not JSON, so these calls would fail if they parsed it.
    const unreadable = new Uint8Array([0])
    yield* sql`UPDATE pawl_transactions_texts SET body = ${unreadable}`
    const { rows } = yield* ledger.claim({ at: 1000, until: 2000, limit: 1 })
    const leased = rows[0] as Leased
    const written = yield* ledger.write(leased, {
      deadLetter: { reason: "handler-failed", at: 1, to: undefined }
    })
    const stored = { at: 1000, signed: signed("10.00") }
    const shown = [leased, written, yield* ledger.get("card", "100001")]
    for (const row of shown) {
      expect(row?.newestCallbacks).toEqual({ PENDING: stored, SUCCEED: stored })
    }
    expect(yield* ledger.body(leased, "SUCCEED")).toEqual(unreadable)
    expect(yield* ledger.body(leased, "FAILED")).toBeUndefined()
  })

  test("a row that is joined to another one leaves no body beside that of the other, and wakes the worker, as a redrive does", function* () {
    const { ledger, sql } = yield* services
    const accept = (kind: Kind, transactionStatus: Status) =>
      ledger.accept({ ...verified("card", card({ transactionStatus })), kind }, 1000)
    yield* accept("card", "PENDING")
    yield* accept("card", "SUCCEED")
    yield* accept("refund", "PENDING")
    yield* ledger.awaitWork
    const { rows } = yield* ledger.claim({ at: 1000, until: 2000, limit: 2 })
    const write = (scope: string, change: Change) =>
      Effect.forEach(
        rows.filter((row) => row.scope === scope),
        (row) => ledger.write(row, change)
      )
    expect(yield* write("card", { kind: "refund" })).toEqual([undefined])
    yield* ledger.awaitWork
    const names = sql`SELECT name FROM pawl_transactions_texts`
    // The callback that succeeded has the only body of its status, until a newer one replaces it.
    expect(yield* names).toHaveLength(2)
    yield* accept("refund", "SUCCEED")
    expect(yield* names).toHaveLength(2)
    yield* write("refund", { deadLetter: { reason: "handler-failed", at: 1, to: undefined } })
    const key = { method: "card", transactionId: "100001" } as const
    expect(yield* ledger.redrive(key, 1500)).toBe(true)
    yield* ledger.awaitWork
  })

  test("a callback that no index could have under its id is kept in quarantine", function* () {
    const ledger = yield* Ledger
    // Random, because PostgreSQL compresses a text before it measures it.
    const transactionId = randomBytes(20_000).toString("hex")
    const callback = verified("card", card({ transactionId }))
    expect(callback.quarantine).toBe("transactionId")
    expect(yield* ledger.accept(callback, 1000)).toEqual({ isNew: true })
    expect(yield* ledger.accept(callback, 1001)).toEqual({ isNew: false })
  })

  test("a flood of callbacks with one status leaves room for another status, and for another kind", function* () {
    const ledger = yield* Ledger
    const accept = (kind: Kind, transactionStatus: Status) =>
      Effect.exit(ledger.accept({ ...verified("card", card({ transactionStatus })), kind }, 1000))
    const flood = Array.from({ length: 400 }, () => accept("card", "SUCCEED"))
    const others = [accept("card", "PENDING"), accept("refund", "SUCCEED")]
    const exits = yield* Effect.all([...flood, ...others], { concurrency: "unbounded" })
    expect(exits.slice(0, flood.length).every(Exit.isSuccess)).toBe(false)
    expect(exits.slice(flood.length).every(Exit.isSuccess)).toBe(true)
  })

  test("a row is due from a fraction of a millisecond, as the wait of a jittered schedule is", function* () {
    const ledger = yield* Ledger
    yield* ledger.accept(verified("card", card()), 1000)
    const { rows } = yield* ledger.claim({ at: 1000, until: 2000, limit: 1 })
    const retryAt = 1882.624742
    yield* ledger.write(rows[0] as Leased, { retryAt, release: { dueAt: retryAt, lane: "retry" } })
    const claim = (at: number) => ledger.claim({ at, until: at + 1000, limit: 1 })
    expect((yield* claim(1882)).rows).toEqual([])
    expect((yield* claim(1883)).rows).toMatchObject([{ retryAt }])
  })

  it.effect("accepts a hundred concurrent callbacks in a few statements", () => {
    let statements = 0
    const count: Statement.Transformer = (statement) => {
      if (statement.compile()[0].includes("INSERT INTO pawl_transactions_texts")) statements++
      return Effect.succeed(statement)
    }
    return Effect.gen(function* () {
      const ledger = yield* Ledger
      const ids = Array.from({ length: 100 }, (_, id) => String(id))
      yield* Effect.forEach(
        ids,
        (transactionId) => ledger.accept(verified("card", card({ transactionId })), 1000),
        { concurrency: "unbounded" }
      )
      expect((yield* ledger.claim({ at: 1000, until: 2000, limit: 200 })).rows.length).toBe(100)
      expect(statements).toBeLessThan(10)
    }).pipe(
      Effect.provide(emptied(place), { local: true }),
      Effect.provideService(Statement.CurrentTransformer, count)
    )
  })
}

const newer = (place: Place) =>
  test.with(() => client(place))(
    "R42: an older version refuses a newer schema in one sentence",
    function* () {
      const sql = yield* SqlClient
      yield* Layer.build(ledgerOf(place))
      yield* sql`INSERT INTO pawl_migrations (migration_id, name) VALUES (1000, 'later')`
      const { message } = yield* Effect.flip(Layer.build(Layer.fresh(ledgerOf(place))))
      expect(message).toMatch(
        /^The store belongs to a newer version of pawl \(its schema is 1000, this version knows \d+\): [^.]+$/u
      )
      yield* sql`DELETE FROM pawl_migrations WHERE migration_id = 1000`
      yield* Layer.build(Layer.fresh(ledgerOf(place)))
    }
  )

const orders = Effect.flatMap(SqlClient, (sql) =>
  Effect.andThen(
    sql`CREATE TABLE IF NOT EXISTS orders (transaction_id TEXT NOT NULL, status TEXT NOT NULL)`,
    sql`DELETE FROM orders`
  )
)
const insert = ({ to, transactionId }: Transition) =>
  SqlClient.use(
    (sql) => sql`INSERT INTO orders (transaction_id, status) VALUES (${transactionId}, ${to})`
  )
const written = SqlClient.use(
  (sql) => sql<{ readonly transaction_id: string; readonly status: string }>`SELECT * FROM orders`
)

const world = Effect.fnUntraced(function* (
  place: Place,
  commit: (transition: Transition) => Effect.Effect<unknown, unknown, SqlClient> = insert
) {
  const built = yield* Layer.build(
    Layer.provideMerge(LedgerSql.handler({ commit }), Layer.fresh(emptied(place)))
  )
  const ledger = Context.get(built, Ledger)
  yield* Effect.provide(orders, built)
  yield* ledger.accept(verified("card", card()), 1000)
  const { rows } = yield* ledger.claim({ at: 1000, until: 60_000, limit: 1 })
  const leased = rows[0] as Leased
  const told = ledger.write(leased, { told: "SUCCEED", sequence: 1, ifSequence: 0 })
  const commitTold = Context.get(built, Handler).commit
  if (commitTold === undefined) throw new Error("The handler has no commit")
  const state = Effect.gen(function* () {
    const row = yield* ledger.get("card", "100001")
    return { told: row?.told, orders: (yield* written).length }
  })
  return {
    told,
    commitTold: <A, E>(work: Effect.Effect<A, E>) => commitTold(transition, work),
    state: Effect.provide(state, built)
  }
})

const commits = (place: Place) => {
  test("writes both", function* () {
    const { commitTold, state, told } = yield* world(place)
    expect(yield* commitTold(told)).toMatchObject({ told: "SUCCEED" })
    expect(yield* state).toEqual({ told: "SUCCEED", orders: 1 })
  })

  test("writes neither when the commit fails after its write", function* () {
    const { commitTold, state, told } = yield* world(place, (handled) =>
      Effect.andThen(insert(handled), Effect.fail("no"))
    )
    expect(yield* Effect.flip(commitTold(told))).toBe("no")
    expect(yield* state).toEqual({ told: undefined, orders: 0 })
  })

  test("writes neither when the write of the ledger fails", function* () {
    const { commitTold, state, told } = yield* world(place)
    const lost = Effect.flatMap(told, () => Effect.fail("lost"))
    expect(yield* Effect.flip(commitTold(lost))).toBe("lost")
    expect(yield* state).toEqual({ told: undefined, orders: 0 })
  })

  test("fails with the SQL error of a write that the database refuses", function* () {
    const { commitTold, state, told } = yield* world(place, () =>
      SqlClient.use((sql) => sql`INSERT INTO orders (status) VALUES (NULL)`)
    )
    expect(yield* Effect.flip(commitTold(told))).toMatchObject({ _tag: "SqlError" })
    expect(yield* state).toEqual({ told: undefined, orders: 0 })
  })

  test("writes once when the response to the first transaction is lost", function* () {
    const { commitTold, state, told } = yield* world(place)
    yield* commitTold(told)
    const again = Effect.flatMap(told, (row) =>
      row === undefined ? Effect.fail(new StoreUnavailable({})) : Effect.succeed(row)
    )
    yield* Effect.flip(commitTold(again))
    expect(yield* state).toEqual({ told: "SUCCEED", orders: 1 })
  })
}

await inEachStore((place) => {
  const runs = place._tag === "sqlite" ? 3 : 1
  groups(place, repeats(28 * runs))
  promises(place)
  newer(place)
  describe("the commit of a handler", () => {
    commits(place)
  })

  // A server takes over without the last commits, while a process remembers them.
  live("R23: a callback after a fail-over that lost commits stays", function* () {
    const one = yield* Layer.build(Layer.fresh(ledgerOf(place)))
    const sql = Context.get(one, SqlClient)
    yield* Effect.provideService(empty, SqlClient, sql)
    const accept = (ledger: Ledger["Service"], transactionStatus: string) =>
      ledger.accept(verified("card", card({ transactionStatus })), 1000)
    const first = Context.get(one, Ledger)
    yield* accept(first, "NEW")
    const [line = {}] = yield* sql`SELECT version, document FROM pawl_transactions`
    yield* accept(first, "PENDING")
    yield* sql`UPDATE pawl_transactions SET ${sql.update(line)}`
    const second = Context.get(yield* Layer.build(Layer.fresh(ledgerOf(place))), Ledger)
    yield* accept(second, "SUCCEED")
    yield* accept(first, "PROCESSING")
    const row = yield* second.get("card", "100001")
    expect(Object.keys(row?.newestCallbacks ?? {})).toEqual(["NEW", "PROCESSING", "SUCCEED"])
  })
})
