/**
 * The requests that rows of a ledger name.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as Effect from "effect/Effect"
import { expect, it } from "@effect/vitest"
import * as Found from "../src/internal/requests/Found.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import { blank, type Change, type Leased } from "../src/Row.ts"

const leased: Leased = {
  ...blank("apm", "100001", 0),
  ordered: { requestId: "order-1" },
  lease: 1,
  evidenceAtLease: Evidence.none
}
const confirmed = Evidence.confirmed("PENDING")
const release = { dueAt: undefined }
const change: Change = { evidence: confirmed, release }

it("a row names its request when its lease ends after a confirmation, with all that is known", () => {
  const read = { status: "PENDING", askedAt: 10 } as const
  expect(Found.named(leased, { ...change, read })).toEqual({
    requestId: "order-1",
    row: { ...leased, evidence: confirmed, read }
  })
  const row = { ...leased, evidence: confirmed, read }
  expect(Found.named(row, { release: { dueAt: 5 } })).toEqual({ requestId: "order-1", row })
})

it.each<[string, Partial<Leased>, Change]>([
  ["whose lease goes on", {}, { evidence: confirmed }],
  ["that a response has registered", { registered: true }, change],
  ["without an order", { ordered: undefined }, change],
  ["without a requestId", { ordered: { amount: "10.00" } }, change],
  ["with a claim alone", { evidence: Evidence.claimed("PENDING") }, { release }]
])("a row %s names no request", (_, row, by) => {
  expect(Found.named({ ...leased, ...row }, by)).toBeUndefined()
})

it.effect(
  "a listener of a ledger is told of the requests that its rows name, and of no others",
  () =>
    Effect.gen(function* () {
      const one = yield* Effect.provide(Ledger, layerMemory, { local: true })
      const other = yield* Effect.provide(Ledger, layerMemory, { local: true })
      const told: Array<unknown> = []
      Found.listen(one, {
        find: (requestId, row) => told.push([requestId, row.evidence]),
        erase: () => ({ requests: 0, open: 0 })
      })
      Found.report(other, leased, change)
      Found.report(other, leased, change)
      Found.report(one, leased, { release })
      expect(told).toEqual([])
      Found.report(one, leased, change)
      expect(told).toEqual([["order-1", confirmed]])
    })
)
