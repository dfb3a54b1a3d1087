import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { existsSync, readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import { describe, expect } from "vitest"
import { layerMemory, Ledger } from "@pawl/webhook/Ledger"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import {
  RequestStore,
  layerMemory as layerRequests
} from "@pawl/webhook/internal/ledger/RequestStore"
import type { ShardKey } from "@pawl/webhook/internal/records/Engines"
import * as LedgerOperations from "@pawl/webhook/internal/ledger/LedgerOperations"
import { Records } from "@pawl/webhook/internal/records/Records"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as Fault from "@pawl/webhook/internal/sql/Fault"
import { callback, finish, november } from "@pawl/test-support/Finished"
import { client, emptied, ledgerOf } from "@pawl/test-support/Places"
import { command } from "./receiverProcess.ts"
import { files, onPostgres } from "@pawl/test-support/Stores"
import { live, testIn } from "@pawl/test-support/Tests"

const file = files()

type Both = Ledger | Records | RequestStore

const stores: Readonly<Record<string, () => Layer.Layer<Both, unknown>>> = {
  memory: () => Layer.provideMerge(layerRequests, Layer.fresh(layerMemory)),
  SQLite: () => ledgerOf(file())
}

const ids = Array.from({ length: 8 }, (_, n) => String(100_001 + n))

const ordered = Effect.fnUntraced(function* (id: string, isOpen = false) {
  const ledger = yield* Ledger
  const store = yield* RequestStore
  const requestId = `order-${id}`
  yield* ledger.accept({ ...callback(id, "SUCCEED"), ordered: { requestId } }, november)
  const request = { kind: "apm-payment", digest: "digest", hasCardData: false } as const
  yield* store.write({ ...request, requestId, body: `sealed ${requestId}` }, { at: november })
  if (isOpen) return
  const outcome = { _tag: "Answered", text: `answer ${requestId}` } as const
  yield* store.settle(requestId, { outcome, at: november })
})

const texts = (requestId: string) =>
  Effect.map(
    Effect.flatMap(RequestStore, (store) => store.get(requestId)),
    (row) => [row?.body, row?.outcome !== undefined && "text" in row.outcome && row.outcome.text]
  )

const holds = (layer: () => Layer.Layer<Both, unknown>) => {
  const test = live.with(layer)
  test("the texts of a transaction are deleted, and what accounting needs is kept", function* () {
    const ledger = yield* Ledger
    for (const id of ["1", "2"]) yield* finish(id, november)
    const [before] = yield* ledger.story("card", "1")
    const none = { quarantined: 0, notes: 0, requests: 0, open: 0 }
    expect(yield* ledger.erase("card", "1")).toEqual({ rows: 1, bodies: 1, ...none })
    expect(yield* ledger.erase("card", "1")).toEqual({ rows: 1, bodies: 0, ...none })
    expect(yield* ledger.erase("card", "3")).toEqual({ rows: 0, bodies: 0, ...none })
    const bodies = yield* Effect.forEach(["1", "2"], (transactionId) =>
      ledger.body({ method: "card", transactionId, scope: "card" }, "SUCCEED")
    )
    expect(bodies.map((bytes) => bytes && new TextDecoder().decode(bytes))).toEqual([
      undefined,
      expect.stringContaining("Grace Hopper 2")
    ])
    const row = yield* ledger.get("card", "1")
    expect(row).toMatchObject({ told: "SUCCEED", callbacks: 1, createdAt: november })
    expect(row?.newestCallbacks.SUCCEED?.signed?.amount).toBe("10.00")
    expect(yield* ledger.story("card", "1")).toEqual([
      { ...before, row: { ...before?.row, isErased: true } }
    ])
    const again = yield* ledger.accept(callback("1", "SUCCEED"), november + 1)
    expect(again).toEqual({ isNew: false })
  })

  test("A45: no text of an erased transaction comes back, by whichever door", function* () {
    const ledger = yield* Ledger
    const { own } = yield* Records
    const captured = callback("1", "SUCCEED", { note: "Grace Hopper" })
    const unlisted = { ...captured, claim: undefined, quarantine: "transactionStatus" }
    /** Leaves out the texts of another transaction. */
    const kept = Effect.map(
      Effect.forEach(own, (records) =>
        Effect.gen(function* () {
          const places = (name: "quarantine" | "transactions") =>
            Effect.flatMap(
              records.texts(name, {
                before: Infinity,
                after: { at: Number.MIN_SAFE_INTEGER, key: "", name: "" },
                limit: 1000
              }),
              Effect.forEach(({ key, name: text }) => records.text(name, key, text))
            )
          return [...(yield* places("quarantine")), ...(yield* places("transactions"))]
        })
      ),
      (all) => all.flat().map((bytes) => new TextDecoder().decode(bytes))
    )
    const holdsNone = Effect.map(kept, (bodies) => expect(bodies).toEqual([]))

    yield* ledger.accept(captured, november)
    yield* ledger.accept(unlisted, november)
    expect(yield* kept).toHaveLength(2)
    expect(yield* ledger.erase("card", "1")).toMatchObject({ bodies: 1, quarantined: 1 })
    yield* holdsNone

    // A checksum does not cover the status, the kind and the refund.
    yield* ledger.accept(captured, november + 1)
    for (const status of ["SUCCEED", "CHARGEBACK", "PENDING"] as const)
      yield* ledger.accept(callback("1", status, { note: "Grace Hopper" }), november + 1)
    yield* ledger.accept({ ...captured, kind: "card-payout" }, november + 1)
    yield* ledger.accept(unlisted, november + 1)
    yield* ledger.register({ kind: "refund", transactionId: "9" }, november)
    yield* ledger.accept({ ...captured, refundId: "9" }, november + 1)
    yield* ledger.register({ kind: "card-payment", transactionId: "1" }, november + 1)
    yield* ledger.accept(captured, november + 2)
    yield* holdsNone
    const rows = (yield* ledger.story("card", "1")).map(({ row }) => row)
    expect(rows.map(({ callbacks, isErased, kind }) => [kind, callbacks, isErased])).toEqual([
      ["card-payout", 6, true],
      ["card-payment", 1, true]
    ])
    expect(rows[0]?.newestCallbacks.CHARGEBACK?.signed?.amount).toBe("10.00")

    // A transaction that had callbacks in quarantine only.
    const other = { ...callback("2", "SUCCEED"), claim: undefined, quarantine: "amount" }
    yield* ledger.accept(other, november)
    expect(yield* ledger.erase("card", "2")).toMatchObject({ rows: 0, quarantined: 1 })
    yield* ledger.accept(other, november + 1)
    yield* ledger.accept(callback("2", "SUCCEED"), november + 1)
    yield* ledger.accept(callback("2", "REFUNDED"), november + 2)
    yield* holdsNone
    expect(yield* ledger.get("card", "2")).toMatchObject({ callbacks: 2, isErased: true })
  })

  test("A45: a callback in quarantine that is stored while its transaction is erased is deleted", function* () {
    const ledger = yield* Ledger
    const { of, own } = yield* Records
    const unlisted = { ...callback("1", "SUCCEED"), claim: undefined, quarantine: "status" }
    yield* ledger.accept(callback("1", "SUCCEED"), november)
    const late = Arr.map(own, (records) => ({
      ...records,
      change: (...change: Parameters<typeof records.change>) =>
        Effect.andThen(ledger.erase("card", "1"), records.change(...change))
    })) as unknown as typeof own
    const engines = { own: late, of: (key: ShardKey) => late[own.indexOf(of(key))] ?? late[0] }
    yield* LedgerOperations.make(engines).accept(unlisted, november)
    expect(yield* ledger.quarantined).toEqual([])
  })

  test("A45: a transaction whose rows were deleted after their time is still known as erased", function* () {
    const ledger = yield* Ledger
    for (const id of ["1", "2"]) yield* finish(id, november)
    yield* ledger.erase("card", "1")
    const options = { before: november + 1, limit: 10 }
    expect(yield* ledger.deleteOld(options)).toBe(2)
    expect(yield* ledger.deleteOld(options)).toBe(0)
    for (const id of ["1", "2"]) {
      expect(yield* ledger.story("card", id)).toEqual([])
      yield* ledger.accept(callback(id, "SUCCEED"), november + 2)
    }
    const bodies = yield* Effect.forEach(["1", "2"], (transactionId) =>
      ledger.body({ method: "card", transactionId, scope: "card" }, "SUCCEED")
    )
    expect(bodies.map((bytes) => bytes !== undefined)).toEqual([false, true])
  })

  test("the texts of the settled requests of a transaction are deleted, and only these", function* () {
    const ledger = yield* Ledger
    for (const id of ids) yield* ordered(id, id === ids[7])
    for (const id of ids.slice(1)) {
      const isOpen = id === ids[7]
      expect(yield* ledger.erase("card", id)).toMatchObject({
        rows: 1,
        bodies: 1,
        requests: isOpen ? 0 : 1,
        open: isOpen ? 1 : 0
      })
    }
    expect(yield* texts(`order-${ids[0]}`)).toEqual([undefined, `answer order-${ids[0]}`])
    expect(yield* texts(`order-${ids[1]}`)).toEqual([undefined, undefined])
    expect(yield* texts(`order-${ids[7]}`)).toEqual([`sealed order-${ids[7]}`, false])
    expect(yield* ledger.erase("card", ids[1] ?? "")).toMatchObject({ requests: 0 })
  })

  test("the name and reason of a redrive are deleted, and one without them does not count", function* () {
    const ledger = yield* Ledger
    for (const [id, note] of [
      ["1", { by: "grace", why: "paid twice" }],
      ["2", {}]
    ] as const) {
      yield* ledger.accept(callback(id, "SUCCEED"), november)
      const { rows } = yield* ledger.claim({ at: november, until: november + 1000, limit: 1 })
      const deadLetter = { reason: "handler-failed", at: november, to: undefined } as const
      for (const row of rows)
        yield* ledger.write(row, { deadLetter, release: { dueAt: undefined } })
      yield* ledger.redrive({ method: "card", transactionId: id }, november, note)
    }
    const erased = yield* Effect.forEach(["1", "2"], (id) => ledger.erase("card", id))
    expect(erased.map(({ notes }) => notes)).toEqual([1, 0])
    const [story] = yield* ledger.story("card", "1")
    expect(JSON.stringify(story)).not.toMatch(/grace|paid twice/u)
    expect(story?.facts.map(({ fact }) => fact)).toContain("redriven")
  })
}

for (const [name, layer] of Object.entries(stores)) {
  describe(`erase in ${name}`, () => {
    holds(layer)
  })
}

describe("erase in four shards", () => {
  const four = () => LedgerSql.layerShards(Arr.makeBy(4, () => ledgerOf(file())))
  holds(four)

  live.with(four)("callbacks in quarantine are deleted in every shard", function* () {
    const ledger = yield* Ledger
    const unknown = { ...callback("1", "SUCCEED"), claim: undefined, quarantine: "status" }
    // When a database was added, quarantined callbacks are not moved.
    for (const records of (yield* Records).own) {
      const alone = LedgerOperations.make({ of: () => records, own: [records] })
      yield* alone.accept(unknown, november)
    }
    expect(yield* ledger.quarantined).toHaveLength(4)
    expect(yield* ledger.erase("card", "1")).toMatchObject({ quarantined: 4 })
    expect(yield* ledger.quarantined).toEqual([])
  })
})

describe("compact", () => {
  const stored = file()
  testIn(stored)("leaves no erased text in the files of the store", function* () {
    const isInFiles = (text: string) =>
      ["", "-wal"]
        .map((suffix) => stored.filename + suffix)
        .some((name) => existsSync(name) && readFileSync(name).includes(text))
    const ledger = yield* Ledger
    for (const id of ["1", "2"]) yield* finish(id, november)
    expect(isInFiles("Grace Hopper 1")).toBe(true)
    const again = { note: "Grace Hopper 1 again" }
    yield* ledger.accept(callback("1", "CHARGEBACK", again), november)
    yield* ledger.accept(callback("2", "SETTLED", { note: "Ada Lovelace" }), november)
    for (const id of ["1", "2"]) yield* ledger.erase("card", id)
    yield* ledger.compact
    for (const text of ["Grace Hopper", "Ada Lovelace"]) expect(isInFiles(text)).toBe(false)
    expect(yield* ledger.get("card", "1")).toMatchObject({ told: "SUCCEED", callbacks: 2 })
  })

  live.with(() => NodeSqlite.layerLedger({ filename: `file:${file().filename}` }))(
    "rewrites a database that a URI names",
    function* () {
      const ledger = yield* Ledger
      yield* finish("1", november)
      yield* ledger.compact
      expect((yield* ledger.get("card", "1"))?.told).toBe("SUCCEED")
    }
  )

  live("fails while another process reads the write-ahead log", function* () {
    const place = file()
    const built = yield* Layer.build(ledgerOf(place))
    const ledger = Context.get(built, Ledger)
    yield* Effect.provideContext(finish("1", november), built)
    const reader = new DatabaseSync(place.filename)
    reader.exec("BEGIN; SELECT count(*) FROM pawl_transactions")
    expect(yield* Effect.flip(ledger.compact)).toMatchObject({ _tag: "StoreUnavailable" })
    reader.close()
    yield* ledger.compact
  })
})

describe("the command erase", () => {
  const withCallback = Effect.gen(function* () {
    const place = file()
    yield* Effect.flatMap(Ledger, (ledger) =>
      ledger.accept(callback("1", "PENDING", { name: "Grace" }), 1000)
    ).pipe(Effect.provide(ledgerOf(place), { local: true }))
    const env = { PAWL_STORE: `sqlite:${place.filename}` }
    return {
      filename: place.filename,
      erase: (...args: ReadonlyArray<string>) => command(env, "erase", "card-payment", ...args)
    }
  })

  live("says what it deleted and kept, and names an id that the store does not have", function* () {
    const { erase } = yield* withCallback
    const { code, stdout } = yield* erase("1", "--compact")
    expect([code, stdout]).toEqual([
      0,
      "1: deleted 1 callback text, 0 request texts, 0 notes; kept ids, amounts, currencies, statuses and times\nThe store was rewritten. Backups and logs of the database keep the texts until you delete them.\n"
    ])
    const unknown = yield* erase("2")
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain("The store has no card transaction 2.")
  })

  live("names an unknown id even if the store cannot be rewritten", function* () {
    const { erase, filename } = yield* withCallback
    const reader = new DatabaseSync(filename)
    reader.exec("BEGIN; SELECT count(*) FROM pawl_transactions")
    const { code, stderr, stdout } = yield* erase("1", "2", "--compact")
    reader.close()
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^1: deleted 1 callback text, .*\n$/u)
    ])
    expect(stderr).toMatch(
      /^The store has no card transaction 2\.\nThe store could not be rewritten \(another process reads the write-ahead log\), so .+\n$/u
    )
  })

  live.each(["BEFORE UPDATE ON pawl_transactions", "BEFORE DELETE ON pawl_transactions_texts"])(
    "says why the store refuses: a trigger %s",
    function* (event) {
      const { erase, filename } = yield* withCallback
      const database = new DatabaseSync(filename)
      database.exec(`CREATE TRIGGER refuses ${event} BEGIN SELECT RAISE(ABORT, 'Grace'); END`)
      database.close()
      expect(yield* erase("1")).toMatchObject({
        code: 1,
        stdout: "",
        stderr:
          "The store cannot be used: a trigger or a constraint refuses the row (SQLite error 1811).\n"
      })
    }
  )
})

