import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { services } from "@pawl/test-support/Places"
import { callback, finish, november } from "@pawl/test-support/Finished"
import { testIn } from "@pawl/test-support/Tests"
import { inEachStore } from "@pawl/test-support/Stores"

const guide = readFileSync(new URL("../../../docs/guides/sql.md", import.meta.url), "utf8")

const columnsOf = (view: string): ReadonlyArray<string> => {
  const [, section = ""] = guide.split(`\n\`${view}\``)
  const [table = ""] = section.split("```")
  return [...table.matchAll(/^\| (`.*?) +\|/gmu)].flatMap(([, cell = ""]) =>
    cell.split(", ").map((name) => name.replaceAll("`", ""))
  )
}

const queries = [...guide.matchAll(/```sql\n(?<text>-- .*?)```/gsu)].flatMap(
  ({ groups }) => groups?.["text"]?.split(";").filter((query) => query.trim() !== "") ?? []
)

await inEachStore((place) => {
  testIn(place)("the views show what the guide says", function* () {
    const { ledger, sql } = yield* services
    const ordered = { requestId: "order,1", account: "7", amount: "10.50", currency: "EUR" }
    const registration = { kind: "card-payment", transactionId: "1", status: "NEW" } as const
    yield* ledger.register({ ...registration, ...ordered }, november)
    yield* finish("1", november)
    yield* ledger.accept(callback("2", "SUCCEED"), november + 1)
    const { rows } = yield* ledger.claim({ at: november + 1, until: november + 2, limit: 1 })
    for (const row of rows) {
      const deadLetter = { reason: "handler-failed", at: november + 5, to: undefined } as const
      yield* ledger.write(row, { deadLetter, release: { dueAt: undefined } })
    }
    const both = { transactionId: "3", status: "NEW" } as const
    yield* ledger.register({ ...both, kind: "card-payment" }, november + 2)
    yield* ledger.register({ ...both, ...ordered, kind: "refund" }, november + 1)
    const lines = yield* sql<Readonly<Record<string, unknown>>>`
        SELECT * FROM pawl_transactions_view ORDER BY transaction_id`
    const numbers = new Set(["created_at", "due_at", "parked_at", "sequence", "callbacks", "parts"])
    const plain = lines.map((line) =>
      Object.fromEntries(
        Object.entries(line).map(([name, value]) => [
          name,
          value !== null && numbers.has(name) ? Number(value) : value
        ])
      )
    )
    const none = { request_id: null, account: null, amount: null, currency: null }
    expect(plain).toMatchObject([
      {
        transaction_id: "1",
        method: "card",
        kind: "card-payment",
        created_at: november,
        told: "SUCCEED",
        sequence: 1,
        callbacks: 1,
        registered: 1,
        request_id: "order\\c1",
        account: "7",
        amount: "10.50",
        currency: "EUR",
        due_at: null,
        parked_at: null,
        parts: 1
      },
      {
        ...none,
        transaction_id: "2",
        kind: "card",
        created_at: november + 1,
        told: null,
        registered: 0,
        due_at: null,
        parked_at: november + 5,
        parts: 1
      },
      // The second operation has an order, but the first is shown.
      {
        ...none,
        transaction_id: "3",
        kind: "card-payment",
        created_at: november + 2,
        parts: 2
      }
    ])
    expect(columnsOf("pawl_transactions_view").toSorted()).toEqual(
      Object.keys(lines[0] ?? {}).toSorted()
    )
    yield* sql`INSERT INTO pawl_requests (key, version, parts, document)
        VALUES ('order-1', 1, 1, '')`
    const requests = yield* sql<Readonly<Record<string, unknown>>>`SELECT * FROM pawl_requests_view`
    expect(columnsOf("pawl_requests_view").toSorted()).toEqual(
      Object.keys(requests[0] ?? {}).toSorted()
    )
    expect(queries).toHaveLength(4)
    const results = yield* Effect.forEach(queries, (query) => sql.unsafe(query))
    expect(results.map(({ length }) => length)).toEqual([3, 1, 1, 0])
  })
})
