/**
 * The engine: changes documents by pure rules, and leases those that are due.
 *
 * A rule runs on the cached document, or assumes that there is none. It runs again on the stored
 * document if the version differs or the rule changes nothing. The third round locks the document,
 * so a change ends in three rounds. After a conflict the next changes of the document lock it at
 * once.
 *
 * Waiting changes share a commit. Those of one document run one after the other.
 *
 * A document that cannot be decoded fails only its own changes, with `Unreadable`. A claim lists
 * it, and leases it again after five minutes.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import type * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import {
  type Collection,
  collections,
  type DueRange,
  type Index,
  laneCount,
  type Line,
  type ListPlace,
  type Page,
  type Store,
  type Text,
  type Write
} from "./Records.ts"
import * as Room from "./Room.ts"
import * as DueSearch from "./DueSearch.ts"
import { transactionOf } from "../documents/Fields.ts"
import { unreadable } from "../rule/StoredRow.ts"
import { type Codecs, indexOf, type Values } from "./Codecs.ts"

export class Unreadable extends Data.TaggedError("Unreadable")<{ readonly key: string }> {}

export const orDie =
  (name: string) =>
  <A>(call: Effect.Effect<A, StoreUnavailable | Unreadable>): Effect.Effect<A, StoreUnavailable> =>
    Effect.catchTag(call, "Unreadable", ({ key }) => Effect.die(notRead(name, key)))

const notRead = (name: string, key: string) =>
  new Error(`${name} ${key} cannot be read: restore it from a backup`)

export interface Outcome<Value, A> {
  /** The new value: the same one changes nothing, and undefined deletes the document. */
  readonly value: Value | undefined
  readonly result: A
  /** Texts that are removed before those of `put` are written. */
  readonly remove?: ReadonlyArray<string> | undefined
  readonly put?: ReadonlyArray<Text> | undefined
  /** Whether the change wakes the workers of this process. */
  readonly wakes?: boolean | undefined
}

/**
 * Function that changes a document. `version` is that of its commit, which other changes of the
 * document may share. A rule that deletes a document also removes the texts that it knows, because
 * a later change of the commit may make the document again.
 */
export type Rule<Value, A> = (value: Value | undefined, version: number) => Outcome<Value, A>

export interface Found<Value> {
  readonly key: string
  readonly value: Value
}

export interface Listed<Value> extends Found<Value> {
  readonly at: number
}

export interface PageOf<Name extends Collection> {
  readonly found: ReadonlyArray<Found<Values[Name]>>
  /** The last document of the page; undefined on the last page. */
  readonly last: string | undefined
}

export interface Options {
  readonly codecs: Codecs<unknown>
  /** Whether the store is in the process: then it has no cache, no groups and no time-outs. */
  readonly isLocal: boolean
  readonly drawVersion: () => number
  readonly pollInterval: Duration.Duration
  readonly time?: ((clock: Clock.Clock) => number) | undefined
  readonly compact: Effect.Effect<void, SqlError>
  readonly refresh?: Effect.Effect<void, SqlError>
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
  readonly retire: (error: SqlError) => Effect.Effect<void>
  readonly isBlocked: (error: SqlError) => boolean
  /** The time between searches from the start, in nanoseconds. */
  readonly fullSearchInterval: bigint
}

interface Known {
  readonly value: Result.Result<unknown, Unreadable>
  readonly version: number | undefined
  readonly isSure: boolean
}

export interface Item {
  readonly collection: Collection
  readonly key: string
  readonly variant: string
  readonly rule: Rule<unknown, unknown>
}

interface Task {
  readonly key: string
  readonly items: Array<{ readonly rule: Item["rule"]; readonly position: number }>
  known: Known | undefined
}

export type Done = Result.Result<unknown, Unreadable>

type Commit = (item: Item) => Effect.Effect<Done, SqlError>

/** The milliseconds after which an unreadable document is leased again. */
const unreadablePause = 300_000
const maxRounds = 2
/** The changes of a document after which a conflict makes the next one lock it at once. */
const lockedChanges = 256

