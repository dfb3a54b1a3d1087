import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Context from "effect/Context"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "@effect/vitest"
import * as RowLease from "../src/internal/work/Lease.ts"
import * as Progress from "../src/internal/work/Progress.ts"
import * as Lease from "../src/internal/requests/Lease.ts"
import * as Ledger from "../src/Ledger.ts"
import type { LeasedRequest } from "../src/internal/rule/RequestRow.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import * as RequestStore from "../src/internal/ledger/RequestStore.ts"
import { test } from "@pawl/test-support/Tests"
import { blank, type Change, type Leased } from "../src/internal/rule/Row.ts"

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

const held = Effect.succeed(row)
const lost = Effect.undefined
const release = { dueAt: undefined }

test.each<[string, string, Change, ReadonlyArray<typeof held | typeof lost | typeof down>]>([
  ["a write", "is recorded, and goes on", {}, [held]],
  ["a write that is repeated", "is recorded, and goes on", {}, [down, held]],
  ["a release of a lost lease", "ends", { release }, [lost]],
  ["a write whose repeat finds the lease lost", "ends", {}, [down, lost]],
  // The first try may have released the row, and nobody else records the call of its handler.
  [
    "a release whose repeat finds the lease lost",
    "is recorded, and ends",
    { release },
    [down, lost]
  ]
])("after %s the work %s", function* (_, expected, change, tries) {
  const memory = yield* Effect.provide(Ledger.Ledger, Ledger.layerMemory, { local: true })
  const done: Array<string> = []
  let count = 0
  const ledger = { ...memory, write: () => Effect.suspend(() => tries[count++] ?? lost) }
  const record = Effect.sync(() => void done.push("is recorded, and"))
  const work = yield* Effect.forkChild(RowLease.write(ledger, row, change, record))
  yield* TestClock.adjust("2 seconds")
  const exit = yield* Fiber.await(work)
  const isEnded = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
  expect([...done, isEnded ? "ends" : "goes on"].join(" ")).toBe(expected)
})

test("a step is one of the calls if it begins, marks or parks one, and an end if it releases the row", function* () {
  const memory = yield* Effect.provide(Ledger.Ledger, Ledger.layerMemory, { local: true })
  const steps: Array<Progress.Step> = []
  const progress: Progress.Progress = {
    ...(yield* Progress.Current),
    ofRow: (_, step) => {
      steps.push(step)
      return Effect.orDie
    }
  }
  const ledger = {
    ...memory,
    body: () => Effect.undefined,
    write: () => held
  }
  const told = { told: "PENDING", release } as const
  const claimed = { ...row, newestCallbacks: { PENDING: { at: 0, signed: undefined } } }
  yield* Effect.gen(function* () {
    const changes: ReadonlyArray<Change> = [
      { evidence: 1 },
      { polls: 1, release },
      { retryAt: 1 },
      { deadLetter: undefined, release },
      told
    ]
    for (const change of changes) yield* RowLease.write(ledger, row, change)
    // A store is not asked for the body of a status that no callback claims.
    for (const each of [row, claimed]) yield* RowLease.body(ledger, each, "PENDING")
  }).pipe(Effect.provideService(Progress.Current, progress))
  expect(steps).toEqual([
    { sort: "rows", isEnd: false },
    { sort: "rows", isEnd: true },
    { sort: "calls", isEnd: false },
    { sort: "calls", isEnd: true },
    { sort: "calls", isEnd: true },
    { sort: "calls", isEnd: false }
  ])
})

it("work ends with its defect as the reason, or because its lease was lost", () => {
  const defect = Cause.die("defect")
  expect(RowLease.reasonOf(defect)).toBe(defect)
  expect(RowLease.reasonOf(Cause.interrupt())).toBe("its lease was lost")
})
