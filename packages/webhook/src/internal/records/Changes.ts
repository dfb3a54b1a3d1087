/**
 * Changes documents by pure rules.
 *
 * A rule runs on the known document, or assumes that there is none. It runs again on the stored
 * document if the version differs or nothing changes. The third and last round locks the document.
 * After a conflict the next changes of the document lock it at once.
 *
 * Waiting changes share a commit; those of one document run in order.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { makeCache } from "./Cache.ts"
import * as Known from "./Known.ts"
import { type Collection, collections, type Store } from "./Records.ts"
import { fold, type Rule } from "./Rule.ts"

/** The sharing of commits among the changes of a process, for a store outside of it. */
export interface Sharing {
  /**
   * Runs a step for at most three seconds, and repeats it after a conflict unless its error
   * `isFinal`.
   */
  readonly run: <A>(
    step: Effect.Effect<A, SqlError>,
    isFinal?: (error: SqlError) => boolean
  ) => Effect.Effect<A, SqlError>
  readonly groupOf: (
    committers: number,
    commit: (
      items: ReadonlyArray<Item>,
      isAlone: boolean
    ) => Effect.Effect<ReadonlyArray<Exit.Exit<Done, SqlError>>>
  ) => Effect.Effect<Commit, never, Scope.Scope>
  readonly isBlocked: (error: SqlError) => boolean
}

/** Returns the first version of a document, or the one after `last`. */
export type NextVersion = (last?: number) => number

export interface Item {
  readonly collection: Collection
  readonly key: string
  readonly variant: string
  readonly rule: Rule<unknown, unknown>
}

interface Task {
  readonly key: string
  readonly items: Array<{ readonly rule: Item["rule"]; readonly position: number }>
  known: Known.Known | undefined
}

export type Done = Result.Result<unknown, Known.Unreadable>

type Commit = (item: Item) => Effect.Effect<Done, SqlError>

type Change = (
  collection: Collection,
  key: string,
  rule: Item["rule"],
  variant?: string
) => Effect.Effect<Done, SqlError>

const maxRounds = 2
/** The changes of a document after which a conflict makes the next one lock it at once. */
const lockedChanges = 256

