import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { open, seal } from "../src/internal/documents/Fields.ts"
import { Ledger } from "../src/Ledger.ts"
import type { Leased } from "../src/internal/rule/Row.ts"
import { opened, type Place } from "@pawl/test-support/Places"
import { card, search, verified } from "@pawl/test-support/Service"
import { inEachStore } from "@pawl/test-support/Stores"
import { live } from "@pawl/test-support/Tests"

const open2 = Effect.fnUntraced(function* (place: Place) {
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
  return { one, two, load, change }
})

const unknownOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  let row = ""
  return lines.flatMap((line) => {
    if (line.startsWith("k")) row = line.slice(1, 2)
    return /^(?:[ZYW!]|x[^,]*,[^,]*,Q)/u.test(line) ? [`${row}: ${line}`] : []
  })
}

const payment = search("card", "card-payment", { requestId: "order-17", mid: "mid-1" })
const callback = (transactionStatus: string) =>
  verified("card", card({ transactionId: "1", transactionStatus }), payment)

const transactions = (place: Place) =>
  live("R49: every change of a transaction keeps the fields of a newer version", function* () {
    const { change, load, one, two } = yield* open2(place)
    const [older, other] = [Context.get(one, Ledger), Context.get(two, Ledger)]
    const refund = { kind: "refund", transactionId: "1" } as const
    yield* older.register(refund, 1000)
    yield* other.accept(callback("PENDING"), 1000)
    const key = "1\tcard"
    // The last is a fact of an unknown kind.
    const texts = ["Z\\n\\u0041 ,=ä😀", "Zz", "Y", "!~", "!", "x1,5,Qa"]
    const [refundText = "", ...others] = texts
    yield* change("pawl_transactions", key, ([first = "", ...lines]) => {
      const at = lines.findIndex((line) => line.startsWith("k"))
      return [first, refundText, ...lines.slice(0, at + 1), ...others, ...lines.slice(at + 1)]
    })
    const [atRefund = "", ...atPayment] = unknownOf(yield* load("pawl_transactions", key))
    expect([atRefund, ...atPayment]).toEqual([
      `r: ${refundText}`,
      ...others.map((line) => `q: ${line}`)
    ])
    const remain = (expected: ReadonlyArray<string>) =>
      Effect.map(load("pawl_transactions", key), (lines) =>
        expect(unknownOf(lines)).toEqual(expected)
      )
    const kept = remain([atRefund, ...atPayment])
    const claim = (ledger: Ledger["Service"], at: number) =>
      Effect.map(
        ledger.claim({ at, until: at + 1000, limit: 10 }),
        ({ rows }) => rows.find(({ scope }) => scope === "card-payment") as Leased
      )

    yield* older.accept(callback("SUCCEED"), 2000)
    yield* kept
    yield* other.register({ ...refund, amount: "10.00" }, 2000)
    yield* kept
    const leased = yield* claim(older, 2000)
    yield* kept
    const written = yield* other.write(leased, { attempt: 1, until: 4000 })
    yield* kept
    const deadLetter = { reason: "handler-failed", at: 2500, to: "SUCCEED" } as const
    yield* older.write(written as Leased, { deadLetter, release: { dueAt: undefined } })
    yield* kept
    expect(yield* other.redrive({ method: "card", transactionId: "1" }, 3000)).toBe(true)
    yield* kept
    // The redrive's fact must not get the number of the newer version's.
    const redriven = /^x2,.*,v/mu
    expect((yield* load("pawl_transactions", key)).join("\n")).toMatch(redriven)
    const page = { readSince: 0, dueAt: 0, rate: 10, limit: 10 }
    yield* older.bringForward({ lane: "repeat", ...page })
    yield* other.shift({ at: 2900, by: 10, until: 4000 })
    yield* kept
    yield* older.deleteBodies({ before: 1500, limit: 10 })
    yield* kept
    yield* other.erase("card", "1")
    yield* kept
    const again = yield* claim(older, 5000)
    // A field of both rows stays as the refund has it.
    expect(yield* other.write(again, { kind: "refund" })).toBeUndefined()
    expect((yield* older.story("card", "1")).length).toBe(1)
    yield* remain([atRefund, ...["Y", "!~", "!", "x1,5,Qa"].map((line) => `r: ${line}`)])
  })

const withMember = ([line = ""]: ReadonlyArray<string>): ReadonlyArray<string> => [
  JSON.stringify(
    JSON.parse(line, (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? { ...value, newer: "ä" }
        : value
    )
  )
]

const objects = (place: Place) =>
  live("R49: the quarantine and the settings keep the members of a newer version", function* () {
    const { change, load, one, two } = yield* open2(place)
    const [older, other] = [Context.get(one, Ledger), Context.get(two, Ledger)]
    const odd = verified("card", card({ transactionId: "1", transactionStatus: "SETTLED" }))
    yield* older.accept(odd, 1000)
    yield* change("pawl_quarantine", "1\tcard", withMember)
    yield* other.accept(odd, 2000)
    expect(yield* load("pawl_quarantine", "1\tcard")).toEqual([
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

await inEachStore((place) => {
  transactions(place)
  objects(place)
})
