import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { describe, expect } from "@effect/vitest"
import * as GroupCommit from "../src/internal/records/GroupCommit.ts"
import { test } from "@pawl/test-support/Tests"
import * as SharedTimeout from "../src/internal/records/SharedTimeout.ts"

class Refused {
  readonly _tag = "Refused"
  readonly isItemError: boolean
  readonly isBlocked: boolean
  constructor(isItemError: boolean, isBlocked = false) {
    this.isItemError = isItemError
    this.isBlocked = isBlocked
  }
}

interface Commit {
  readonly items: ReadonlyArray<string>
  readonly end: (exit: Exit.Exit<void, Refused>) => Effect.Effect<void>
}

/** An item is a letter (its key) and a number. */
const controlled = Effect.fnUntraced(function* (options: {
  maxSize: number
  committers: number
  maxWaiting?: number
}) {
  const commits: Array<Commit> = []
  let looks = 0
  const commit = Effect.fnUntraced(function* (items: ReadonlyArray<string>) {
    const gate = yield* Deferred.make<void, Refused>()
    commits.push({ items: [...items], end: (exit) => Effect.asVoid(Deferred.done(gate, exit)) })
    const exit = yield* Effect.exit(Deferred.await(gate))
    return items.map((item) => Exit.map(exit, () => `${item}!`))
  })
  const join = yield* GroupCommit.make<string, string, Refused>({
    maxWaiting: Infinity,
    ...options,
    full: new Refused(false),
    isBlocked: ({ isBlocked }) => isBlocked,
    isItemError: ({ isItemError }) => isItemError,
    keyOf: (item) => {
      looks++
      return { key: item.slice(0, 1), variant: item.slice(1) }
    },
    wait: yield* SharedTimeout.make(Duration.seconds(3), Effect.fail(new Refused(false))),
    commit
  })
  const settled = Effect.replicateEffect(Effect.yieldNow, 20, { discard: true })
  const joinAll = Effect.fnUntraced(function* (items: ReadonlyArray<string>) {
    const fibers = yield* Effect.forEach(items, (item) =>
      Effect.forkChild(join(item), { startImmediately: true })
    )
    yield* settled
    return fibers
  })
  const end = Effect.fnUntraced(function* (index: number, exit: Exit.Exit<void, Refused>) {
    yield* (commits[index] as Commit).end(exit)
    yield* settled
  })
  const items = () => commits.map(({ items }) => items)
  return { commits, end, items, joinAll, looks: () => looks, settled }
})

const ended = (fibers: ReadonlyArray<Fiber.Fiber<string, Refused>>) =>
  fibers.map((fiber) => {
    const exit = fiber.pollUnsafe()
    return exit && (Exit.isSuccess(exit) ? exit.value : "failed")
  })