export const make = Effect.fnUntraced(function* <Stored>(
  store: Store<Stored>,
  known: ReturnType<typeof Known.make<Stored>>,
  nextVersion: NextVersion,
  sharing: Sharing | undefined
): Effect.fn.Return<Change, never, Scope.Scope> {
  const contended = makeCache<number>(1024)

  const round = Effect.fnUntraced(function* (
    collection: Collection,
    tasks: ReadonlyArray<Task>,
    done: Array<Done | undefined>,
    effects: Array<() => void>,
    isLocked: boolean,
    isInside: boolean
  ): Effect.fn.Return<ReadonlyArray<Task>, SqlError> {
    effects.length = 0
    const unknown = tasks.filter(({ known }) => known === undefined)
    if (unknown.length > 0) {
      const lines = yield* store.load(
        collection,
        unknown.map(({ key }) => key),
        isLocked
      )
      const byKey = new Map(lines.map((line) => [line.key, line]))
      for (const task of unknown) {
        const line = byKey.get(task.key)
        task.known = line === undefined ? Known.absent(true) : known.read(collection, line)
      }
    }
    const again: Array<Task> = []
    const finish = ({ items }: Task, results: ReadonlyArray<Done>) =>
      effects.push(() => items.forEach(({ position }, at) => (done[position] = results[at])))
    const changes = tasks.flatMap((task) => {
      const { known: last } = task
      if (last === undefined) return []
      const { value } = last
      if (Result.isFailure(value)) {
        finish(
          task,
          task.items.map(() => Result.fail(value.failure))
        )
        return []
      }
      const version = nextVersion(last.version)
      const rules = task.items.map(({ rule }) => rule)
      const change = fold(rules, value.success, version)
      if (change.isChanged) {
        const next = { key: task.key, ...change, version }
        return [{ task, ...change, write: known.writeOf(collection, last, next) }]
      }
      if (last.isSure) finish(task, change.results.map(Result.succeed))
      else {
        task.known = undefined
        again.push(task)
      }
      return []
    })
    if (changes.length === 0) return again
    const conflicts = yield* store.commit(
      collection,
      changes.map(({ write }) => write)
    )
    for (const { results, task, value, wakes, write } of changes) {
      if (conflicts.has(task.key)) {
        const line = conflicts.get(task.key)
        task.known = line && known.read(collection, line)
        known.forget(collection, task.key)
        contended.set(Known.idOf(collection, task.key), lockedChanges)
        again.push(task)
        continue
      }
      finish(task, results.map(Result.succeed))
      if (isInside) {
        known.forget(collection, task.key)
        yield* store.afterCommit(Effect.sync(() => known.keep(collection, write, value, wakes)))
      } else effects.push(() => known.keep(collection, write, value, wakes))
    }
    return again
  })

  const rounds = Effect.fnUntraced(function* (
    collection: Collection,
    tasks: ReadonlyArray<Task>,
    done: Array<Done | undefined>,
    {
      committed,
      isInside,
      isLocked: isLockedAtOnce,
      step
    }: {
      readonly committed: (effects: ReadonlyArray<() => void>) => void
      readonly isInside: boolean
      readonly isLocked: boolean
      readonly step: Sharing["run"]
    }
  ) {
    let open = tasks
    for (let count = 0; open.length > 0; count++) {
      const isLocked = isInside || isLockedAtOnce || count >= maxRounds
      if (isLocked) for (const task of open) task.known = undefined
      const effects: Array<() => void> = []
      const work = round(collection, open, done, effects, isLocked, isInside)
      open = yield* step(isLocked && !isInside ? store.atomically(work) : work)
      committed(effects)
    }
  })

  const tasksOf = (items: ReadonlyArray<Item>, usesCache: boolean): ReadonlyArray<Task> => {
    const tasks = new Map<string, Task>()
    items.forEach(({ collection, key, rule }, position) => {
      const last = usesCache ? known.last(collection, key) : undefined
      const task = tasks.get(key) ?? { key, items: [], known: last }
      task.items.push({ rule, position })
      tasks.set(key, task)
    })
    return [...tasks.values()].toSorted((one, two) => (one.key < two.key ? -1 : 1))
  }

  const alone = Effect.fnUntraced(function* (item: Item) {
    const done: Array<Done | undefined> = []
    yield* rounds(item.collection, tasksOf([item], false), done, {
      committed: apply,
      isInside: true,
      isLocked: true,
      step: (work) => work
    })
    return done[0] as Done
  })

  if (sharing === undefined) {
    return (collection, key, rule, variant = "") => alone({ collection, key, variant, rule })
  }
  const { groupOf, isBlocked, run } = sharing

  type Exits = ReadonlyArray<Exit.Exit<Done, SqlError>>

  const countLocked = (items: ReadonlyArray<Item>): void => {
    for (const { collection, key } of items) {
      const id = Known.idOf(collection, key)
      const left = contended.get(id) ?? 0
      contended.set(id, left > 1 ? left - 1 : undefined)
    }
  }

  const commit = (
    items: ReadonlyArray<Item>,
    isAlone: boolean,
    isLocked: boolean
  ): Effect.Effect<Exits> => {
    const [first] = items
    if (first === undefined) return Effect.succeed([])
    if (isLocked) countLocked(items)
    const done: Array<Done | undefined> = []
    const step: Sharing["run"] = (work) => run(work, isAlone ? undefined : isBlocked)
    const whole: Sharing["run"] = (work) => work
    const isWhole = store.committers === 1
    const effects: Array<() => void> = []
    const work = Effect.suspend(() => {
      effects.length = 0
      return rounds(first.collection, tasksOf(items, true), done, {
        committed: isWhole ? (each) => effects.push(...each) : apply,
        isInside: false,
        isLocked,
        step: isWhole ? whole : step
      })
    })
    return Effect.map(Effect.exit(isWhole ? step(store.together(work)) : work), (exit): Exits => {
      if (Exit.isSuccess(exit)) apply(effects)
      return items.map((_, position) => {
        const result = done[position]
        if (result !== undefined) return Exit.succeed(result)
        return Exit.isFailure(exit)
          ? Exit.failCause(exit.cause)
          : Exit.die(new Error("A change was lost"))
      })
    })
  }

  const groups = new Map<Collection, { readonly free: Commit; readonly locked: Commit }>()
  for (const collection of collections) {
    const makeGroup = (committers: number, isLocked: boolean) =>
      groupOf(committers, (items, isAlone) => commit(items, isAlone, isLocked))
    const free = yield* makeGroup(store.committers, false)
    // A single committer waits for nobody. Otherwise commits that lock documents wait for each
    // other.
    const locked = store.committers === 1 ? free : yield* makeGroup(1, true)
    groups.set(collection, { free, locked })
  }

  return (collection, key, rule, variant = "") => {
    const item = { collection, key, variant, rule }
    return Effect.flatMap(store.isInTransaction, (isInside) => {
      if (isInside) return alone(item)
      const { free, locked } = groups.get(collection) ?? noGroups
      const isFree = contended.get(Known.idOf(collection, key)) === undefined
      return (isFree ? free : locked)(item)
    })
  }
})

const apply = (effects: ReadonlyArray<() => void>): void => {
  for (const effect of effects) effect()
}

const noGroups = { free: () => Effect.never, locked: () => Effect.never }