/** Runs an effect whose waits take no real time. */
const waitedFor = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust("100 millis")
      yield* Effect.promise(() => setImmediate())
    }
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provide(TestClock.layer()))

await onPostgres((place) => {
  describe("erase in PostgreSQL", () => {
    holds(() => emptied(place))
    const test = testIn(place)

    /** Returns the relations of the database in whose files a text is. */
    const holding = (text: string) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CHECKPOINT`
        const lines = yield* sql<{ readonly name: string }>`
          SELECT oid::regclass::text AS name FROM pg_class
          WHERE relkind IN ('r', 't', 'i') AND pg_relation_filepath(oid) IS NOT NULL
            AND position(convert_to(${text}, 'UTF8') IN
              pg_read_binary_file(pg_relation_filepath(oid), 0, 1000000000, true)) > 0`
        return lines.map(({ name }) => name)
      })

    test("after an erase and a rewrite no table, index or statistic has the text", function* () {
      const ledger = yield* Ledger
      const sql = yield* SqlClient
      for (let id = 1; id <= 20; id++) yield* finish(String(id), november)
      expect(yield* holding("Grace Hopper 4")).toContain("pawl_transactions_texts")
      yield* sql`ANALYZE`
      for (let id = 1; id <= 20; id++) yield* ledger.erase("card", String(id))
      yield* ledger.compact
      const encoded = Buffer.from("Grace Hopper").toString("base64").slice(0, 12)
      for (const text of ["Grace Hopper", encoded]) expect(yield* holding(text)).toEqual([])
    })

    test("a rewrite fails while a session holds an older snapshot, because deleted texts would be copied", function* () {
      const ledger = yield* Ledger
      yield* finish("1", november)
      const startupParameters = { idle_in_transaction_session_timeout: "0" }
      const other = Context.get(yield* Layer.build(client(place, { startupParameters })), SqlClient)
      const holder = yield* other.reserve
      yield* holder.executeUnprepared("BEGIN ISOLATION LEVEL REPEATABLE READ", [], undefined)
      yield* holder.executeUnprepared("SELECT 1", [], undefined)
      yield* ledger.erase("card", "1")
      const failed = yield* waitedFor(Effect.flip(ledger.compact))
      expect(Fault.of(failed).cause).toBe("pawl holds an older snapshot")
      yield* holder.executeUnprepared("COMMIT", [], undefined)
      yield* ledger.compact
      expect(yield* holding("Grace Hopper 1")).toEqual([])
    })

    test("a rewrite fails for a role that does not own the tables, which PostgreSQL skips, or that does not see who holds a snapshot", function* () {
      const sql = yield* SqlClient
      const role = `pawl_erase_${place.database}`
      const asRole = (wait: typeof waitedFor) =>
        Effect.scoped(
          Effect.flatMap(Layer.build(Layer.fresh(ledgerOf(place, { username: role }))), (built) =>
            wait(Effect.exit(Context.get(built, Ledger).compact))
          )
        )
      const give = (owner: string) =>
        Effect.flatMap(
          sql<{ readonly name: string }>`
                SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'pawl_%'`,
          Effect.forEach(({ name }) => sql.unsafe(`ALTER TABLE ${name} OWNER TO ${owner}`))
        )
      yield* sql.unsafe(`CREATE ROLE ${role} LOGIN`)
      yield* Effect.gen(function* () {
        yield* sql.unsafe(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`)
        yield* sql.unsafe(`GRANT pg_read_all_stats TO ${role}`)
        expect((yield* asRole(waitedFor))._tag).toBe("Failure")
        yield* give(role)
        // A transaction of another database of the server may have to end first.
        expect((yield* asRole((compact) => compact))._tag).toBe("Success")
        yield* sql.unsafe(`REVOKE pg_read_all_stats FROM ${role}`)
        expect((yield* asRole(waitedFor))._tag).toBe("Failure")
      }).pipe(
        Effect.ensuring(
          Effect.orDie(
            Effect.all([
              give("CURRENT_USER"),
              sql.unsafe(`DROP OWNED BY ${role}`),
              sql.unsafe(`DROP ROLE ${role}`)
            ])
          )
        )
      )
    })
  })
})
