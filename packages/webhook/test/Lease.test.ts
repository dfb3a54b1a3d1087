import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect } from "@effect/vitest"
import * as RowLease from "../src/internal/work/Lease.ts"
import * as Lease from "../src/internal/requests/Lease.ts"
import * as Ledger from "../src/Ledger.ts"
import type { LeasedRequest } from "../src/internal/rule/RequestRow.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import * as RequestStore from "../src/internal/ledger/RequestStore.ts"
import { test } from "@pawl/test-support/Tests"
import { blank, type Leased } from "../src/internal/rule/Row.ts"

const written = { requestId: "1", kind: "refund", digest: "d", hasCardData: false } as const
const request: LeasedRequest = {
  ...RequestRule.write(written, 0, undefined),
  lease: { id: 1, until: 30_000, inDoubt: false }
}
const row: Leased = { ...blank("card", "1", 0), lease: 1, evidenceAtLease: 0 }

const down = Effect.fail(new StoreUnavailable({}))

const ofRequest = Effect.fnUntraced(function* (renew: Effect.Effect<boolean, StoreUnavailable>) {
  const untils: Array<number> = []
  const built = yield* Layer.build(
    Layer.provideMerge(RequestStore.layerMemory, Layer.fresh(Ledger.layerMemory))
  )
  const store = {
    ...Context.get(built, RequestStore.RequestStore),
    renew: (_: LeasedRequest, until: number) => {
      untils.push(until)
      return renew
    }
  }
  return { fiber: yield* Effect.forkChild(Lease.renew(store, request)), untils }
})

const ofRow = Effect.fnUntraced(function* (renew: Effect.Effect<boolean, StoreUnavailable>) {
  const untils: Array<number> = []
  const memory = yield* Effect.provide(Ledger.Ledger, Ledger.layerMemory, { local: true })
  const ledger: Ledger.Ledger["Service"] = {
    ...memory,
    write: (leased, { until = 0 }) => {
      untils.push(until)
      return Effect.map(renew, (isRenewed) => (isRenewed ? leased : undefined))
    }
  }
  return { fiber: yield* Effect.forkChild(RowLease.renew(ledger, row, 30_000)), untils }
})

describe.each([
  ["request", ofRequest],
  ["row", ofRow]
] as const)("the lease of a %s", (_, renewing) => {
  test("is renewed every 10 seconds for 30 seconds, until it is lost", function* () {
    let isHeld = true
    const { fiber, untils } = yield* renewing(Effect.sync(() => isHeld))
    yield* TestClock.adjust("9999 millis")
    expect(untils).toEqual([])
    yield* TestClock.adjust("20001 millis")
    expect(untils).toEqual([40_000, 50_000, 60_000])
    expect(fiber.pollUnsafe()).toBeUndefined()
    isHeld = false
    yield* TestClock.adjust("10 seconds")
    expect(fiber.pollUnsafe()).toBeDefined()
  })

  test("is given up when its store is not available for 15 seconds, before it ends", function* () {
    const { fiber, untils } = yield* renewing(down)
    yield* TestClock.adjust("24999 millis")
    expect(untils).toHaveLength(15)
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(fiber)
  })
})
