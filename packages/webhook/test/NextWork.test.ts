import { forAll } from "@pawl/test-support/Properties"
import * as Evidence from "@pawl/core/Evidence"
import { defaults } from "@pawl/core/Profile"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { repeats } from "@pawl/test-support/Repeats"
import { test } from "@pawl/test-support/Tests"
import { blank, type Lane, lanes, type Row } from "../src/internal/rule/Row.ts"
import * as WorkLimits from "../src/internal/rule/WorkLimits.ts"
import * as NextWork from "../src/internal/work/NextWork.ts"
import * as Reconciler from "../src/internal/work/Reconciler.ts"
import { makeSlots } from "../src/internal/work/RowSteps.ts"
import { check, time } from "./anyRow.ts"

const rules: Reconciler.Rules = { policy: "final", pollIntervals: defaults.pollIntervals }

describe("the next work on a row", () => {
  it("is a call, unless a read comes before it", () => {
    check(time, ({ row }, now) => {
      const readAt = Reconciler.readAt(row, rules) ?? Infinity
      const callAt = NextWork.callAt(row, rules.policy) ?? Infinity
      const { dueAt = Infinity, lane } = NextWork.nextOf(row, rules, now)
      if (lane === "tell" || lane === "retry") {
        expect(lane).toBe(row.attempt > 0 ? "retry" : "tell")
        expect(dueAt).toBe(Math.max(now, Math.min(callAt, readAt)))
        return
      }
      expect(dueAt).toBe(readAt)
      expect(callAt).toSatisfy((at) => at === Infinity || at > Math.max(now, readAt))
      const others = Reconciler.isClosed(row, rules) ? "watch" : "repeat"
      const laneOfRead = Reconciler.isUnread(row, rules) ? "ask" : others
      expect(lane).toBe(readAt === Infinity ? undefined : laneOfRead)
    })
  })

  it("needs a slot of the lane of each step that is due", () => {
    check(time, ({ row }, now) => {
      const callAt = NextWork.callAt(row, rules.policy) ?? Infinity
      const call = row.attempt > 0 ? "retry" : "tell"
      expect(NextWork.laneOfCall(row, rules, now)).toBe(callAt <= now ? call : undefined)
      const read = NextWork.readLane(row, rules)
      const isDue = (Reconciler.readAt(row, rules) ?? Infinity) <= now
      expect(NextWork.laneOfRead(row, rules, now)).toBe(isDue ? read : undefined)
    })
  })
})

it("the wait after a failed call doubles from a second to five minutes, even after the last call", () => {
  const { retrySchedule } = WorkLimits.defaults
  const waits = [1, 2, 3, 9, 10, 300, 2000].map((number) =>
    NextWork.plannedWait(retrySchedule, number)
  )
  expect(waits).toEqual([1, 2, 4, 256, 300, 300, 300].map((seconds) => seconds * 1000))
  const day = 86_400_000
  expect(NextWork.waitAfter(retrySchedule, 3, 0, 10_000)).toBe(4000)
  expect(NextWork.waitAfter(retrySchedule, 3, 0, 2 * day)).toBe(4000)
})

it("R39: a failing handler is called after 1, 2, 4, … 300 seconds for 24 hours, besides the time in which nobody made a due call", () => {
  const evidence = Evidence.confirmed("SUCCEED")
  const standing = Evidence.standing(evidence, "SUCCEED")
  return forAll(
    [fc.array(fc.nat({ max: 7_200_000 }), { maxLength: 300 })],
    { numRuns: repeats(12) },
    (delays) => {
      let row: Row = { ...blank("card-payment", "1", 0), evidence }
      let [now, missed] = [0, 0]
      const calls: Array<number> = []
      for (;;) {
        const step = NextWork.nextStep(row, standing, now)
        if (step._tag !== "Call") {
          expect(step).toMatchObject({ _tag: "Park", deadLetter: { reason: "handler-failed" } })
          break
        }
        expect(step).toMatchObject({ to: "SUCCEED", attempt: calls.length + 1 })
        const late = delays[calls.length] ?? 0
        calls.push(now - missed)
        row = { ...row, ...step.change }
        expect(NextWork.nextStep(row, standing, row.retryAt - 1)).toEqual({ _tag: "Nothing" })
        now = row.retryAt + late
        missed += late
      }
      const waits = calls.slice(1).map((at, place) => at - (calls[place] ?? 0))
      expect(waits).toEqual(waits.map((_, place) => Math.min(300, 2 ** place) * 1000))
      expect(Math.abs((calls.at(-1) ?? 0) - 86_400_000)).toBeLessThan(300_000)
    }
  )
})

describe("the slots", () => {
  const count = fc.integer({ min: 1, max: 100 })
  const makeWith = (calls: number, reads: number) =>
    makeSlots({ ...WorkLimits.defaults, calls, reads })

  it("are three quarters for first calls, and half for first reads; each lane has one", () =>
    forAll([count, count], (calls, reads) => {
      const { ask, repeat, retry, tell, watch } = Effect.runSync(makeWith(calls, reads)).free()
      expect(retry).toBe(Math.max(1, Math.floor(calls / 4)))
      expect([repeat, watch]).toEqual([1, 1].map((one) => Math.max(one, Math.floor(reads / 4))))
      expect(tell + retry).toBe(Math.max(2, calls))
      expect(ask + repeat + watch).toBe(Math.max(3, reads))
    }))

  it("of first reads take the newest rows every second time", () =>
    forAll([count], (reads) => {
      const { free, newest, take } = Effect.runSync(makeWith(1, reads))
      for (let left = free().ask; left > 0; left--) {
        const [one, two] = [newest(), newest()]
        expect(one + two).toBe(left)
        expect(Math.abs(one - two)).toBe(left % 2)
        take("ask")
      }
    }))

  test("are given until none is left, and a wait ends when a lane has one again", function* () {
    const { awaitFreed, free, giveBack, take } = yield* makeWith(8, 8)
    for (const lane of lanes satisfies ReadonlyArray<Lane>) {
      const all = free()[lane]
      for (let taken = 1; taken <= all; taken++) expect(take(lane)).toBe(true)
      expect([take(lane), free()[lane]]).toEqual([false, 0])
      const waiting = yield* Effect.forkChild(awaitFreed, { startImmediately: true })
      giveBack(lane)
      yield* Fiber.join(waiting)
      const other = yield* Effect.forkChild(awaitFreed, { startImmediately: true })
      giveBack(lane)
      yield* Effect.yieldNow
      expect(other.pollUnsafe()).toBeUndefined()
      yield* Fiber.interrupt(other)
      for (let back = 3; back <= all; back++) giveBack(lane)
      expect(free()[lane]).toBe(Math.max(2, all))
    }
  })
})