export const make = Effect.fnUntraced(function* <Stored>(
  measured: Store<Stored>,
  options: Options
) {
  const { commit: commitIn, level } = Room.make(measured, yield* Room.Limit)
  const store = { ...measured, commit: commitIn }
  const { drawVersion, isLocal, run } = options
  const codecs = options.codecs as Codecs<Stored>
  const cache = DueSearch.makeCache<Known>(isLocal ? 0 : 8192)
  const contended = DueSearch.makeCache<number>(isLocal ? 0 : 1024)
  const search = DueSearch.make(options.fullSearchInterval)
  const work = {
    transactions: yield* Latch.make(),
    requests: yield* Latch.make(),
    quarantine: yield* Latch.make(),
    settings: yield* Latch.make()
  } satisfies Record<Collection, unknown>

  const unavailable = <A>(call: Effect.Effect<A, SqlError>) =>
    call.pipe(
      Effect.tapError(options.retire),
      Effect.mapError((cause) => new StoreUnavailable({ cause }))
    )
  const bounded = <A>(call: Effect.Effect<A, SqlError>) => unavailable(run(call))

  const knownOf = (collection: Collection, line: Line<Stored>): Known => ({
    value: Result.try({
      try: () => codecs[collection].decode(line.document, line.key),
      catch: () => new Unreadable({ key: line.key })
    }),
    version: line.version,
    isSure: true
  })

  const valuesOf = <Name extends Collection>(
    collection: Name,
    lines: ReadonlyArray<Line<Stored>>,
    isStrict = false
  ): ReadonlyArray<Found<Values[Name]>> =>
    lines.flatMap((line) => {
      const { value } = knownOf(collection, line)
      if (isStrict && Result.isFailure(value)) throw notRead("The document", line.key)
      const read = Result.isSuccess(value)
        ? value.success
        : collection === "transactions"
          ? unreadable(transactionOf(line.key), line.listedAt ?? 0)
          : undefined
      return read === undefined ? [] : [{ key: line.key, value: read as Values[Name] }]
    })

  const fold = ({ items, key }: Task, base: unknown, version: number) => {
    let value = base
    let wakes = false
    const texts = new Map<string, Text | undefined>()
    const results = items.map(({ rule }) => {
      const outcome = rule(value, version)
      value = outcome.value
      wakes ||= outcome.wakes === true
      outcome.remove?.forEach((name) => texts.set(name, undefined))
      outcome.put?.forEach((text) => texts.set(text.name, text))
      return outcome.result
    })
    const isChanged = value !== base || (value !== undefined && texts.size > 0)
    return { key, value, wakes, texts, results, isChanged }
  }

  const writeOf = (
    collection: Collection,
    { version: expected }: Known,
    {
      key,
      texts,
      value,
      version
    }: {
      readonly key: string
      readonly value: unknown
      readonly version: number
      readonly texts: ReadonlyMap<string, Text | undefined>
    }
  ): Write<Stored> => {
    return {
      key,
      expected,
      version,
      document: value === undefined ? value : codecs[collection].encode(value),
      index: value === undefined ? nowhere : indexOf[collection](value),
      put: [...texts].flatMap(([, text]) => text ?? []),
      remove: [...texts].flatMap(([name, text]) => (text ? [] : name))
    }
  }

  const idOf = (collection: Collection, key: string) => `${collection} ${key}`

  const keep = (
    collection: Collection,
    { document, index, key, version }: Write<Stored>,
    value: unknown,
    wakes: boolean
  ): void => {
    const known = { value: Result.succeed(value), version, isSure: false }
    cache.set(idOf(collection, key), document === undefined ? undefined : known)
    search.note(collection, index)
    if (wakes) work[collection].openUnsafe()
  }

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
        task.known = line === undefined ? absent(true) : knownOf(collection, line)
      }
    }
    const again: Array<Task> = []
    const finish = ({ items }: Task, results: ReadonlyArray<Done>) =>
      effects.push(() => items.forEach(({ position }, at) => (done[position] = results[at])))
    const changes = tasks.flatMap((task) => {
      const { known } = task
      if (known === undefined) return []
      const { value } = known
      if (Result.isFailure(value)) {
        finish(
          task,
          task.items.map(() => Result.fail(value.failure))
        )
        return []
      }
      const version = known.version === undefined ? drawVersion() : known.version + 1
      const change = fold(task, value.success, version)
      if (change.isChanged) {
        return [{ task, ...change, write: writeOf(collection, known, { ...change, version }) }]
      }
      if (known.isSure) finish(task, change.results.map(Result.succeed))
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
      const id = idOf(collection, task.key)
      if (conflicts.has(task.key)) {
        const line = conflicts.get(task.key)
        task.known = line && knownOf(collection, line)
        cache.set(id, undefined)
        contended.set(id, lockedChanges)
        again.push(task)
        continue
      }
      finish(task, results.map(Result.succeed))
      if (isInside) {
        cache.set(id, undefined)
        yield* store.afterCommit(Effect.sync(() => keep(collection, write, value, wakes)))
      } else effects.push(() => keep(collection, write, value, wakes))
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
      readonly step: Options["run"]
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
      const known = usesCache ? (cache.get(idOf(collection, key)) ?? absent(false)) : undefined
      const task = tasks.get(key) ?? { key, items: [], known }
      task.items.push({ rule, position })
      tasks.set(key, task)
    })
    return [...tasks.values()].toSorted((one, two) => (one.key < two.key ? -1 : 1))
  }

  type Exits = ReadonlyArray<Exit.Exit<Done, SqlError>>

  const countLocked = (items: ReadonlyArray<Item>): void => {
    for (const { collection, key } of items) {
      const id = idOf(collection, key)
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
    const step: Options["run"] = (work) => run(work, isAlone ? undefined : options.isBlocked)
    const whole: Options["run"] = (work) => work
    const isWhole = store.committers === 1
    const effects: Array<() => void> = []
    const work = Effect.suspend(() => {
      effects.length = 0
      return rounds(first.collection, tasksOf(items, !isLocal), done, {
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
  for (const collection of isLocal ? [] : collections) {
    const makeGroup = (committers: number, isLocked: boolean) =>
      options.groupOf(committers, (items, isAlone) => commit(items, isAlone, isLocked))
    const free = yield* makeGroup(store.committers, false)
    // A single committer waits for nobody. Otherwise commits that lock documents wait for each
    // other.
    const locked = store.committers === 1 ? free : yield* makeGroup(1, true)
    groups.set(collection, { free, locked })
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

  /**
   * Changes a document in one durable step, or in the caller's transaction. At most 128 changes of
   * a key and `variant` wait.
   */
  const change = <Name extends Collection, A>(
    collection: Name,
    key: string,
    rule: Rule<Values[Name], A>,
    variant = ""
  ): Effect.Effect<A, StoreUnavailable | Unreadable> => {
    const item = { collection, key, variant, rule: rule as Item["rule"] }
    const changed = isLocal
      ? alone(item)
      : Effect.flatMap(store.isInTransaction, (isInside) =>
          isInside
            ? alone(item)
            : Effect.suspend(() => {
                const { free, locked } = groups.get(collection) ?? noGroups
                return (contended.get(idOf(collection, key)) === undefined ? free : locked)(item)
              })
        )
    return Effect.flatMap(unavailable(changed), (done) =>
      Effect.fromResult(done as Result.Result<A, Unreadable>)
    )
  }

  const parkUnreadable = (
    collection: Collection,
    lines: ReadonlyArray<Line<Stored> & { readonly lane: number }>,
    at: number
  ): Effect.Effect<void, SqlError> =>
    lines.length === 0
      ? Effect.void
      : Effect.asVoid(
          store.commit(
            collection,
            lines.map(({ document, key, lane, listedAt = at, version }) => {
              const due = Array.from({ length: laneCount }, (_, each) =>
                each === lane ? at + unreadablePause : undefined
              )
              return {
                key,
                expected: version,
                version: version + 1,
                document,
                index: { ...nowhere, due, listed: [listedAt, listedAt], parts: 1 },
                put: [],
                remove: []
              }
            })
          )
        )

  /** Leases documents, but none that another process changed meanwhile. */
  const lease = Effect.fnUntraced(function* <Name extends Collection, A>(
    collection: Name,
    asked: DueSearch.Asked,
    take: (
      found: ReadonlyArray<Found<Values[Name]> & { readonly version: number }>
    ) => ReadonlyMap<string, { readonly value: Values[Name]; readonly result: ReadonlyArray<A> }>
  ): Effect.fn.Return<
    {
      readonly taken: ReadonlyArray<A>
      readonly dueAt: number | undefined
      readonly unreadable: ReadonlyArray<string>
    },
    StoreUnavailable
  > {
    if (asked.limits.every((limit) => limit === undefined)) return noWork
    const searching = yield* search.begin(collection, asked)
    let soonestFound: number | undefined
    const ranges = DueSearch.rangesOf(searching)
    const lines = yield* bounded(
      Effect.andThen(options.refresh ?? Effect.void, store.due(collection, ranges))
    ).pipe(
      Effect.tap((found) =>
        Effect.sync(() => {
          soonestFound = Math.min(...found.map(({ at }) => at))
        })
      ),
      Effect.ensuring(Effect.sync(() => search.end(collection, searching, soonestFound)))
    )
    const later = lines.filter(({ document }) => document === undefined).map(({ at }) => at)
    const documents = new Map(
      lines.flatMap((line) => {
        const { document } = line
        if (document === undefined) return []
        const read = { ...line, document }
        return [[line.key, { line: read, known: knownOf(collection, read) }] as const]
      })
    )
    const readable = [...documents.values()].flatMap(({ known, line }) =>
      Result.isSuccess(known.value)
        ? [
            {
              key: line.key,
              value: known.value.success as Values[Name],
              version: line.version + 1,
              known
            }
          ]
        : []
    )
    const unreadable = [...documents.values()].flatMap(({ known, line }) =>
      Result.isFailure(known.value) ? [{ ...line, lane: ranges[line.range]?.lane ?? 0 }] : []
    )
    const changed = take(readable)
    const writes = readable.flatMap(({ key, known, version }) => {
      const value = changed.get(key)?.value
      return value === undefined
        ? []
        : [writeOf(collection, known, { key, value, version, texts: new Map() })]
    })
    const leased: Effect.Effect<ReadonlyMap<string, unknown>, SqlError> = writes.length === 0
      ? Effect.succeed(new Map())
      : store.together(store.commit(collection, writes, true))
    const conflicts = yield* bounded(
      Effect.andThen(parkUnreadable(collection, unreadable, asked.at), leased)
    )
    for (const write of writes) {
      if (!conflicts.has(write.key)) {
        keep(collection, write, changed.get(write.key)?.value, false)
      } else cache.set(idOf(collection, write.key), undefined)
    }
    const next = readable.flatMap(({ key, value }) => {
      if (conflicts.has(key)) return []
      const { due } = indexOf[collection](changed.get(key)?.value ?? value)
      return asked.limits.flatMap((limit, lane) => (limit === undefined ? [] : (due[lane] ?? [])))
    })
    const soonest = Math.min(...later, ...next)
    return {
      taken: [...changed].flatMap(([key, { result }]) => (conflicts.has(key) ? [] : result)),
      dueAt: soonest === Infinity ? undefined : soonest,
      unreadable: unreadable.map(({ key }) => key)
    }
  })

  const list = <Name extends Collection>(
    collection: Name,
    page: { readonly from: ListPlace; readonly limit: number }
  ): Effect.Effect<ReadonlyArray<Listed<Values[Name]>>, StoreUnavailable> =>
    Effect.flatMap(bounded(store.list(collection, page)), (lines) => {
      const found = lines.flatMap((line) =>
        valuesOf(collection, [line]).map((each) => ({ ...each, at: line.listedAt ?? 0 }))
      )
      const last = lines[page.limit - 1]
      if (last === undefined || found.length === lines.length) return Effect.succeed(found)
      // The character comes before any character of a key.
      const from = { at: last.listedAt ?? 0, key: `${last.key}\u0001` }
      const rest = list(collection, { from, limit: lines.length - found.length })
      return Effect.map(rest, (others) => [...found, ...others])
    })

  const inside = <A>(call: Effect.Effect<A, SqlError>) =>
    Effect.flatMap(store.isInTransaction, (isInside) =>
      isInside ? unavailable(call) : bounded(call)
    )

  return {
    change,
    lease,
    get: <Name extends Collection>(
      collection: Name,
      key: string
    ): Effect.Effect<Values[Name] | undefined, StoreUnavailable | Unreadable> =>
      Effect.flatMap(inside(store.load(collection, [key])), ([line]) =>
        line === undefined
          ? Effect.undefined
          : Effect.fromResult(
              knownOf(collection, line).value as Result.Result<Values[Name], Unreadable>
            )
      ),
    /** Finds documents with their values; that of a request that cannot be read is undefined. */
    due: <Name extends Collection>(
      collection: Name,
      ranges: ReadonlyArray<Omit<DueRange, "isTimesOnly">>
    ) =>
      Effect.map(bounded(store.due(collection, ranges)), (lines) =>
        lines.map((line) => ({
          ...line,
          value: valuesOf(collection, [line as Line<Stored>])[0]?.value
        }))
      ),
    /**
     * Returns a page of the list, without the documents that cannot be read. Documents with several
     * list times come behind the page.
     */
    list,
    /** `isStrict` dies of a document that cannot be read. */
    page: <Name extends Collection>(
      collection: Name,
      page: Page,
      isStrict = false
    ): Effect.Effect<PageOf<Name>, StoreUnavailable> =>
      Effect.map(bounded(store.page(collection, page)), (lines) => ({
        found: valuesOf(collection, lines, isStrict),
        last: lines.length < page.limit ? undefined : lines.at(-1)?.key
      })),
    text: (...text: Parameters<typeof store.text>) => bounded(store.text(...text)),
    texts: (...page: Parameters<typeof store.texts>) => bounded(store.texts(...page)),
    count: <Name extends Collection>(collection: Name, at: number) =>
      Effect.map(bounded(store.count(collection, at)), ({ due, listed, several }) => ({
        due,
        listed,
        several: valuesOf(collection, several)
      })),
    isInTransaction: store.isInTransaction,
    time: options.time,
    awaitWork: (collection: Collection) =>
      Effect.andThen(work[collection].await, Effect.asVoid(work[collection].close)),
    pollInterval: options.pollInterval,
    level,
    compact: unavailable(options.compact)
  }
})

export type Records = Effect.Success<ReturnType<typeof make>>

const apply = (effects: ReadonlyArray<() => void>): void => {
  for (const effect of effects) effect()
}

const noWork = { taken: [], dueAt: undefined, unreadable: [] }

const noGroups = { free: () => Effect.never, locked: () => Effect.never }

const nowhere: Index = { due: [], listed: undefined, parts: 0, related: undefined }

const absent = (isSure: boolean): Known => ({
  value: Result.succeed(undefined),
  version: undefined,
  isSure
})

export const makeLocal = <Stored>(
  store: Store<Stored>,
  codecs: Codecs<Stored>,
  drawVersion: () => number
): Effect.Effect<Records, never, Scope.Scope> =>
  make(store, {
    codecs: codecs as Codecs<unknown>,
    isLocal: true,
    drawVersion,
    pollInterval: Duration.infinity,
    compact: Effect.void,
    run: (step) => step,
    groupOf: () => Effect.never,
    retire: () => Effect.void,
    isBlocked: () => false,
    fullSearchInterval: 0n
  })
