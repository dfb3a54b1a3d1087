/**
 * Group commit: commits the items that wait at the same time together.
 *
 * **Details**
 *
 * A free committer takes every waiting item, so a single item is committed at once, and the items that
 * come during a commit share the next one.
 *
 * Items with the same `key` are committed in the order in which they came: a key is in one commit at a time,
 * and in a commit all items of a key have the same `variant`.
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
}

/** Makes a function that commits an item in a group. */
export const make = Effect.fnUntraced(function* <Item, Result, E>({
  commit,
  committers,
  isItemError,
  keyOf,
  maxSize,
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
  const waiting = new Set<Waiting>()
  const keysInCommit = new Set<string>()
  const hasWork = yield* Latch.make()

  const takeGroup = (): ReadonlyArray<Waiting> => {
    const group: Array<Waiting> = []
    const variants = new Map<string, string>()
    const blockedKeys = new Set(keysInCommit)
    for (const each of waiting) {
      if (group.length === maxSize) break
      const { key, variant } = keyOf(each.item)
      if ((variants.get(key) ?? variant) !== variant) blockedKeys.add(key)
      if (blockedKeys.has(key)) continue
      variants.set(key, variant)
      group.push(each)
    }
    for (const each of group) waiting.delete(each)
    for (const key of variants.keys()) keysInCommit.add(key)
    if (waiting.size === 0 || group.length === 0) hasWork.closeUnsafe()
    return group
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

  const releaseKeys = (group: ReadonlyArray<Waiting>) =>
    Effect.sync(() => {
      for (const { item } of group) keysInCommit.delete(keyOf(item).key)
      if (waiting.size > 0) hasWork.openUnsafe()
    })

  const committer = hasWork.await.pipe(
    Effect.andThen(
      Effect.suspend(() => {
        const group = takeGroup()
        return Effect.andThen(commitGroup(group), releaseKeys(group))
      })
    ),
    Effect.forever
  )
  yield* Effect.forEach(Arr.range(1, committers), () => Effect.forkScoped(committer), {
    discard: true
  })

  return (item) =>
    wait((complete) => {
      const each: Waiting = { item, complete }
      waiting.add(each)
      hasWork.openUnsafe()
      return () => waiting.delete(each)
    })
})
