import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { open, seal } from "../src/internal/documents/Fields.ts"
import { Ledger } from "../src/Ledger.ts"
import { opened } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { inEachStore } from "@pawl/test-support/Stores"
import { live } from "@pawl/test-support/Tests"

const withMember = ([line = ""]: ReadonlyArray<string>): ReadonlyArray<string> => [
  JSON.stringify(
    JSON.parse(line, (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? { ...value, newer: "ä" }
        : value
    )
  )
]

await inEachStore((place) => {
  live("R49: a document keeps what a newer version wrote into it", function* () {
    const { one, sql, two } = yield* opened(place)
    const load = (table: string, key: string) =>
      Effect.map(
        sql<{ readonly document: string }>`SELECT document FROM ${sql(table)} WHERE key = ${key}`,
        ([line]) => (line === undefined ? [] : open(line.document))
      )
    const change = Effect.fnUntraced(function* (
      table: string,
      key: string,
      by: (lines: ReadonlyArray<string>) => ReadonlyArray<string>
    ) {
      const document = seal(by(yield* load(table, key)))
      yield* sql`UPDATE ${sql(table)} SET document = ${document}, version = version + 1
        WHERE key = ${key}`
    })
    const [older, other] = [Context.get(one, Ledger), Context.get(two, Ledger)]
    const key = "1\tcard"
    const callback = (transactionStatus: string) =>
      verified("card", card({ transactionId: "1", transactionStatus }))
    yield* older.accept(callback("PENDING"), 1000)
    yield* change("pawl_transactions", key, (lines) => [...lines, "Z\\n\\u0041 ,=ä😀"])
    yield* older.accept(callback("SUCCEED"), 2000)
    yield* other.register({ kind: "card-payment", transactionId: "1" }, 2000)
    expect(yield* load("pawl_transactions", key)).toContain("Z\\n\\u0041 ,=ä😀")
    yield* older.accept(callback("SETTLED"), 1000)
    yield* change("pawl_quarantine", key, withMember)
    yield* other.accept(callback("SETTLED"), 2000)
    expect(yield* load("pawl_quarantine", key)).toEqual([
      expect.stringContaining(`"newestAt":2000,"newer":"ä"}]`)
    ])
    const wanted = { limit: 10, reads: { ask: 2, repeat: 0, watch: 0 } }
    yield* older.reserveReads(wanted, 1000)
    yield* change("pawl_settings", "reads", withMember)
    yield* other.reserveReads(wanted, 1500)
    yield* older.lowerReads({ limit: 10 }, 3000)
    const [text = ""] = yield* load("pawl_settings", "reads")
    expect(JSON.parse(text)).toMatchObject({ newer: "ä", pausedUntil: expect.any(Number) })
  })
})
