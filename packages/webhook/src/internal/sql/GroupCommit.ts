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
 * A group that fails because of one of its items is committed again item by item, so that the others
 * succeed. An item whose caller stops waiting or times out is dropped, unless its commit has begun.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
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
  /** Tells whether one item alone may have caused a failure. */
  readonly isItemError: (error: E) => boolean
  readonly keyOf: (item: Item) => { readonly key: string; readonly variant: string }
  readonly wait: AwaitResult<E>
  /** The most items that wait. */
  readonly maxWaiting: number
  readonly full: E
}

/** Makes a function that commits an item in a group. */
export const make = Effect.fnUntraced(function* <Item, Result, E>({
  commit,
  committers,
  full,
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

  interface Group {
    readonly items: ReadonlyArray<Waiting>
    readonly queues: ReadonlyArray<Queue>
  }

  const takeGroup = (): Group => {
    const items: Array<Waiting> = []
    const taken: Array<Queue> = []
    for (const queue of ready) {
      if (items.length === maxSize) break
      ready.delete(queue)
      inCommit.add(queue)
      taken.push(queue)
      for (const [variant, part] of queue.parts) {
        queue.parts.delete(variant)
        for (const each of part) {
          if (items.length === maxSize) break
          part.delete(each)
          items.push(each)
        }
        if (part.size > 0) queue.parts.set(variant, part)
        break
      }
    }
    waiting -= items.length
    if (ready.size === 0) hasWork.closeUnsafe()
    return { items, queues: taken }
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
      if (!part.delete(each)) return
      waiting--
      if (part.size === 0 && queue.parts.get(variant) === part) queue.parts.delete(variant)
      place(queue)
    }
  }

  const commitGroup = (group: ReadonlyArray<Waiting>): Effect.Effect<void> => {
    const items = group.map(({ item }) => item)
    if (!Arr.isReadonlyArrayNonEmpty(items)) return Effect.void
    return Effect.flatMap(Effect.exit(commit(items)), (exit) => {
      if (Exit.isFailure(exit) && group.length > 1) {
        const error = Cause.findErrorOption(exit.cause)
        if (Option.isSome(error) && isItemError(error.value)) {
          return Effect.forEach(group, (each) => commitGroup([each]), { discard: true })
        }
      }
      return Effect.sync(() =>
        group.forEach(({ complete }, index) =>
          complete(Exit.map(exit, (results) => results[index] as Result))
        )
      )
    })
  }

  const release = (taken: ReadonlyArray<Queue>) =>
    Effect.sync(() => {
      for (const queue of taken) {
        inCommit.delete(queue)
        place(queue)
      }
    })

  const committer = hasWork.await.pipe(
    Effect.andThen(
      Effect.suspend(() => {
        const group = takeGroup()
        return Effect.andThen(commitGroup(group.items), release(group.queues))
      })
    ),
    Effect.forever
  )
  yield* Effect.forEach(Arr.range(1, committers), () => Effect.forkScoped(committer), {
    discard: true
  })

  return (item) =>
    wait((complete) => {
      const remove = enqueue({ item, complete })
      if (remove === undefined) complete(Effect.fail(full))
      return remove ?? (() => undefined)
    })
})
