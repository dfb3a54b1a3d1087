import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Admin from "../src/Admin.ts"
import { askAdmin } from "./askAdmin.ts"
import { Ledger } from "@pawl/webhook/Ledger"
import type { Leased } from "@pawl/webhook/internal/rule/Row"
import { card, verified } from "@pawl/test-support/Service"
import { inEachStore } from "@pawl/test-support/Stores"
import * as World from "@pawl/test-support/World"
import { test, testIn } from "@pawl/test-support/Tests"

await inEachStore((place) => {
  testIn(place)("a fact takes at most 40 characters", function* () {
    const ledger = yield* Ledger
    const sql = yield* SqlClient
    yield* ledger.accept(verified("card", card({ transactionId: "1" })), 1e12)
    const { rows } = yield* ledger.claim({ at: 2e12, until: 2e12 + 1000, limit: 1 })
    const leased = rows[0] as Leased
    for (let number = 1; number <= 50; number++) {
      const status = { sequence: number, to: "PROCESSING", at: 1e12 + number } as const
      yield* ledger.write(leased, {
        facts: [{ fact: "called", ...status, evidence: 250_000, read: "PROCESSING" }]
      })
    }
    const [line] = yield* sql`SELECT length(document) AS size FROM pawl_transactions`
    expect(Number(line?.["size"]) / 50).toBeLessThanOrEqual(40)
  })
})

test("GET …/story tells each fact in a sentence, and who redrove it and why", function* () {
  const world = yield* World.make({ read: World.says("SUCCEED") })
  const { receive } = yield* world.start
  const context = yield* Layer.build(
    Layer.provide(Admin.layer(), Layer.succeed(Ledger, world.ledger))
  )
  const ask = askAdmin(Context.get(context, Admin.Admin))
  yield* world.ledger.register(
    { kind: "apm-payment", transactionId: "1", amount: "1.00", status: "NEW" },
    0
  )
  yield* World.pass("1 second")
  yield* receive("1", "SUCCEED")
  yield* receive("1", "SUCCEED")
  yield* World.pass("1 minute")
  const redrive = "/dead-letters/apm/1/redrive"
  for (const query of [`by=${"x".repeat(33)}`, `why=${"ü".repeat(33)}`, "by=a%0Ab"])
    expect((yield* ask(`${redrive}?${query}`, "POST")).status).toBe(400)
  expect((yield* ask(`${redrive}?by=ana&why=order%E2%80%AE17`, "POST")).status).toBe(200)
  yield* World.pass("1 minute")
  const { json } = yield* ask("/transactions/apm/1/story")
  const { facts, ...about } = json as { facts: ReadonlyArray<Record<string, unknown>> }
  expect(about).toEqual({
    method: "apm",
    kind: "apm-payment",
    transactionId: "1",
    complete: true
  })
  expect(facts.map(({ sentence }) => sentence)).toEqual([
    "The operation was registered as apm-payment with the status NEW.",
    "The handler was called with NEW (transition 1).",
    "The handler accepted NEW (transition 1).",
    "A callback claimed SUCCEED, 2 times.",
    "The service reported SUCCEED.",
    "The transaction became a dead letter: amount-mismatch, so the handler did not receive SUCCEED.",
    "ana redrove the dead letter: order 17.",
    "The handler was called with SUCCEED (transition 2).",
    "The handler accepted SUCCEED (transition 2)."
  ])
  expect(facts[6]).toMatchObject({ fact: "redriven", by: "ana", why: "order\u202e17", count: 1 })
  expect((yield* ask("/transactions/apm/1/story?kind=apm-payout")).status).toBe(404)
  expect((yield* ask("/transactions/apm/2/story")).status).toBe(404)
})
