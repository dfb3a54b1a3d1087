import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import * as Cleaner from "../src/internal/work/Cleaner.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import * as RequestStore from "../src/internal/ledger/RequestStore.ts"
import { test } from "@pawl/test-support/Tests"
import { finish } from "@pawl/test-support/Finished"
import * as World from "@pawl/test-support/World"

const clean = (ledger: Ledger["Service"]) =>
  Layer.build(Cleaner.layer).pipe(
    Effect.provideService(Ledger, ledger),
    Effect.provideService(Cleaner.Retention, Duration.days(1))
  )

const all = ({ now }: World.World) => ({ before: now() + 1, limit: 1000 })

describe("the body of a callback", () => {
  test("is deleted after 30 days, and the row of its transaction is never deleted (R22)", function* () {
    const { receive, ...world } = yield* World.started({ read: World.says("SUCCEED") })
    yield* receive("1", "SUCCEED")
    yield* World.pass("29 days")
    expect((yield* world.ledger.get("apm", "1"))?.newestCallbacks).toHaveProperty("SUCCEED")
    for (let days = 0; days < 3; days++) yield* World.pass("1 day")
    const row = yield* world.ledger.get("apm", "1")
    expect([row?.told, row?.newestCallbacks]).toEqual(["SUCCEED", {}])
    yield* World.pass("365 days")
    yield* receive("1", "SUCCEED")
    yield* World.pass("1 day")
    expect(World.told(world)).toEqual(["SUCCEED"])
    const accepted = world.entries.findLast(({ _tag }) => _tag === "Accepted")
    expect(accepted).toMatchObject({ isNew: false })
  })

  test("is deleted after the configured retention time, however many bodies there are", function* () {
    const world = yield* World.make()
    const { ledger } = world
    for (let id = 0; id < 250; id++) {
      const transactionId = String(id)
      yield* finish(transactionId, world.now()).pipe(Effect.provideService(Ledger, ledger))
    }
    yield* World.pass("2 days")
    yield* clean(ledger)
    yield* World.pass("1 second")
    expect(yield* ledger.deleteBodies(all(world))).toBe(0)
  })

  test("that the store refuses to delete is an alarm with the cause, but not while it is unavailable", function* () {
    const codes = ["ECONNREFUSED", "42501", "42501", "42501", "42501"]
    const deleteBodies = () =>
      Effect.suspend(() => Effect.fail(new StoreUnavailable({ cause: { code: codes.shift() } })))
    const world = yield* World.started({ plant: () => ({ deleteBodies }) })
    yield* World.pass("17 minutes")
    const reason = "old texts cannot be deleted: the role has too few rights (SQLSTATE 42501)"
    expect(World.alarms(world)).toEqual([reason, reason])
  })

  test("is deleted in a shard soon after it failed, even if other shards did not", function* () {
    const worlds = [yield* World.make(), yield* World.make()] as const
    for (const { ledger, now } of worlds)
      yield* finish("1", now()).pipe(Effect.provideService(Ledger, ledger))
    const [broken, other] = worlds
    let failures = 3
    const deleteBodies: Ledger["Service"]["deleteBodies"] = (options) =>
      Effect.suspend(() =>
        failures-- > 0 ? Effect.fail(new StoreUnavailable({})) : broken.ledger.deleteBodies(options)
      )
    yield* World.pass("2 days")
    const shards = [{ ...broken.ledger, deleteBodies }, other.ledger]
    yield* clean({ ...broken.ledger, shards })
    yield* World.pass("1 second")
    expect(yield* other.ledger.deleteBodies(all(other))).toBe(0)
    yield* World.pass("1 hour")
    expect(yield* broken.ledger.deleteBodies(all(broken))).toBe(0)
  })
})

test("the texts of requests are deleted while no body can be", function* () {
  const stores = Layer.provideMerge(RequestStore.layerMemory, layerMemory)
  const built = yield* Layer.build(stores)
  const ledger = Context.get(built, Ledger)
  const store = Context.get(built, RequestStore.RequestStore)
  let calls = 0
  const deleteTexts = () => Effect.sync(() => (calls++ === 0 ? 1 : 0))
  const deleteBodies = () => Effect.fail(new StoreUnavailable({}))
  yield* clean({ ...ledger, deleteBodies }).pipe(
    Effect.provideService(RequestStore.RequestStore, { ...store, deleteTexts })
  )
  yield* World.pass("1 minute")
  expect(calls).toBe(2)
})

describe("a transaction", () => {
  /** Returns the deletions of two days beside an old transaction. */
  const watch = Effect.fnUntraced(function* (months: number | undefined) {
    const world = yield* World.make()
    const asked: Array<{ readonly age: number; readonly at: number; readonly limit: number }> = []
    const deleteOld: Ledger["Service"]["deleteOld"] = ({ before, limit }) =>
      Effect.suspend(() => {
        const at = world.now()
        asked.push({ age: at - before, at, limit })
        return asked.length === 3
          ? Effect.fail(new StoreUnavailable({}))
          : Effect.succeed(asked.length % 2)
      })
    yield* clean({ ...world.ledger, deleteOld }).pipe(
      Effect.provideService(Cleaner.KeptMonths, months)
    )
    yield* World.pass("25 hours")
    return asked
  })

  test("counts its age from a late chargeback, though only a read learned of it", function* () {
    const day = Duration.toMillis(Duration.days(1))
    const { receive, ...world } = yield* World.started({
      read: ({ at }) => Effect.succeed(at < 160 * day ? "SUCCEED" : "CHARGEBACK")
    })
    yield* receive("1", "SUCCEED")
    yield* World.pass("180 days")
    expect(World.told(world)).toEqual(["SUCCEED", "CHARGEBACK"])
    const deleted = [160 * day, world.now()].map((before) =>
      world.ledger.deleteOld({ before, limit: 9 })
    )
    expect(yield* Effect.all(deleted)).toEqual([0, 1])
  })

  test("is kept for ever by default", function* () {
    expect(yield* watch(undefined)).toEqual([])
  })

  test("is deleted in batches after the months of the setting, at the start and once a day", function* () {
    const asked = yield* watch(7)
    expect(new Set(asked.map(({ age, limit }) => `${age / World.day} ${limit}`))).toEqual(
      new Set(["217 100"])
    )
    // A batch without deletions ends the day; a failed one is repeated after 5 minutes.
    const nextDay = World.day + 20
    expect(asked.map(({ at }) => at)).toEqual([0, 20, nextDay, nextDay + 5 * World.minute])
  })
})
