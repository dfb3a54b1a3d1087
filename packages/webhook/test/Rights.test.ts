import { readFileSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { expect } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import * as Fault from "../src/internal/sql/Fault.ts"
import { client, ledgerOf } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { onPostgres } from "@pawl/test-support/Stores"
import { type Steps, test } from "@pawl/test-support/Tests"

const guide = readFileSync(new URL("../../../docs/guides/rights.md", import.meta.url), "utf8")
const [, block = ""] = /```sql\n([^`]*GRANT[^`]*)```/u.exec(guide) ?? []

const tables = ["transactions", "requests", "quarantine", "settings"].flatMap((name) => [
  `pawl_${name}`,
  `pawl_${name}_texts`
])

await onPostgres((place) => {
  const role = `pawl_rights_${place.database}`
  const build = (options = {}) => Layer.build(Layer.fresh(ledgerOf(place, options)))
  const asRole = build({ username: role })
  const owner = Effect.map(Layer.build(Layer.fresh(client(place))), Context.get(SqlClient))

  /** Makes tests of a role without rights; tables are the owner's. */
  const testRole = (name: string, body: (sql: SqlClient) => Steps<Scope.Scope>) =>
    test(name, function* () {
      const sql = yield* owner
      yield* Effect.acquireUseRelease(
        sql.unsafe(`CREATE ROLE ${role} LOGIN`),
        () => Effect.scoped(Effect.gen(() => body(sql))),
        () =>
          Effect.orDie(
            Effect.andThen(sql.unsafe(`DROP OWNED BY ${role}`), sql.unsafe(`DROP ROLE ${role}`))
          )
      )
    })

  const refusal = Effect.map(Effect.flip(Effect.scoped(asRole)), ({ message }) => message)

  const grant = (sql: SqlClient) =>
    Effect.forEach(
      block
        .replaceAll("pawl_receiver", role)
        .split(";")
        .filter((text) => text.trim() !== ""),
      (text) => sql.unsafe(text),
      { discard: true }
    )

  testRole("a role that may not create tables does not make them, and says so", function* (sql) {
    yield* sql`REVOKE CREATE ON SCHEMA public FROM PUBLIC`
    expect(yield* refusal).toBe(
      "The PostgreSQL database cannot be used: it lacks tables of this version, and its role lacks CREATE on the schema public to make them; run pawl-receiver migrate as their owner (docs/guides/rights.md)"
    )
  })

  testRole("a role without a schema says that it may be missing", function* (sql) {
    yield* sql.unsafe(`ALTER ROLE ${role} SET search_path = absent`)
    expect(yield* refusal).toContain(
      "its role lacks USAGE on the schema of the store, or that schema does not exist;"
    )
  })

  test("a store that was restored without one of its tables does not start", function* () {
    yield* build()
    const sql = yield* owner
    yield* sql`ALTER TABLE pawl_quarantine_texts RENAME TO elsewhere`
    expect((yield* Effect.flip(Effect.scoped(build()))).message).toBe(
      "The PostgreSQL database cannot be used: it lacks pawl_quarantine_texts; restore all tables of one backup"
    )
    yield* sql`ALTER TABLE elsewhere RENAME TO pawl_quarantine_texts`
  })

  testRole("the block of the guide is enough to accept, to work and to restart", function* (sql) {
    yield* build()
    yield* grant(sql)
    for (const at of [1000, 2000]) {
      const ledger = Context.get(yield* asRole, Ledger)
      yield* ledger.checkWritable
      yield* ledger.accept(verified("card", card()), at)
      const limit = { tell: 1, ask: 1, retry: 1, repeat: 1, watch: 1 }
      const { rows } = yield* ledger.claim({ at, until: at + 1, limit, newest: 0 })
      expect(rows).toHaveLength(1)
      for (const row of rows)
        yield* ledger.write(row, {
          told: "SUCCEED",
          release: { dueAt: at + 1, lane: "tell" }
        })
    }
    const ledger = Context.get(yield* asRole, Ledger)
    expect(yield* ledger.deleteBodies({ before: 10_000, limit: 10 })).toBe(1)
  })

  /** Accepts "1" and "bad" as the role. */
  const accepted = Effect.fnUntraced(function* (sql: SqlClient) {
    yield* build()
    yield* sql`DELETE FROM pawl_transactions`
    yield* grant(sql)
    const ledger = Context.get(yield* asRole, Ledger)
    for (const transactionId of ["1", "bad"])
      yield* ledger.accept(verified("card", card({ transactionId })), 1)
    return ledger
  })

  const due = { at: 1, until: 2, limit: 9 }

  testRole(
    "R46: a right that is taken away is no refusal of single rows, as a policy is",
    function* (sql) {
      const ledger = yield* accepted(sql)
      yield* sql.unsafe(`REVOKE UPDATE ON pawl_transactions FROM ${role}`)
      expect(Fault.of(yield* Effect.flip(ledger.claim(due))).kind).toBe("refused")
      yield* sql.unsafe(`GRANT UPDATE ON pawl_transactions TO ${role}`)
      yield* sql`CREATE POLICY pawl_test ON pawl_transactions USING (true)
      WITH CHECK (key NOT LIKE 'bad%')`
      yield* sql`ALTER TABLE pawl_transactions ENABLE ROW LEVEL SECURITY`
      const { refused = [], rows } = yield* ledger.claim(due)
      yield* sql`ALTER TABLE pawl_transactions DISABLE ROW LEVEL SECURITY`
      yield* sql`DROP POLICY pawl_test ON pawl_transactions`
      expect(rows).toMatchObject([{ transactionId: "1" }])
      expect(refused).toMatchObject([{ one: { leased: { transactionId: "bad" } } }])
      expect(Fault.of(refused[0]?.error).cause).toBe(
        "a policy or a trigger refuses the row (SQLSTATE 42501, pawl_transactions)"
      )
    }
  )

  testRole(
    "R46: a right that a trigger lacks for one row keeps no other from its lease",
    function* (sql) {
      const ledger = yield* accepted(sql)
      yield* sql.unsafe("CREATE TABLE pawl_test_audit (key TEXT)")
      yield* sql.unsafe(`CREATE FUNCTION pawl_test_audit() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO pawl_test_audit VALUES (OLD.key); RETURN NEW; END'`)
      yield* sql.unsafe(`CREATE TRIGGER pawl_test_audit BEFORE UPDATE ON pawl_transactions
        FOR EACH ROW WHEN (OLD.key LIKE 'bad%') EXECUTE FUNCTION pawl_test_audit()`)
      const claim = yield* Effect.result(ledger.claim(due))
      yield* sql.unsafe("DROP FUNCTION pawl_test_audit CASCADE")
      yield* sql.unsafe("DROP TABLE pawl_test_audit")
      const { refused = [], rows } = Result.getOrThrow(claim)
      expect(rows).toMatchObject([{ transactionId: "1" }])
      expect(Fault.of(refused[0]?.error).cause).toBe(
        "a policy or a trigger refuses the row (SQLSTATE 42501)"
      )
    }
  )

  testRole("each right is needed, and a start without it names it", function* (sql) {
    yield* build()
    yield* grant(sql)
    const all = tables.flatMap((table) =>
      ["SELECT", "INSERT", "UPDATE", "DELETE"].map((right) => [right, table] as const)
    )
    for (const [right, table] of [...all, ["SELECT", "pawl_migrations"] as const]) {
      yield* sql.unsafe(`REVOKE ${right} ON ${table} FROM ${role}`)
      expect(yield* refusal).toContain(`its role lacks ${right} on ${table};`)
      yield* sql.unsafe(`GRANT ${right} ON ${table} TO ${role}`)
    }
    yield* asRole
  })
})
