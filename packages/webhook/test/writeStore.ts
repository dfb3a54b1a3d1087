/**
 * Writes a store of the newest schema into `stores`, which each later version opens in a test. Run
 * it once for each schema, before it lands: `node packages/webhook/test/writeStore.ts`. A landed
 * store never changes.
 */
import { existsSync, writeFileSync } from "node:fs"
import * as Evidence from "@pawl/core/Evidence"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { ledgerOf } from "@pawl/test-support/Places"
import { card, search, verified } from "@pawl/test-support/Service"
import { Ledger } from "../src/Ledger.ts"
import { RequestStore } from "../src/internal/ledger/RequestStore.ts"
import { dialects, names, textsOf } from "./schemaTexts.ts"

const tables = ["transactions", "requests", "quarantine", "settings"].flatMap((name) => [
  `pawl_${name}`,
  `pawl_${name}_texts`
])

const token = search("card", "card-payment", { requestId: "order-17", mid: "mid-1" })
const callback = (transactionId: string, transactionStatus: string) =>
  verified("card", card({ transactionId, transactionStatus }), token)

/**
 * A payment nobody worked on, one that was told, a dead letter, a refund beside a payment, a
 * callback in quarantine, two requests.
 */
const fill = Effect.gen(function* () {
  const ledger = yield* Ledger
  const requests = yield* RequestStore
  const claim = Effect.fnUntraced(function* (transactionId: string) {
    const { rows } = yield* ledger.claim({ at: 2000, until: 3000, limit: 10 })
    const row = rows.find((each) => each.transactionId === transactionId)
    return row ?? (yield* Effect.die(new Error("The row is not due")))
  })
  yield* ledger.accept(callback("told", "SUCCEED"), 1000)
  yield* ledger.write(yield* claim("told"), {
    told: "SUCCEED",
    sequence: 1,
    kind: "card-payment",
    read: { status: "SUCCEED", askedAt: 2000 },
    evidence: Evidence.confirmed("SUCCEED"),
    facts: [{ fact: "told", at: 2000, sequence: 1, to: "SUCCEED" }],
    release: { dueAt: undefined }
  })
  yield* ledger.accept(callback("dead", "SUCCEED"), 1000)
  yield* ledger.write(yield* claim("dead"), {
    deadLetter: { reason: "handler-failed", at: 2000, to: "SUCCEED" },
    release: { dueAt: undefined }
  })
  yield* ledger.accept(callback("new", "SUCCEED"), 4000)
  yield* ledger.register({ kind: "refund", transactionId: "new", amount: "10.00" }, 4000)
  yield* ledger.accept(callback("odd", "SETTLED"), 4000)
  yield* ledger.noteAlive(4000)
  const request = { kind: "refund", digest: "digest", hasCardData: false, body: "sealed" } as const
  yield* requests.write({ ...request, requestId: "settled" }, { at: 1000 })
  const outcome = { _tag: "Answered", text: "sealed answer" } as const
  const transaction = { method: "card", transactionId: "told" } as const
  yield* requests.settle("settled", { outcome, at: 2000, transaction })
  yield* requests.write({ ...request, requestId: "due" }, { at: 4000 })
})

const dump = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* Effect.forEach(tables, (table) =>
    Effect.map(sql`SELECT * FROM ${sql(table)} ORDER BY 1, 2`, (lines) => [
      table,
      // The bytes of a text are hexadecimal.
      lines.map((line) =>
        line["body"] instanceof Uint8Array
          ? { ...line, body: Buffer.from(line["body"]).toString("hex") }
          : line
      )
    ])
  )
  return {
    statements: Object.fromEntries(
      dialects.map((dialect) => [dialect, names.flatMap((name) => textsOf(name, dialect))])
    ),
    migrations: names,
    rows: Object.fromEntries(rows)
  }
})

const file = new URL(`stores/${names.length}.json`, import.meta.url)
if (existsSync(file)) throw new Error("A store that has landed never changes")
await Effect.gen(function* () {
  const built = yield* Layer.build(ledgerOf({ _tag: "sqlite", filename: ":memory:" }))
  yield* Effect.provide(fill, built)
  const text = JSON.stringify(yield* Effect.provide(dump, built), undefined, 2)
  writeFileSync(file, `${text}\n`)
  return Context.get(built, Ledger)
}).pipe(Effect.scoped, Effect.runPromise)
