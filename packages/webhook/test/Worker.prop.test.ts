import { isTerminal, rank } from "@pawl/core/Status"
import * as Lives from "@pawl/test-support/Lives"
import type * as World from "@pawl/test-support/World"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Row } from "../src/internal/rule/Row.ts"
import type * as StoredRow from "../src/internal/rule/StoredRow.ts"
import { repeats } from "@pawl/test-support/Repeats"

/** Milliseconds for shrinking a counterexample. */
const plugins = [fc.interruptAfterTimeLimit(55_000, { failOnInterrupt: true })]

/** Properties that hold whatever fails. */
const assertSound = ({ history: of }: Lives.Life, calls: ReadonlyArray<World.Call>) => {
  for (const [index, call] of calls.entries()) {
    const before = calls.slice(0, index)
    const took = before.filter((each) => each.took)
    if (isTerminal(call.to)) {
      expect(call.confirmed).toBe(true)
      expect(of.some(({ at, status }) => status === call.to && at <= call.at)).toBe(true)
    }
    if (call.conflict !== null) expect(call.conflict).toContain(call.to)
    for (const each of took) expect(rank(call.to)).toBeGreaterThanOrEqual(rank(each.to))
    expect([null, ...took.map(({ to }) => to)]).toContain(call.from)
    const last = before.at(-1)
    if (last?.id !== call.id) continue
    expect([call.to, call.from]).toEqual([last.to, last.from])
    expect(call.attempt).toBeGreaterThan(last.attempt)
  }
}

/** Properties that hold while the store works and no receiver is stopped. */
const assertExact = (calls: ReadonlyArray<World.Call>) => {
  for (const [index, call] of calls.entries()) {
    const took = calls.slice(0, index).filter((each) => each.took)
    const last = calls[index - 1]
    expect(call.attempt).toBe(last?.id === call.id ? last.attempt + 1 : 1)
    expect(call.from).toBe(took.at(-1)?.to ?? null)
    expect(took.map(({ id }) => id)).not.toContain(call.id)
  }
}

/** The facts have every call, and whether it was accepted. */
const assertKept = (stories: ReadonlyArray<StoredRow.Story>, made: ReadonlyArray<World.Call>) => {
  for (const { complete, facts, row } of stories) {
    expect(complete).toBe(true)
    const own = facts.filter(({ from }) => from === undefined)
    const called = own
      .flatMap((each) => (each.fact === "called" ? [each] : []))
      .toSorted((one, two) => one.sequence - two.sequence)
    const ids = called.map(
      ({ sequence, to }) => `${row.scope}:${row.transactionId}:${sequence}:${to}`
    )
    // A process that ends between the write of a call and the call has made none.
    expect(ids.filter((id) => made.some((call) => call.id === id))).toEqual([
      ...new Set(made.map(({ id }) => id))
    ])
    const took = own.flatMap((each) => (each.fact === "told" ? [each.sequence] : []))
    for (const sequence of took)
      expect(made.some((call) => call.sequence === sequence && call.took)).toBe(true)
  }
}

const assertSettled = (
  { history: of }: Lives.Life,
  calls: ReadonlyArray<World.Call>,
  row: Row | undefined
) => {
  const told = row === undefined ? undefined : of.at(-1)?.status
  expect(calls.findLast(({ took }) => took)?.to).toBe(told)
  expect(row?.told).toBe(told)
}

/** Plays some lives under a trouble; `isExact`: the store works, and no receiver is stopped. */
const play = (trouble: fc.Arbitrary<Lives.Trouble>, numRuns: number, isExact = false) =>
  fc.assert(
    fc.asyncProperty(Lives.lives, trouble, async (all, each) => {
      const { calls, rows, stories } = await Lives.live(all, each)
      for (const [index, lived] of all.entries()) {
        assertSound(lived, calls[index] ?? [])
        if (isExact) assertExact(calls[index] ?? [])
        assertSettled(lived, calls[index] ?? [], rows[index])
        assertKept(stories[index] ?? [], calls[index] ?? [])
      }
    }),
    { numRuns, plugins }
  )

describe("the worker", () => {
  it("tells only confirmed final statuses and rising ranks, and ends at the status of the service (S4, S5, S6, S9)", () => {
    const calm = Lives.trouble.map((each) => ({ ...each, receivers: 1, outages: [], flaws: [] }))
    return play(calm, repeats(20), true)
  })

  it("does so with one call at a time when receivers stop, are killed, hang or lose their store (R09, R10, R12, S5, S10)", () =>
    play(Lives.trouble, repeats(24)))

  it("does so when the clock jumps by up to an hour, back or forth", () =>
    play(
      fc
        .tuple(Lives.trouble, Lives.jumps)
        .map(([each, jumps]) => ({ ...each, receivers: 1, jumps })),
      repeats(20)
    ))

  it("tells a genuine final status within one read and one second of its callback, whatever was forged before (S9)", async () => {
    await fc.assert(
      fc.asyncProperty(Lives.life, fc.nat({ max: 3000 }), async (lived, readTime) => {
        const { calls, stories } = await Lives.live([lived], { ...Lives.noTrouble, readTime })
        for (const { at, status } of lived.deliveries) {
          if (!isTerminal(status) || Lives.truth(lived.history, at) !== status) continue
          const heard = calls[0]?.find(({ to }) => to === status || rank(to) > rank(status))
          expect(heard?.at).toBeLessThanOrEqual(at + Math.max(1000, readTime) + readTime + 40)
        }
        assertKept(stories[0] ?? [], calls[0] ?? [])
      }),
      { numRuns: repeats(60), plugins }
    )
  })
})
