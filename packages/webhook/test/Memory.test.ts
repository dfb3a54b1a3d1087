import * as Evidence from "@pawl/core/Evidence"
import { expect } from "@effect/vitest"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import type { Row } from "../src/internal/rule/Row.ts"
import { test } from "@pawl/test-support/Tests"
import { apm, verified } from "@pawl/test-support/Service"

test.with(() => layerMemory)("a returned row stays the same after every later call", function* () {
  const ledger = yield* Ledger
  const [id, at] = ["100001", 1000]
  const accept = (transactionStatus: string) =>
    ledger.accept(verified("apm", apm({ transactionId: id, transactionStatus })), at)
  yield* accept("NEW")
  const got = yield* ledger.get("apm", id)
  const early = structuredClone(got)
  yield* accept("NEW")
  expect(got).toEqual(early)
  const [leased] = (yield* ledger.claim({ at, until: 2 * at, limit: 1 })).rows
  if (got === undefined || leased === undefined) return expect.unreachable("there is a row")
  const deadLetter = { reason: "handler-failed", at, to: undefined } as const
  const written = yield* ledger.write(leased, { deadLetter, told: "NEW" })
  const returned: ReadonlyArray<Pick<Row, "told"> | undefined> = [
    got,
    leased,
    written,
    ...(yield* ledger.deadLetters({ limit: 9 }))
  ]
  expect(returned.map((row) => row?.told)).toEqual([undefined, undefined, "NEW", "NEW"])
  const before = structuredClone(returned)

  yield* accept("PENDING")
  yield* accept("PENDING")
  yield* ledger.register({ kind: "apm-payment", transactionId: id, amount: "1.00" }, 2 * at)
  yield* ledger.write(leased, { evidence: Evidence.confirmed("SUCCEED"), attempt: 7 })
  yield* ledger.redrive({ method: "apm", transactionId: id }, 3 * at)
  yield* ledger.deleteBodies({ before: 4 * at, limit: 9 })
  expect(returned).toEqual(before)
  expect(yield* ledger.get("apm", id)).toMatchObject({
    callbacks: 4,
    attempt: 7,
    newestCallbacks: {}
  })
})
