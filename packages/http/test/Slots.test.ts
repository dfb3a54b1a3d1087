import { forAll } from "@pawl/test-support/Properties"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as Slots from "../src/internal/wire/Slots.ts"

type Step = "take" | "cancel" | "release"

it("at most a number of requests are in progress, and the others start in the order of their arrival", () =>
  forAll(
    [
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.constantFrom<Step>("take", "take", "cancel", "release"), { maxLength: 40 }),
      fc.nat()
    ],
    (count, steps, pick) => {
      const slots = Slots.make(count)
      const started: Array<number> = []
      const cancelled = new Set<number>()
      const starts: Array<() => void> = []
      let released = 0
      const inProgress = () => started.length - released
      for (const step of steps) {
        if (step === "take") {
          const id = starts.length
          starts.push(() => started.push(id))
          slots.take(starts[id] ?? (() => undefined))
        } else if (step === "release" && inProgress() > 0) {
          released++
          slots.release()
        } else if (step === "cancel" && starts.length > 0) {
          const id = pick % starts.length
          const isWaiting = !started.includes(id) && !cancelled.has(id)
          expect(slots.cancel(starts[id] ?? (() => undefined))).toBe(isWaiting)
          if (isWaiting) cancelled.add(id)
        }
        const arrived = starts.map((_, id) => id).filter((id) => !cancelled.has(id))
        expect(inProgress()).toBeLessThanOrEqual(count)
        expect(started).toEqual(arrived.slice(0, Math.min(arrived.length, released + count)))
      }
    }
  ))

it("a request that ends while it is started leaves its slot to the next, without a deeper call", () => {
  const slots = Slots.make(1)
  let depth = 0
  let deepest = 0
  const started: Array<number> = []
  const start = (id: number) => () => {
    deepest = Math.max(deepest, ++depth)
    started.push(id)
    if (id > 0) slots.release()
    depth--
  }
  for (let id = 0; id < 100; id++) slots.take(start(id))
  expect(started).toEqual([0])
  slots.release()
  expect(started).toEqual(Array.from({ length: 100 }, (_, id) => id))
  expect(deepest).toBe(1)
})

it("a request that arrives while another starts waits for those before it", () => {
  const slots = Slots.make(1)
  const started: Array<string> = []
  const start = (name: string, then: () => void = () => undefined) => {
    const run = () => {
      started.push(name)
      then()
    }
    slots.take(run)
  }
  start("first")
  start("second", () => {
    slots.release()
    start("fourth")
  })
  start("third", slots.release)
  slots.release()
  expect(started).toEqual(["first", "second", "third", "fourth"])
})
