import { randomBytes } from "node:crypto"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { emptied } from "@pawl/test-support/Places"
import { apm, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"
import { live, test } from "@pawl/test-support/Tests"
import * as Room from "../src/internal/records/Room.ts"
import { bodiesLimit } from "../src/internal/rule/RowRule.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import type { Verified } from "../src/Verifier.ts"

const mebibyte = 1024 * 1024
const large = 60_000

const callback = (transactionId: string, transactionStatus: string, size = 0): Verified =>
  // PostgreSQL compresses other texts.
  verified(
    "apm",
    apm({
      transactionId,
      transactionStatus,
      description: randomBytes(size).toString("base64").slice(0, size)
    })
  )

const accept = Effect.fnUntraced(function* (transactionId: string, status: string, size = 0) {
  const ledger = yield* Ledger
  const result = yield* Effect.result(ledger.accept(callback(transactionId, status, size), 1))
  return Result.isSuccess(result) ? (result.success.reached ?? "free") : result.failure
})

const lengthOf = (transactionId: string, status: Status) =>
  Effect.flatMap(Ledger, (ledger) =>
    Effect.map(
      ledger.body({ method: "apm", scope: "apm", transactionId }, status),
      (body) => body?.length ?? 0
    )
  )

const fill = Effect.gen(function* () {
  const levels = new Set<string>()
  for (let count = 0; count < 400; count++) {
    const level = yield* accept(`1${count}`, "PENDING", large)
    if (typeof level !== "string") return { count, levels: [...levels], error: level }
    levels.add(level)
  }
  return yield* Effect.die(new Error("nothing was refused"))
})

const limits = (ledger: Layer.Layer<Ledger, unknown>, databases = 1) => {
  const limited = (limit: number) =>
    live.with(() => Layer.provide(ledger, Layer.succeed(Room.Limit, limit)))

  limited(4 * mebibyte)(
    "A42: stop at the bytes of the store: a known transaction goes on without bodies, and a new one is refused",
    function* () {
      const { count, error, levels } = yield* fill
      expect(error).toEqual(new StoreUnavailable({ cause: Room.isFull }))
      expect(levels).toEqual(["free", "high"])
      // Each database has its own limit, and its empty tables count.
      expect(count * large).toBeGreaterThan(2 * mebibyte)
      expect(count * large).toBeLessThan((4 * databases + 1) * mebibyte)
      const ledger = yield* Ledger
      const statuses: Array<unknown> = []
      for (let each = 0; each < count; each++) {
        statuses.push(yield* accept(`1${each}`, "SUCCEED", large))
      }
      expect(statuses).toContain("full")
      expect(statuses.every((each) => typeof each === "string")).toBe(true)
      const known = yield* ledger.get("apm", "10")
      expect(Object.keys(known?.newestCallbacks ?? {})).toEqual(["PENDING", "SUCCEED"])
      const at = statuses.indexOf("full")
      expect(yield* lengthOf(`1${at}`, "SUCCEED")).toBe(0)
      expect(yield* lengthOf(`1${at}`, "PENDING")).toBeGreaterThan(large)
      expect(yield* accept(`1${at}`, "SETTLED")).toEqual(error)
    }
  )

  limited(Infinity)(
    "A42: stop at the bytes of a transaction: its statuses are kept, and the bodies before stay",
    function* () {
      const some = ["NEW", "PENDING", "PROCESSING", "CUSTOMER_VERIFICATION"] as const
      for (const status of some) expect(yield* accept("1", status, large)).toBe("free")
      expect(4 * large).toBeLessThan(bodiesLimit)
      expect(yield* accept("1", "SUCCEED", large)).toBe("bodies")
      expect(yield* lengthOf("1", "SUCCEED")).toBe(0)
      // A replacement has the room of the one before, and a small one always has room.
      expect(yield* accept("1", "NEW", large + 1)).toBe("free")
      expect(yield* accept("1", "SUCCEED", 100)).toBe("free")
      expect(yield* lengthOf("1", "SUCCEED")).toBeGreaterThan(100)
      expect(yield* accept("1", "SUCCEED", large)).toBe("bodies")
      expect(yield* lengthOf("1", "SUCCEED")).toBeLessThan(1000)
      expect(yield* accept("2", "SUCCEED", large)).toBe("free")
      const row = yield* Effect.flatMap(Ledger, (ledger) => ledger.get("apm", "1"))
      expect(row?.callbacks).toBe(8)
    }
  )
}

it("a level is no lower than that of the store, however many measure it at the same time", () =>
  test.forAll(
    [fc.array(fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 5 })), { maxLength: 20 })],
    function* (steps) {
      const limit = 100 * Room.documentBytes
      let size = 0
      const { commit, level } = Room.make(
        {
          bytes: Effect.delay(
            Effect.sync(() => size),
            "10 millis"
          ),
          commit: (_, writes) =>
            Effect.sync(() => {
              size += writes.length * Room.documentBytes
              return new Map()
            })
        },
        limit
      )
      for (const [writes, levels] of steps) {
        yield* commit("transactions", Array.from({ length: writes }, write))
        for (let each = 0; each < levels; each++) yield* Effect.forkChild(level)
        yield* TestClock.adjust("5 millis")
      }
      yield* TestClock.adjust("1 second")
      const order = ["free", "high", "full"]
      const actual = size >= limit ? 2 : size >= 0.8 * limit ? 1 : 0
      const last = yield* Effect.forkChild(level)
      yield* TestClock.adjust("1 second")
      expect(order.indexOf(yield* Fiber.join(last))).toBeGreaterThanOrEqual(actual)
    }
  ))

const write = () => ({
  key: "1",
  expected: undefined,
  version: 1,
  document: "",
  index: { due: [], listed: undefined, parts: 1, related: undefined },
  put: [],
  remove: []
})

describe("the limits of a store in memory", () => {
  limits(layerMemory)
})

describe("the limits of a SQLite store", () => {
  const file = files()
  limits(emptied(file()))
  describe("of two shards", () => {
    const shard = () => {
      const place = file()
      return Layer.fresh(emptied(place))
    }
    limits(LedgerSql.layerShards([shard(), shard()] as never) as Layer.Layer<Ledger, unknown>, 2)
  })
})

await onPostgres((place) => {
  describe("the limits of a PostgreSQL store", () => {
    limits(emptied(place))
  })
})
