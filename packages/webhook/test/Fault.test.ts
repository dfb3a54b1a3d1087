import * as LedgerSql from "../src/LedgerSql.ts"
import * as NodeSqlite from "../src/NodeSqlite.ts"
import * as Fault from "../src/internal/sql/Fault.ts"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { SqlError, StatementTimeoutError } from "effect/sql/SqlError"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

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
    fc.assert(
      fc.property(
        fc.string({ minLength: 4 }),
        fc.constantFrom("23505", "P0001", "42501"),
        (text, state) => {
          const value = `value-${text}`
          expect(Fault.of(ofPostgres(state, value)).cause).not.toContain(value)
        }
      )
    ))
})

it.each(["EPIPE", "ECONNRESET"])("an error %s of the connection is unavailable", (code) => {
  expect(Fault.of(ofPostgres(code)).kind).toBe("unavailable")
})

it("an error without a number is unavailable, and one of our own time-outs says so", () => {
  expect(Fault.of(new StoreUnavailable({})).kind).toBe("unavailable")
  const reason = new StatementTimeoutError({ message: "late", cause: undefined })
  expect(Fault.of(new StoreUnavailable({ cause: new SqlError({ reason }) }))).toEqual({
    kind: "unavailable",
    cause: "a transaction takes longer than 3 seconds"
  })
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

  it("of a full disk is full", async () => {
    const large = `INSERT INTO pawl_settings (key, version, document) VALUES ('k', 1, hex(zeroblob(1000000)))`
    expect((await faultOf("PRAGMA max_page_count = 1", large)).kind).toBe("full")
  })
})
