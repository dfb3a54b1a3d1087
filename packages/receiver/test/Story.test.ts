import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Admin from "../src/Admin.ts"
import { askAdmin } from "./askAdmin.ts"
import { type Event, maxFacts } from "@pawl/webhook/internal/rule/Fact"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import type { Leased } from "@pawl/webhook/internal/rule/Row"
import { card, verified } from "@pawl/test-support/Service"
import { inEachStore } from "@pawl/test-support/Stores"
import * as World from "@pawl/test-support/World"
import { test, testIn } from "@pawl/test-support/Tests"

const id = "100001"
const accept = (transactionId = id) => verified("card", card({ transactionId }))

const leaseOf = Effect.fnUntraced(function* (at: number) {
  const ledger = yield* Ledger
  const { rows } = yield* ledger.claim({ at, until: at + 1000, limit: 1 })
  return rows[0] as Leased
})

const factsOf = Effect.flatMap(Ledger, (ledger) =>
  Effect.map(ledger.story("card", id), (stories) => stories[0]?.facts ?? [])
)

const told = (sequence: number, at: number): Event => ({ fact: "told", at, sequence, to: "NEW" })

const inMemory = test.with(() => layerMemory)

inMemory("a row has at most 64 facts, and counts what comes after them", function* () {
  const ledger = yield* Ledger
  yield* ledger.accept(accept(), 1)
  const leased = yield* leaseOf(1)
  const numbers = Array.from({ length: maxFacts + 10 }, (_, number) => number)
  for (const number of numbers) yield* ledger.write(leased, { facts: [told(number, number)] })
  // A repeat still raises the counter of a kept fact.
  yield* ledger.write(leased, { facts: [told(3, 1000)] })
  yield* ledger.write(leased, { facts: [told(3, 1000)] })
  const repeats = Array.from({ length: 100 }, (_, repeat) => ledger.accept(accept(), 2 + repeat))
  yield* Effect.all(repeats, { concurrency: "unbounded" })
  const facts = yield* factsOf
  expect(facts).toHaveLength(maxFacts + 2)
  const find = (name: string) => facts.find(({ fact }) => fact === name)
  expect(find("more")).toMatchObject({ count: 10, at: maxFacts, lastAt: maxFacts + 9 })
  expect(find("accepted")).toMatchObject({ count: 101, at: 1, lastAt: 101 })
  const third = facts.find((each) => each.fact === "told" && each.sequence === 3)
  expect(third).toMatchObject({ count: 2, at: 3, lastAt: 1000 })
  expect((yield* ledger.story("card", id))[0]?.complete).toBe(false)
})

inMemory("a change that is not made leaves no fact", function* () {
  const ledger = yield* Ledger
  yield* ledger.accept(accept(), 1)
  const leased = yield* leaseOf(1)
  yield* ledger.write(leased, { ifSequence: 7, facts: [told(1, 1)] })
  yield* ledger.write({ ...leased, lease: leased.lease + 1 }, { facts: [told(2, 1)] })
  expect(yield* ledger.redrive({ method: "card", transactionId: id }, 5, { by: "ana" })).toBe(false)
  expect((yield* ledger.story("card", id))[0]?.complete).toBe(true)
  expect((yield* factsOf).map(({ fact }) => fact)).toEqual(["accepted"])
})

await inEachStore((place) => {
  testIn(place)("a fact is rolled back with its change", function* () {
    const ledger = yield* Ledger
    const sql = yield* SqlClient
    yield* ledger.accept(accept(), 1)
    const leased = yield* leaseOf(1)
    const write = ledger.write(leased, { told: "NEW", facts: [told(1, 1)] })
    yield* Effect.exit(sql.withTransaction(Effect.andThen(write, Effect.fail("no"))))
    expect((yield* factsOf).map(({ fact }) => fact)).toEqual(["accepted"])
  })

  testIn(place)("a fact takes at most 40 characters", function* () {
    const ledger = yield* Ledger
    const sql = yield* SqlClient
    yield* ledger.accept(accept("1"), 1e12)
    const leased = yield* leaseOf(2e12)
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
  expect((yield* ask(`${redrive}?by=ana&why=order%2017`, "POST")).status).toBe(200)
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
  expect(facts[6]).toMatchObject({ fact: "redriven", by: "ana", why: "order 17", count: 1 })
  expect((yield* ask("/transactions/apm/1/story?kind=apm-payout")).status).toBe(404)
  expect((yield* ask("/transactions/apm/2/story")).status).toBe(404)
})
