/**
 * Group commit: commits the waiting items together.
 *
 * A free committer takes at most `maxSize` waiting items. A key is in one commit at a time, its
 * items in order.
 *
 * At most `maxWaiting` items wait, and at most `maxSize` with the same key and variant; the next
 * one fails with `full`.
 *
 * If one item fails or blocks its group, the group is committed again item by item. An item whose
 * caller stops waiting is dropped, unless its commit has begun.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { AwaitResult } from "./SharedTimeout.ts"

interface Options<Item, Result, E> {
  readonly maxSize: number
  readonly committers: number
  /** Commits items; `isAlone` is true for an item whose group failed. */
  readonly commit: (
    items: Arr.NonEmptyReadonlyArray<Item>,
    isAlone: boolean
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<Result, E>>>
  readonly isItemError: (error: E) => boolean
  /** Tells whether an error blocks an item, whose commit alone then waits. */
  readonly isBlocked: (error: E) => boolean
  readonly keyOf: (item: Item) => { readonly key: string; readonly variant: string }
  readonly wait: AwaitResult<E>
  readonly maxWaiting: number
  readonly full: E
}

const maxAlone = 4

export const make = Effect.fnUntraced(function* <Item, Result, E>({
  commit,
  committers,
  full,
  isBlocked,
  isItemError,
  keyOf,
  maxSize,
  maxWaiting,
  wait
}: Options<Item, Result, E>): Effect.fn.Return<
  (item: Item) => Effect.Effect<Result, E>,
  never,
  Scope.Scope
> {
  interface Waiting {
    readonly item: Item
    readonly complete: (exit: Exit.Exit<Result, E>) => void
    readonly key: string
    readonly variant: string
    isDropped: boolean
  }
  interface Queue {
    readonly key: string
    readonly items: Set<Waiting>
    readonly counts: Map<string, number>
  }
  const queues = new Map<string, Queue>()
  const ready = new Set<Queue>()
  const inCommit = new Set<Queue>()
  let waiting = 0
  const hasWork = yield* Latch.make()

  interface Taken {
    readonly queue: Queue
    readonly items: ReadonlyArray<Waiting>
  }

  const take = ({ counts, items }: Queue, each: Waiting): boolean => {
    if (!items.delete(each)) return false
    counts.set(each.variant, (counts.get(each.variant) ?? 0) - 1)
    return true
  }

  const takeGroup = (): ReadonlyArray<Taken> => {
    const group: Array<Taken> = []
    let size = 0
    for (const queue of ready) {
      if (size === maxSize) break
      ready.delete(queue)
      inCommit.add(queue)
      const items = Array.from(queue.items).slice(0, maxSize - size)
      for (const each of items) take(queue, each)
      size += items.length
      group.push({ queue, items })
    }
    waiting -= size
    if (ready.size === 0) hasWork.closeUnsafe()
    return group
  }

  const place = (queue: Queue): void => {
    if (inCommit.has(queue)) return
    if (queue.items.size === 0) {
      ready.delete(queue)
      queues.delete(queue.key)
      return
    }
    ready.add(queue)
    hasWork.openUnsafe()
  }

  const enqueue = (each: Waiting): (() => void) | undefined => {
    const { key } = each
    const queue = queues.get(key) ?? { key, items: new Set<Waiting>(), counts: new Map() }
    const count = queue.counts.get(each.variant) ?? 0
    if (waiting >= maxWaiting || count >= maxSize) return undefined
    queues.set(key, queue)
    queue.items.add(each)
    queue.counts.set(each.variant, count + 1)
    waiting++
    place(queue)
    return () => {
      each.isDropped = true
      if (!take(queue, each)) return
      waiting--
      place(queue)
    }
  }

  /** Completes an item; the functions of `wait` do not throw. */
  const completeAt = (
    items: ReadonlyArray<Waiting>,
    exits: ReadonlyArray<Exit.Exit<Result, E>>
  ): void =>
    items.forEach(({ complete }, index) =>
      complete(exits[index] ?? Exit.die(new Error("A commit returned too few results")))
    )

  const release = (group: ReadonlyArray<Taken>): void => {
    for (const { queue } of group) {
      inCommit.delete(queue)
      place(queue)
    }
  }

  const alone = yield* Semaphore.make(maxAlone)
  const commitEachAlone = (items: ReadonlyArray<Waiting>) =>
    Effect.forEach(
      items,
      (each) =>
        Effect.suspend(() =>
          each.isDropped
            ? Effect.void
            : Effect.map(commit([each.item], true), (exits) => completeAt([each], exits))
        ).pipe(Semaphore.withPermit(alone)),
      { discard: true }
    )

  const mayPassAlone = (exit: Exit.Exit<unknown, E> | undefined, size: number): boolean => {
    if (exit === undefined || Exit.isSuccess(exit)) return false
    const error = Cause.findErrorOption(exit.cause)
    return Option.isSome(error)
      ? isBlocked(error.value) || (size > 1 && isItemError(error.value))
      : size > 1 && Cause.hasDies(exit.cause)
  }

  const commitGroup = (group: ReadonlyArray<Taken>): Effect.Effect<void> => {
    const items = group.flatMap(({ items }) => items)
    if (!Arr.isArrayNonEmpty(items)) return Effect.sync(() => release(group))
    return Effect.flatMap(
      Effect.exit(
        commit(
          Arr.map(items, ({ item }) => item),
          false
        )
      ),
      (whole) => {
        const exits: ReadonlyArray<Exit.Exit<Result, E>> = Exit.isSuccess(whole)
          ? whole.value
          : items.map(() => Exit.failCause(whole.cause))
        const exitOf = new Map(items.map((each, index) => [each, exits[index]]))
        const again = items.filter((each) => mayPassAlone(exitOf.get(each), items.length))
        const done = items.filter((each) => !again.includes(each))
        completeAt(
          done,
          done.flatMap((each) => exitOf.get(each) ?? [])
        )
        if (again.length === 0) return Effect.sync(() => release(group))
        return Effect.forEach(
          group,
          (taken) =>
            Effect.andThen(
              commitEachAlone(taken.items.filter((each) => again.includes(each))),
              Effect.sync(() => release([taken]))
            ),
          { concurrency: "unbounded", discard: true }
        ).pipe(Effect.forkIn(scope), Effect.asVoid)
      }
    )
  }

  const scope = yield* Effect.scope
  const committer = hasWork.await.pipe(
    Effect.andThen(Effect.suspend(() => commitGroup(takeGroup()))),
    Effect.forever
  )
  yield* Effect.forEach(Arr.range(1, committers), () => Effect.forkScoped(committer), {
    discard: true
  })

  return (item) =>
    wait((complete) => {
      const remove = enqueue({ item, ...keyOf(item), complete, isDropped: false })
      if (remove === undefined) complete(Effect.fail(full))
      return remove ?? (() => undefined)
    })
})
