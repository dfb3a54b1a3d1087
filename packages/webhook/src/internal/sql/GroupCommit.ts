/**
 * Group commit: what waits is committed together.
 *
 * **Details**
 *
 * A committer that is free takes whatever waits, so one that comes alone is committed alone and at
 * once, and what comes during a commit shares the next. Items with the same `key` are committed in the
 * order they came in: a key is in one commit at a time, and there with one `part`. A group that fails
 * for a reason that may be one item's is committed again item by item, so that nobody fails for
 * another's sake. Who stops waiting, or has waited too long, before a committer took his item is
 * forgotten.
 *
 * @since 0.1.0
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
  /** How many items a group may have, and how many groups may be under way. */
  readonly size: number
  readonly committers: number
  /** Commits items and gives their results in the same order. */
  readonly commit: (
    items: Arr.NonEmptyReadonlyArray<Item>
  ) => Effect.Effect<ReadonlyArray<Result>, E>
  /** Whether a failure may be that of one item alone. */
  readonly isOnes: (error: E) => boolean
  readonly place: (item: Item) => { readonly key: string; readonly part: string }
  readonly wait: AwaitResult<E>
}

/** Makes a function that commits an item in a group. */
export const make = Effect.fnUntraced(function* <Item, Result, E>({
  commit,
  committers,
  isOnes,
  place,
  size,
  wait
}: Options<Item, Result, E>): Effect.fn.Return<
  (item: Item) => Effect.Effect<Result, E>,
  never,
  Scope.Scope
> {
  interface Entry {
    readonly item: Item
    readonly answer: (exit: Exit.Exit<Result, E>) => void
  }
  const waiting = new Set<Entry>()
  const busy = new Set<string>()
  const news = yield* Latch.make()

  const take = (): ReadonlyArray<Entry> => {
    const group: Array<Entry> = []
    const parts = new Map<string, string>()
    const closed = new Set(busy)
    for (const entry of waiting) {
      if (group.length === size) break
      const { key, part } = place(entry.item)
      if ((parts.get(key) ?? part) !== part) closed.add(key)
      if (closed.has(key)) continue
      parts.set(key, part)
      group.push(entry)
    }
    for (const entry of group) waiting.delete(entry)
    for (const key of parts.keys()) busy.add(key)
    if (waiting.size === 0 || group.length === 0) news.closeUnsafe()
    return group
  }

  const commitAll = (group: ReadonlyArray<Entry>): Effect.Effect<void> => {
    const items = group.map(({ item }) => item)
    if (!Arr.isReadonlyArrayNonEmpty(items)) return Effect.void
    return Effect.flatMap(Effect.exit(commit(items)), (exit) => {
      if (Exit.isFailure(exit) && group.length > 1) {
        const error = Cause.findErrorOption(exit.cause)
        if (Option.isSome(error) && isOnes(error.value)) {
          return Effect.forEach(group, (entry) => commitAll([entry]), { discard: true })
        }
      }
      return Effect.sync(() =>
        group.forEach(({ answer }, index) =>
          answer(Exit.map(exit, (results) => results[index] as Result))
        )
      )
    })
  }

  const free = (group: ReadonlyArray<Entry>) =>
    Effect.sync(() => {
      for (const { item } of group) busy.delete(place(item).key)
      if (waiting.size > 0) news.openUnsafe()
    })

  const committer = news.await.pipe(
    Effect.andThen(
      Effect.suspend(() => {
        const group = take()
        return Effect.andThen(commitAll(group), free(group))
      })
    ),
    Effect.forever
  )
  yield* Effect.forEach(Arr.range(1, committers), () => Effect.forkScoped(committer), {
    discard: true
  })

  return (item) =>
    wait((answer) => {
      const entry: Entry = { item, answer }
      waiting.add(entry)
      news.openUnsafe()
      return () => waiting.delete(entry)
    })
})
