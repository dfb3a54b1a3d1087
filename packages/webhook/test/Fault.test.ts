import { forAll } from "@pawl/test-support/Properties"
import * as LedgerSql from "../src/LedgerSql.ts"
import * as NodeSqlite from "../src/NodeSqlite.ts"
import * as Fault from "../src/internal/sql/Fault.ts"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { card, verified } from "@pawl/test-support/Service"
import { inEachStore } from "@pawl/test-support/Stores"
import { testIn, test } from "@pawl/test-support/Tests"
import { server, urlOf } from "@pawl/test-support/Postgres"
import * as NodeStore from "../src/internal/ledger/NodeStore.ts"
import { Ledger } from "../src/Ledger.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import {
  SqlError,
  StatementTimeoutError,
  ConnectionError,
  DeadlockError,
  LockTimeoutError,
  SerializationError,
  UnknownError
} from "effect/sql/SqlError"
import fc from "fast-check"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Retry from "../src/internal/sql/Retry.ts"

const ofPostgres = (code: string, message = "the text of the server") =>
  new StoreUnavailable({
    cause: new SqlError({
      reason: new StatementTimeoutError({
        message,
        cause: Object.assign(new Error(message), { code })
      })
    })
  })

describe("an error of PostgreSQL", () => {
  it.each([
    ["42501", "refused"],
    ["28P01", "refused"],
    ["53100", "full"],
    ["53300", "unavailable"],
    ["42P01", "statement"],
    ["P0001", "statement"],
    ["23514", "statement"],
    ["XX001", "statement"],
    ["25006", "unavailable"],
    ["57P01", "unavailable"],
    ["40001", "unavailable"],
    ["55P03", "unavailable"]
  ])("with the state %s is %s", (state, kind) => {
    const fault = Fault.of(ofPostgres(state))
    expect(fault.kind).toBe(kind)
    expect(fault.cause).toContain(`SQLSTATE ${state}`)
  })

  it("of a database that is renamed or restored is unavailable", () => {
    expect(Fault.of(ofPostgres("3D000"))).toEqual({
      kind: "unavailable",
      cause: "the database is missing (SQLSTATE 3D000)"
    })
  })

  it.each(["26000", "25P02"])("with the state %s is that of a pooler", (state) => {
    expect(Fault.of(ofPostgres(state))).toEqual({
      kind: "statement",
      cause: `a pooler is not in session mode (SQLSTATE ${state})`
    })
  })

  it.each([
    "pawl_transactions",
    "pawl_requests_texts",
    "pawl_quarantine",
    "pawl_settings",
    "pawl_migrations"
  ])("names our table %s", (table) => {
    const { cause } = Fault.of(ofPostgres("42501", `permission denied for table ${table}`))
    expect(cause).toBe(`the role has too few rights (SQLSTATE 42501, ${table})`)
  })

  it("gives no text of the server", () =>
    forAll(
      [fc.string({ minLength: 4 }), fc.constantFrom("23505", "P0001", "42501")],
      (text, state) => {
        const value = `value-${text}`
        expect(Fault.of(ofPostgres(state, value)).cause).not.toContain(value)
      }
    ))
})

it.each(["EPIPE", "ECONNRESET"])("an error %s of the connection is unavailable", (code) => {
  expect(Fault.of(ofPostgres(code)).kind).toBe("unavailable")
})

it("an error without a number is unavailable, and one of our own time-outs says so", () => {
  for (const cause of [undefined, { fault: "client" }, { fault: undefined }])
    expect(Fault.of(new StoreUnavailable({ cause })).kind).toBe("unavailable")
  const reason = new StatementTimeoutError({ message: "late", cause: undefined })
  expect(Fault.of(new StoreUnavailable({ cause: new SqlError({ reason }) }))).toEqual({
    kind: "unavailable",
    cause: "a transaction takes longer than 3 seconds"
  })
})

it("a version that is read too late is no missing table", async () => {
  const reason = new StatementTimeoutError({ message: "late", cause: undefined })
  let reads = 0
  const isFirst = ([texts]: ReadonlyArray<unknown>) =>
    String(texts).includes("max(migration_id)") && ++reads === 1
  const migrated = Effect.flatMap(SqlClient, (sql) => {
    const late = new Proxy(sql, {
      apply: (target, self, args) =>
        isFirst(args)
          ? Effect.fail(new SqlError({ reason }))
          : (Reflect.apply(target, self, args) as unknown)
    })
    return Effect.provideService(LedgerSql.migrate, SqlClient, late)
  }).pipe(Effect.provide(NodeSqlite.layer({ filename: ":memory:" })))
  expect(await Effect.runPromise(Effect.flip(migrated))).toMatchObject({ reason })
})

