import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Admin from "../src/Admin.ts"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import { askAdmin, pagesOf } from "./askAdmin.ts"
import { card, verified } from "@pawl/test-support/Service"
import { live } from "@pawl/test-support/Tests"

/** More than one page, and more than one second of redrives. */
const total = 1300
/** Every row has one of two reasons, and three rows share each time. */
const reasonOf = (n: number) => (n % 13 === 0 ? "unknown-transaction" : "handler-failed")
const timeOf = (n: number) => 1_000_000 + Math.floor(n / 3)

const fill = Effect.gen(function* () {
  const ledger = yield* Ledger
  const concurrency = 64
  const ids = Array.from({ length: total }, (_, index) => index + 1)
  yield* Effect.forEach(
    ids,
    (n) => ledger.accept(verified("card", card({ transactionId: String(n) })), n),
    { concurrency, discard: true }
  )
  for (let left = total; left > 0; left -= 1000) {
    const { rows } = yield* ledger.claim({ at: total, until: 2 * total, limit: 1000 })
    yield* Effect.forEach(
      rows,
      (row) => {
        const n = Number(row.transactionId)
        const deadLetter = { reason: reasonOf(n), at: timeOf(n), to: undefined } as const
        return ledger.write(row, { deadLetter, release: { dueAt: undefined } })
      },
      { concurrency, discard: true }
    )
  }
})

const asking = Effect.map(Admin.Admin, askAdmin)

const pages = Effect.fnUntraced(function* (url: string) {
  const found = yield* pagesOf(yield* asking, url)
  expect(JSON.stringify(found)).not.toMatch(/body|signed|cardMask/iu)
  return { ids: found.flat().map(({ transactionId }) => transactionId), count: found.length }
})

const redriveAll = Effect.fnUntraced(function* (search: string) {
  const { json, status } = yield* (yield* asking)(`/dead-letters/redrive?${search}`, "POST")
  const { lastDueAt, ...result } = json as Record<string, unknown>
  return { status, result, last: Date.parse(String(lastDueAt)) }
})

const admin = () => Layer.provideMerge(Admin.layer(), layerMemory)

const test = live.with(admin)

test("R41: 1,300 dead letters are listed in pages and redriven at a rate", function* () {
  yield* fill
  const [unknown, failed] = [total / 13, (total / 13) * 12]
  const ledger = yield* Ledger
  const { count, ids } = yield* pages("/dead-letters?limit=1000")
  expect([ids.length, new Set(ids).size, count]).toEqual([total, total, 2])
  const times = ids.map((id) => timeOf(Number(id)))
  expect(times).toEqual(times.toSorted((one, two) => one - two))
  const first = yield* pages("/dead-letters?limit=1000&reason=unknown-transaction")
  expect(first.ids.length).toBe(unknown)
  expect(first.ids.every((id) => Number(id) % 13 === 0)).toBe(true)

  const { last, result, status } = yield* redriveAll("reason=handler-failed&rate=100")
  expect(status).toBe(200)
  expect(result).toEqual({ reason: "handler-failed", redriven: failed, rate: 100 })
  // One row is due every 10 milliseconds, the oldest dead letter first.
  const start = last - (failed - 1) * 10
  const due = (at: number) => Effect.map(ledger.backlog(at), (backlog) => backlog.due)
  expect(yield* due(start - 1)).toBe(0)
  expect(yield* due(start)).toBe(1)
  expect(yield* due(start + 999)).toBe(100)
  expect(yield* due(start + 10_000)).toBe(1001)
  expect(yield* due(last)).toBe(failed)
  expect((yield* ledger.backlog(last)).deadLetters).toBe(unknown)
  const { rows } = yield* ledger.claim({ at: start, until: last, limit: 9 })
  expect(rows).toMatchObject([{ deadLetter: undefined, retryAt: start, failingSince: undefined }])
  expect(timeOf(Number(rows[0]?.transactionId))).toBe(1_000_000)

  const second = yield* redriveAll("reason=unknown-transaction&rate=1000")
  expect(second.result).toMatchObject({ redriven: unknown })
  const { pollAt, retryAt } = (yield* ledger.get("card", "13")) ?? {}
  expect(pollAt).toBe(retryAt)
  expect((yield* pages("/dead-letters")).ids).toEqual([])
  expect((yield* redriveAll("reason=handler-failed")).result).toMatchObject({ redriven: 0 })
})

test("a page or a redrive with wrong settings is 400 and changes nothing", function* () {
  const ask = yield* asking
  const listed = [
    "limit=0",
    "limit=1001",
    "limit=x",
    "reason=paid",
    "after=1",
    "after=1.cash.7",
    "after=1.card.%00"
  ]
  const redriven = [
    "",
    "reason=paid",
    "reason=handler-failed&rate=0",
    "reason=handler-failed&rate=1e3"
  ]
  const asked = [
    ...listed.map((search) => ask(`/dead-letters?${search}`)),
    ...redriven.map((search) => ask(`/dead-letters/redrive?${search}`, "POST"))
  ]
  for (const each of asked)
    expect(yield* each).toMatchObject({ status: 400, json: { message: expect.any(String) } })
})
