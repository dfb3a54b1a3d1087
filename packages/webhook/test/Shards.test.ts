/** The shards of a store, in memory. `Shards.long.test.ts` has them in databases. */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Engines from "../src/internal/records/Engines.ts"
import * as Move from "../src/internal/ledger/Move.ts"
import * as Settings from "../src/internal/ledger/Settings.ts"
import { test } from "@pawl/test-support/Tests"
import { build, requestRow, storedRow } from "./memoryLedger.ts"

test("a transaction that changes between its copy and its deletion is not deleted", function* () {
  const [one, two] = yield* Effect.all([build(1), build(1)])
  const idOf = (position: number) =>
    Array.from({ length: 99 }, (_, id) => `${id}`).find(
      (transactionId) => Engines.shardOf({ method: "card", transactionId }, 2) === position
    ) ?? ""
  const id = idOf(1)
  const key = `${id}\tcard`
  const { row, ...stored } = storedRow(id)
  yield* one.write(id, [{ ...stored, row }])
  const later = [{ ...stored, row: { ...row, told: "SUCCEED" } as const }]
  const [records] = two.engines.own
  const change: typeof records.change = (...asked) =>
    Effect.tap(records.change(...asked), () =>
      asked[1] === key ? Effect.orDie(one.write(id, later)) : Effect.void
    )
  const own = [{ ...records, change }] as const
  const { message } = yield* Effect.flip(Move.move([one.engines, { ...two.engines, own }]))
  expect(message).toContain(`other contents of "${id} card" in their transactions`)
  expect(yield* one.engines.own[0].get("transactions", key)).toEqual(later)
})

const writes = {
  transactions: ({ write }: Effect.Success<ReturnType<typeof build>>) =>
    write("1", [storedRow("1")]),
  requests: ({ requests }: Effect.Success<ReturnType<typeof build>>) =>
    requests.write(requestRow("1"), { at: 0 })
}

test.each(["transactions", "requests"] as const)(
  "a database that has only %s is not taken for one of several",
  function* (collection) {
    const store = yield* build(1)
    const [records] = store.engines.own
    yield* writes[collection](store)
    expect(yield* Settings.takePlace(records, { position: 0, count: 2 })).toBe(false)
    expect(yield* Settings.takePlace(records, { position: 0, count: 1 })).toBe(true)
  }
)