describe("GroupCommit", () => {
  test("commits a single item at once, and the items that come during a commit together", function* () {
    const { end, items, joinAll } = yield* controlled({ maxSize: 3, committers: 1 })
    const first = yield* joinAll(["a1"])
    expect(items()).toEqual([["a1"]])
    const others = yield* joinAll(["b1", "c1", "d1", "e1"])
    expect(items()).toEqual([["a1"]])
    yield* end(0, Exit.void)
    expect(ended(first)).toEqual(["a1!"])
    expect(items()).toEqual([["a1"], ["b1", "c1", "d1"]])
    expect(ended(others)).toEqual([undefined, undefined, undefined, undefined])
    yield* end(1, Exit.void)
    yield* end(2, Exit.void)
    expect(ended(others)).toEqual(["b1!", "c1!", "d1!", "e1!"])
    expect(items()).toEqual([["a1"], ["b1", "c1", "d1"], ["e1"]])
  })

  test("commits the items of a key together, one commit of a key at a time", function* () {
    const { end, items, joinAll } = yield* controlled({ maxSize: 9, committers: 2 })
    yield* joinAll(["z0"])
    yield* joinAll(["y0"])
    yield* joinAll(["a1", "a2", "b1", "a1", "b1", "z1", "a3"])
    yield* end(0, Exit.void)
    expect(items().slice(2)).toEqual([["a1", "a2", "a1", "a3", "b1", "b1", "z1"]])
    // The other committer is free, but the waiting item has the key a.
    const waiting = yield* joinAll(["a4"])
    yield* end(1, Exit.void)
    expect(items().length).toBe(3)
    const last = yield* joinAll(["c1"])
    expect(items().slice(3)).toEqual([["c1"]])
    for (const index of [3, 2, 4]) yield* end(index, Exit.void)
    expect(items().slice(4)).toEqual([["a4"]])
    expect(ended([...last, ...waiting])).toEqual(["c1!", "a4!"])
  })

  test("fails only the item that caused the failure", function* () {
    const { end, items, joinAll } = yield* controlled({ maxSize: 9, committers: 1 })
    yield* joinAll(["z0"])
    const fibers = yield* joinAll(["a1", "b1", "c1"])
    yield* end(0, Exit.void)
    yield* end(1, Exit.fail(new Refused(true)))
    yield* end(2, Exit.void)
    yield* end(3, Exit.fail(new Refused(true)))
    yield* end(4, Exit.void)
    expect(items().slice(1)).toEqual([["a1", "b1", "c1"], ["a1"], ["b1"], ["c1"]])
    expect(ended(fibers)).toEqual(["a1!", "failed", "c1!"])
  })

  test("R33: commits the next groups while a blocked item waits alone, and keeps its key", function* () {
    const { end, items, joinAll } = yield* controlled({ maxSize: 9, committers: 1 })
    const blocked = yield* joinAll(["a1"])
    yield* end(0, Exit.fail(new Refused(false, true)))
    expect(items()).toEqual([["a1"], ["a1"]])
    const others = yield* joinAll(["a1", "b1"])
    expect(items().slice(2)).toEqual([["b1"]])
    yield* end(2, Exit.void)
    expect(ended(others)).toEqual([undefined, "b1!"])
    yield* end(1, Exit.void)
    expect(ended(blocked)).toEqual(["a1!"])
    expect(items().slice(3)).toEqual([["a1"]])
    yield* end(3, Exit.void)
    expect(ended(others)).toEqual(["a1!", "b1!"])
  })

  test("completes every item and goes on if an observer throws an error", function* () {
    const { end, items, joinAll } = yield* controlled({ maxSize: 9, committers: 1 })
    yield* joinAll(["z0"])
    const fibers = yield* joinAll(["a1", "b1", "c1"])
    for (const fiber of fibers.slice(0, 2)) {
      fiber.addObserver(() => {
        throw new Error("a bug of an observer")
      })
    }
    yield* end(0, Exit.void)
    yield* end(1, Exit.void)
    expect(ended(fibers)).toEqual(["a1!", "b1!", "c1!"])
    const others = yield* joinAll(["a1"])
    yield* end(2, Exit.void)
    expect(items()).toEqual([["z0"], ["a1", "b1", "c1"], ["a1"]])
    expect(ended(others)).toEqual(["a1!"])
  })

  test("fails the whole group at once where the store failed", function* () {
    const { end, items, joinAll } = yield* controlled({ maxSize: 9, committers: 1 })
    yield* joinAll(["z0"])
    const fibers = yield* joinAll(["a1", "b1"])
    yield* end(0, Exit.void)
    yield* end(1, Exit.fail(new Refused(false)))
    expect(items()).toEqual([["z0"], ["a1", "b1"]])
    expect(ended(fibers)).toEqual(["failed", "failed"])
  })

  test("commits other groups while one commit hangs, and drops an item whose caller stopped waiting", function* () {
    const { end, items, joinAll, settled } = yield* controlled({ maxSize: 9, committers: 2 })
    yield* joinAll(["a1"])
    const second = yield* joinAll(["b1"])
    expect(items()).toEqual([["a1"], ["b1"]])
    const third = yield* joinAll(["c1", "d1"])
    yield* Fiber.interrupt(third[0] as Fiber.Fiber<string, Refused>)
    yield* settled
    yield* end(1, Exit.void)
    expect(ended(second)).toEqual(["b1!"])
    expect(items()).toEqual([["a1"], ["b1"], ["d1"]])
  })

  test("A29: looks at each item once, however many of one key wait", function* () {
    const group = yield* controlled({ maxSize: 64, committers: 1 })
    const { commits, end, items, joinAll, looks } = group
    yield* joinAll(["z0"])
    const replays = Array.from({ length: 100 }, (_, index) => `a${index % 2}`)
    const genuine = replays.map((_, index) => `${String.fromCodePoint(1000 + index)}1`)
    const fibers = yield* joinAll([...replays, ...genuine])
    for (let index = 0; index < commits.length; index++) yield* end(index, Exit.void)
    expect(ended(fibers)).toHaveLength(200)
    expect(ended(fibers)).not.toContain(undefined)
    expect(looks()).toBe(201)
    // Replays of one key that do not fit wait behind the other keys.
    expect(items().map(({ length }) => length)).toEqual([1, 64, 64, 64, 8])
  })

  test("A29: fails the item that is too much, in all or of one key and variant", function* () {
    const { end, joinAll } = yield* controlled({ maxSize: 3, committers: 1, maxWaiting: 5 })
    yield* joinAll(["z0"])
    const fibers = yield* joinAll(["a1", "a1", "a1", "a1", "b1", "c1", "d1"])
    const failed = () => ended(fibers).flatMap((each, at) => (each === "failed" ? [at] : []))
    expect(failed()).toEqual([3, 6])
    for (const index of [0, 1, 2]) yield* end(index, Exit.void)
    expect(failed()).toEqual([3, 6])
    const later = yield* joinAll(["d1"])
    yield* end(3, Exit.void)
    expect(ended(later)).toEqual(["d1!"])
  })
})