describe("an error of SQLite", () => {
  const faultOf = (...statements: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      yield* LedgerSql.migrate
      const sql = yield* SqlClient
      const all = Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })
      return Fault.of(yield* Effect.flip(all))
    }).pipe(Effect.provide(NodeSqlite.layer({ filename: ":memory:" })), Effect.runPromise)

  const write = "INSERT INTO pawl_settings (key, version, document) VALUES ('secret', 1, '')"

  it("of a trigger is that of a statement", async () => {
    const trigger = `CREATE TRIGGER refuse BEFORE INSERT ON pawl_settings BEGIN SELECT RAISE(ABORT, 'secret'); END`
    const fault = await faultOf(trigger, write)
    expect(fault.kind).toBe("statement")
    expect(fault.cause).not.toContain("secret")
  })

  it("of a table that is missing names it", async () => {
    expect(await faultOf("DROP TABLE pawl_settings", write)).toEqual({
      kind: "statement",
      cause: "the database refuses a statement (SQLite error 1, pawl_settings)"
    })
  })

  it("of a file that may not be written is a refusal", async () => {
    expect((await faultOf("PRAGMA query_only = ON", write)).kind).toBe("refused")
  })

  it("of a damaged file says so", () => {
    const cause = Object.assign(new Error("database disk image is malformed"), { errcode: 11 })
    expect(Fault.of(new StoreUnavailable({ cause }))).toEqual({
      kind: "statement",
      cause: "the file is damaged (SQLite error 11)"
    })
  })

  it("of a full disk is full", async () => {
    const large = `INSERT INTO pawl_settings (key, version, document) VALUES ('k', 1, hex(zeroblob(1000000)))`
    expect((await faultOf("PRAGMA max_page_count = 1", large)).kind).toBe("full")
  })
})

await inEachStore((place) => {
  const isFile = place._tag === "sqlite"

  const refusing = <A, E, R>(table: string, column: string, work: Effect.Effect<A, E, R>) => {
    const begin = isFile
      ? `CREATE TRIGGER refuse BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'no'); END`
      : `ALTER TABLE ${table} ADD CONSTRAINT refuse CHECK (${column} < 0) NOT VALID`
    const end = isFile ? "DROP TRIGGER refuse" : `ALTER TABLE ${table} DROP CONSTRAINT refuse`
    return Effect.flatMap(SqlClient, (sql) =>
      Effect.acquireUseRelease(
        sql.unsafe(begin),
        () => work,
        () => Effect.orDie(sql.unsafe(end))
      )
    )
  }

  testIn(place)("the error of a row that is refused quotes no part of it", function* () {
    const ledger = yield* Ledger
    const accepting = Effect.flip(ledger.accept(verified("card", card()), 1))
    const error = yield* refusing("pawl_transactions_texts", "at", accepting)
    const text = inspect(error, { depth: 10, showHidden: true })
    expect(text).toContain(isFile ? "no" : "refuse")
    expect(text).not.toMatch(/7b226d6964|mid-1|100001/u)
  })

  testIn(place)(
    "a store that refuses the first write at the start is named in a sentence",
    function* () {
      yield* (yield* SqlClient)`DELETE FROM pawl_settings`
      const store =
        place._tag === "sqlite"
          ? place
          : { _tag: place._tag, url: Redacted.make(urlOf(place.database, server.port)) }
      const starting = Effect.flip(Layer.build(Layer.fresh(NodeStore.layer(store))))
      expect(yield* refusing("pawl_settings", "version", starting)).toMatchObject({
        _tag: "StoreUnusable",
        message: expect.stringMatching(/^The store cannot be used: a .*constraint refuses the row/u)
      })
    }
  )
})

const nothing = { cause: undefined }
const busy = new SqlError({ reason: new LockTimeoutError(nothing) })
const gone = new SqlError({ reason: new ConnectionError(nothing) })

const failing = (times: number, error: SqlError) => {
  let tries = 0
  return Effect.suspend(() => (++tries <= times ? Effect.fail(error) : Effect.succeed(tries)))
}

describe("Retry", () => {
  test("retries after a conflict, and after no other error", function* () {
    const conflicts = [new DeadlockError(nothing), new SerializationError(nothing)]
    for (const error of [busy, ...conflicts.map((reason) => new SqlError({ reason }))]) {
      const fiber = yield* Effect.forkChild(Retry.onConflict(failing(3, error)))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toBe(4)
    }
    for (const error of [gone, new SqlError({ reason: new UnknownError(nothing) })]) {
      expect(yield* Effect.flip(Retry.onConflict(failing(1, error)))).toBe(error)
    }
  })

  test("stops retrying in less than three seconds where every try conflicts", function* () {
    const fiber = yield* Effect.forkChild(Effect.flip(Retry.onConflict(failing(Infinity, busy))))
    yield* TestClock.adjust("3 seconds")
    expect(fiber.pollUnsafe()).toBeDefined()
    expect(yield* Fiber.join(fiber)).toBe(busy)
  })

  test("turns a rollback that died with a SQL error into a failure", function* () {
    expect(yield* Effect.flip(Retry.onConflict(Effect.die(gone)))).toBe(gone)
    const bug = yield* Effect.exit(Retry.onConflict(Effect.die("bug")))
    expect(bug).toMatchObject({ _tag: "Failure", cause: { reasons: [{ defect: "bug" }] } })
  })

  test("fails after three seconds, even where the work cannot be interrupted", function* () {
    const scope = yield* Effect.scope
    const hangs = Effect.uninterruptible(Effect.sleep("1 hour"))
    for (const wait of [
      Retry.timeoutIn(scope)(hangs),
      Effect.uninterruptible(Retry.timeoutIn(scope)(hangs))
    ]) {
      const fiber = yield* Effect.forkChild(Effect.flip(wait), { startImmediately: true })
      yield* TestClock.adjust("2999 millis")
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      expect((yield* Fiber.join(fiber)).message).toBe("A transaction takes longer than 3 seconds")
    }
    yield* TestClock.adjust("1 hour")
  })
})
