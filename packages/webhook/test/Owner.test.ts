import type { Account } from "@pawl/core/Account"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { emptied, ledgerOf, type Place } from "@pawl/test-support/Places"
import { secret } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"
import { live, test } from "@pawl/test-support/Tests"
import { pass } from "@pawl/test-support/World"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { describe, expect } from "vitest"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import {
  layerMemory as requestsInMemory,
  RequestStore
} from "../src/internal/ledger/RequestStore.ts"
import { rename } from "../src/internal/requests/Rename.ts"
import * as Settings from "../src/internal/ledger/Settings.ts"
import * as Engines from "../src/internal/records/Engines.ts"
import * as MemoryStore from "../src/internal/records/MemoryStore.ts"
import { Records } from "../src/internal/records/Records.ts"
import * as Requests from "../src/Requests.ts"
import * as Seal from "../src/Seal.ts"
import * as fake from "./requestService.ts"

type Store = Ledger | Records | RequestStore

const first: Account = { merchantKey: "key-1", baseUrl: "https://one.example/api" }
const current = Redacted.make(secret)

const sealOf = (secret: typeof current) =>
  Effect.map(
    Layer.build(Layer.provide(Seal.layer({ current: secret }), NodeHmac.layer)),
    Context.get(Seal.Seal)
  )

/** A store with its own clock needs real time. */
const promises = (
  store: () => Layer.Layer<Store, unknown>,
  inTime = test,
  wait: Effect.Effect<void> = pass("1 minute")
) => {
  inTime(
    "a rename of the host keeps every request, may be run again, and refuses the old one",
    function* () {
      const opened = yield* Layer.build(store())
      const engines = Context.get(opened, Records)
      const { takeOwner } = Context.get(opened, Ledger)
      const renamed = { ...first, baseUrl: "https://new.example/api" }
      const seal = yield* sealOf(current)
      const to = (from: string, by = seal) => rename(engines, by, from, renamed.baseUrl)
      expect(yield* to(first.baseUrl)).toBeUndefined()
      const within = <A, E>(
        account: Account,
        service: ReturnType<typeof fake.make>,
        use: (requests: Requests.Requests["Service"]) => Effect.Effect<A, E>
      ) =>
        Effect.scoped(
          Effect.flatMap(
            Layer.build(Layer.fresh(fake.layer({ ...service.sender, account }))),
            (built) => use(Context.get(built, Requests.Requests))
          )
        ).pipe(Effect.provideContext(opened))
      const before = fake.make(["answer", ...Array<"unsent">(10).fill("unsent")])
      const answer = yield* within(first, before, ({ enqueue, send }) =>
        Effect.tap(send("apm-payment", fake.payment("1")), () =>
          Effect.forEach(["2", "3", "4"], (id) => enqueue("apm-payout", fake.payment(id)))
        )
      )
      const { settle } = Context.get(opened, RequestStore)
      for (const id of ["3", "4"]) yield* settle(id, { outcome: { _tag: "Found" }, at: 0 })
      expect(yield* to("https://other.example/api")).toBeUndefined()
      // Of the four requests one is open; the found ones keep their bodies.
      expect(yield* to(first.baseUrl, yield* sealOf(Redacted.make("wrong")))).toBe(1)
      for (const _ of [1, 2]) expect(yield* to(first.baseUrl)).toBe(0)
      expect(yield* takeOwner(first)).toEqual(renamed)
      const after = fake.make()
      yield* within(renamed, after, ({ get, send }) =>
        Effect.gen(function* () {
          expect(yield* send("apm-payment", fake.payment("1"))).toEqual(answer)
          const { outcome } = yield* Effect.repeat(
            Effect.andThen(
              wait,
              Effect.map(get("2"), (row) => row!)
            ),
            { until: ({ outcome, parked }) => outcome !== undefined || parked !== undefined }
          )
          expect(outcome).toMatchObject({ _tag: "Answered" })
        })
      )
      expect(new Set(after.seen.map(({ requestId }) => requestId))).toEqual(new Set(["2"]))
    }
  )
}

/** Two processes whose writes to one shard are late, each to another one. */
const race = Effect.fnUntraced(function* (
  shards: () => Effect.Effect<Engines.Engines["own"], unknown, Scope.Scope>
) {
  const late = (own: Engines.Engines["own"], slow: number) =>
    Engines.make(
      Arr.map(own, (records, position) => ({
        ...records,
        change: (...change: Parameters<typeof records.change>) =>
          Effect.delay(records.change(...change), position === slow ? "100 millis" : 0)
      })) as unknown as Engines.Engines["own"]
    )
  const [one, two] = [late(yield* shards(), 0), late(yield* shards(), 1)]
  const other = { ...first, merchantKey: "key-2" }
  const taken = yield* Effect.all(
    [Settings.takeOwner(one, first), Settings.takeOwner(two, other)],
    { concurrency: "unbounded" }
  )
  const [owner] = yield* Settings.ownersOf(one)
  expect([first, other]).toContainEqual(owner)
  expect(taken).toEqual([owner, owner])
  expect(yield* Settings.ownersOf(two)).toEqual([owner, owner])
})

const inMemory = Layer.provideMerge(requestsInMemory, Layer.fresh(layerMemory))

describe("in memory", () => {
  promises(() => inMemory)

  test("a store with a shard of another service is not renamed", function* () {
    const records = [yield* MemoryStore.makeEngine, yield* MemoryStore.makeEngine] as const
    const engines = Engines.make(records)
    const [one, other] = engines.own
    yield* Settings.setOwner(one, first)
    yield* Settings.setOwner(other!, { ...first, baseUrl: "https://other.example/api" })
    const seal = yield* sealOf(current)
    expect(yield* rename(engines, seal, first.baseUrl, "https://new.example/api")).toBeUndefined()
    expect(yield* Settings.ownersOf(engines)).toContainEqual(first)
  })

  test("an account that a shard refuses does not take a new one, in any order of the shards", function* () {
    const old = yield* MemoryStore.makeEngine
    const added = [yield* MemoryStore.makeEngine, yield* MemoryStore.makeEngine] as const
    const engines = Engines.make([added[0], old, added[1]])
    yield* Settings.setOwner(old, first)
    const wrong = { ...first, merchantKey: "key-2" }
    expect(yield* Settings.takeOwner(engines, wrong)).toEqual(first)
    expect(yield* Settings.ownersOf(engines)).toEqual([undefined, first, undefined])
    expect(yield* Settings.takeOwner(engines, first)).toEqual(first)
    expect(yield* Settings.ownersOf(engines)).toEqual([first, first, first])
  })
})
const file = files()
const shardsIn = (places: Arr.NonEmptyReadonlyArray<Place>) =>
  Effect.map(
    Effect.forEach(places, (place) => Layer.build(Layer.fresh(ledgerOf(place)))),
    Arr.map((built) => Context.get(built, Records).own[0])
  )
describe("in SQLite", () => {
  promises(() => Layer.fresh(ledgerOf(file())))
})
describe("in two shards", () => {
  live("of two accounts that start at once one gets all shards", function* () {
    const places = [file(), file()] as const
    yield* race(() => shardsIn(places))
  })
  promises(() =>
    LedgerSql.layerShards([Layer.fresh(ledgerOf(file())), Layer.fresh(ledgerOf(file()))])
  )
})
await onPostgres((place) => {
  live("of two accounts that start at once one gets all shards", function* () {
    const places = [place, file()] as const
    yield* race(() => shardsIn(places))
  })
  promises(() => Layer.fresh(emptied(place)), live, Effect.sleep("50 millis"))
})
