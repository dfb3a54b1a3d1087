/**
 * Group commit: commits the items that wait at the same time together.
 *
 * **Details**
 *
 * A free committer takes every waiting item, so a single item is committed at once, and the items that
 * come during a commit share the next one.
 *
 * A key is in one commit at a time, and in a commit all items of a key have the same `variant`. Items with the same
 * key and variant are committed in the order in which they came. The variants of a key take turns, and so do the
 * keys, so that many items of one key do not delay the others. The work for an item does not depend on the number
 * of waiting items.
 *
 * At most `maxWaiting` items wait in all, and at most `maxSize` with the same key and variant. The next one fails with
 * `full` at once.
 *
 * A group that fails because of one of its items, or because something blocks one of them, is committed again item by
 * item beside the next groups, so that the others succeed. An item whose caller stops waiting or times out is dropped,
 * unless its commit has begun.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { AwaitResult } from "../SharedTimeout.ts"

interface Options<Item, Result, E> {
  /** The most items in a group. */
  readonly maxSize: number
  /** The most commits at a time. */
  readonly committers: number
  /** Commits items and returns their results in the same order. */
  readonly commit: (
    items: Arr.NonEmptyReadonlyArray<Item>
  ) => Effect.Effect<ReadonlyArray<Result>, E>
  /** Commits one item of a group that failed. */
  readonly commitAlone: (item: Item) => Effect.Effect<ReadonlyArray<Result>, E>
  /** Tells whether one item alone may have caused a failure. */
  readonly isItemError: (error: E) => boolean
  /** Tells whether an item is blocked. `commitAlone` waits for it, and no committer does. */
  readonly isBlocked: (error: E) => boolean
  readonly keyOf: (item: Item) => { readonly key: string; readonly variant: string }
  readonly wait: AwaitResult<E>
  /** The most items that wait. */
  readonly maxWaiting: number
  readonly full: E
}

/** The most items that are committed alone at a time. */
const maxAlone = 4

/** Makes a function that commits an item in a group. */
export const make = Effect.fnUntraced(function* <Item, Result, E>({
  commit,
  commitAlone,
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
    isDropped: boolean
  }
  /** The waiting items of a key, by variant. The variant whose turn is next comes first. */
  interface Queue {
    readonly key: string
    readonly parts: Map<string, Set<Waiting>>
  }
  const queues = new Map<string, Queue>()
  /** The queues with waiting items that are in no commit. The one whose turn is next comes first. */
  const ready = new Set<Queue>()
  const inCommit = new Set<Queue>()
  let waiting = 0
  const hasWork = yield* Latch.make()

  /** The items of a queue in a group. */
  interface Taken {
    readonly queue: Queue
    readonly items: ReadonlyArray<Waiting>
  }

  const takeGroup = (): ReadonlyArray<Taken> => {
    const group: Array<Taken> = []
    let size = 0
    for (const queue of ready) {
      if (size === maxSize) break
      ready.delete(queue)
      inCommit.add(queue)
      const items: Array<Waiting> = []
      for (const [variant, part] of queue.parts) {
        queue.parts.delete(variant)
        for (const each of part) {
          if (size === maxSize) break
          part.delete(each)
          items.push(each)
          size++
        }
        if (part.size > 0) queue.parts.set(variant, part)
        break
      }
      group.push({ queue, items })
    }
    waiting -= size
    if (ready.size === 0) hasWork.closeUnsafe()
    return group
  }

  /** Puts a queue in its place: it waits for its turn, or it is empty and removed. */
  const place = (queue: Queue): void => {
    if (inCommit.has(queue)) return
    if (queue.parts.size === 0) {
      ready.delete(queue)
      queues.delete(queue.key)
      return
    }
    ready.add(queue)
    hasWork.openUnsafe()
  }

  const enqueue = (each: Waiting): (() => void) | undefined => {
    const { key, variant } = keyOf(each.item)
    const queue = queues.get(key) ?? { key, parts: new Map<string, Set<Waiting>>() }
    const part = queue.parts.get(variant) ?? new Set()
    if (waiting >= maxWaiting || part.size >= maxSize) return undefined
    queues.set(key, queue)
    queue.parts.set(variant, part)
    part.add(each)
    waiting++
    place(queue)
    return () => {
      each.isDropped = true
      if (!part.delete(each)) return
      waiting--
      if (part.size === 0 && queue.parts.get(variant) === part) queue.parts.delete(variant)
      place(queue)
    }
  }

  /** Completes items. None can end the committer, because the functions of `wait` do not throw errors. */
  const complete = (items: ReadonlyArray<Waiting>, exit: Exit.Exit<ReadonlyArray<Result>, E>) =>
    items.forEach(({ complete }, index) =>
      complete(Exit.map(exit, (results) => results[index] as Result))
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
            : Effect.map(Effect.exit(commitAlone(each.item)), (exit) => complete([each], exit))
        ).pipe(Semaphore.withPermit(alone)),
      { discard: true }
    )

  const mayPassAlone = (exit: Exit.Exit<unknown, E>, size: number): boolean => {
    if (Exit.isSuccess(exit)) return false
    const error = Cause.findErrorOption(exit.cause)
    return (
      Option.isSome(error) && (isBlocked(error.value) || (size > 1 && isItemError(error.value)))
    )
  }

  const commitGroup = (group: ReadonlyArray<Taken>): Effect.Effect<void> => {
    const items = group.flatMap(({ items }) => items)
    if (!Arr.isArrayNonEmpty(items)) return Effect.sync(() => release(group))
    return Effect.flatMap(Effect.exit(commit(Arr.map(items, ({ item }) => item))), (exit) => {
      if (!mayPassAlone(exit, items.length)) {
        complete(items, exit)
        return Effect.sync(() => release(group))
      }
      return Effect.forEach(
        group,
        (taken) =>
          Effect.andThen(
            commitEachAlone(taken.items),
            Effect.sync(() => release([taken]))
          ),
        { concurrency: "unbounded", discard: true }
      ).pipe(Effect.forkIn(scope), Effect.asVoid)
    })
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
      const remove = enqueue({ item, complete, isDropped: false })
      if (remove === undefined) complete(Effect.fail(full))
      return remove ?? (() => undefined)
    })
})
