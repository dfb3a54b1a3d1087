/**
 * The engine: changes documents by pure rules (`Changes`), and leases those that are due
 * (`Leases`).
 *
 * A document that cannot be decoded fails only its own changes, with `Unreadable`. A claim lists
 * it, and leases it again after five minutes.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import * as Changes from "./Changes.ts"
import type { Codecs, Values } from "./Codecs.ts"
import * as DueSearch from "./DueSearch.ts"
import * as Known from "./Known.ts"
import * as Leases from "./Leases.ts"
import type { Collection, DueRange, Line, ListPlace, Page, Store } from "./Records.ts"
import type * as Refusals from "./Refusals.ts"
import * as Room from "./Room.ts"
import type { Rule } from "./Rule.ts"

export interface Listed<Value> extends Known.Found<Value> {
  readonly at: number
}

export interface PageOf<Name extends Collection> {
  readonly found: ReadonlyArray<Known.Found<Values[Name]>>
  /** Undefined on the last page. */
  readonly last: string | undefined
}

export interface Options {
  readonly codecs: Codecs<unknown>
  readonly nextVersion: Changes.NextVersion
  /** Undefined for a store in the process, which has no cache, no groups and no time-outs. */
  readonly sharing?: Changes.Sharing
  readonly pollInterval: Duration.Duration
  readonly time?: ((clock: Clock.Clock) => number) | undefined
  readonly compact: Effect.Effect<void, SqlError>
  readonly refresh?: Effect.Effect<void, SqlError>
  readonly retire?: (error: SqlError) => Effect.Effect<void>
  readonly refusals?: Refusals.Refusals
  /** The time between searches from the start, in nanoseconds. */
  readonly fullSearchInterval: bigint
}

export const make = Effect.fnUntraced(function* <Stored>(
  measured: Store<Stored>,
  {
    nextVersion,
    refresh = Effect.void,
    refusals,
    retire = () => Effect.void,
    sharing,
    ...options
  }: Options
) {
  const { commit: commitIn, level } = Room.make(measured, yield* Room.Limit)
  const store = { ...measured, commit: commitIn }
  const search = DueSearch.make(options.fullSearchInterval)
  const work = {
    transactions: yield* Latch.make(),
    requests: yield* Latch.make(),
    quarantine: yield* Latch.make(),
    settings: yield* Latch.make()
  } satisfies Record<Collection, unknown>

  const unavailable = <A>(call: Effect.Effect<A, SqlError>) =>
    call.pipe(
      Effect.tapError(retire),
      Effect.mapError((cause) => new StoreUnavailable({ cause }))
    )
  const bounded = <A>(call: Effect.Effect<A, SqlError>) => unavailable(sharing?.run(call) ?? call)

  const codecs = options.codecs as Codecs<Stored>
  const known = Known.make(codecs, sharing === undefined ? 0 : 8192, search, work)
  const change = yield* Changes.make(store, known, nextVersion, sharing)

  const list = <Name extends Collection>(
    collection: Name,
    page: { readonly from: ListPlace; readonly limit: number },
    unreadable?: (key: string, at: number) => Values[Name]
  ): Effect.Effect<ReadonlyArray<Listed<Values[Name]>>, StoreUnavailable> =>
    Effect.map(bounded(store.list(collection, page)), (lines) =>
      lines.flatMap((line) => {
        const { key, listedAt: at = 0 } = line
        const value = known.valuesOf(collection, [line])[0]?.value ?? unreadable?.(key, at)
        return value === undefined ? [] : { key, value, at }
      })
    )

  const inside = <A>(call: Effect.Effect<A, SqlError>) =>
    Effect.flatMap(store.isInTransaction, (isInside) =>
      isInside ? unavailable(call) : bounded(call)
    )

  return {
    /**
     * Changes a document in one durable step, or in the caller's transaction. At most 128 changes
     * of a key and `variant` wait.
     */
    change: <Name extends Collection, A>(
      collection: Name,
      key: string,
      rule: Rule<Values[Name], A>,
      variant?: string
    ): Effect.Effect<A, StoreUnavailable | Known.Unreadable> =>
      Effect.flatMap(
        unavailable(change(collection, key, rule as Changes.Item["rule"], variant)),
        (done) => Effect.fromResult(done as Result.Result<A, Known.Unreadable>)
      ),
    lease: Leases.make({ store, known, search, nextVersion, refresh, bounded, refusals }),
    get: <Name extends Collection>(
      collection: Name,
      key: string
    ): Effect.Effect<Values[Name] | undefined, StoreUnavailable | Known.Unreadable> =>
      Effect.flatMap(inside(store.load(collection, [key])), ([line]) =>
        line === undefined
          ? Effect.undefined
          : Effect.fromResult(
              known.read(collection, line).value as Result.Result<Values[Name], Known.Unreadable>
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
          value: known.valuesOf(collection, [line as Line<Stored>])[0]?.value
        }))
      ),
    /**
     * Returns a page of the list. `unreadable` makes the value of a request that cannot be read.
     * Documents with several list times come behind the page.
     */
    list,
    page: <Name extends Collection>(
      collection: Name,
      page: Page,
      isStrict = false
    ): Effect.Effect<PageOf<Name>, StoreUnavailable> =>
      Effect.map(bounded(store.page(collection, page)), (lines) => ({
        found: known.valuesOf(collection, lines, isStrict),
        last: lines.length < page.limit ? undefined : lines.at(-1)?.key
      })),
    text: (...text: Parameters<typeof store.text>) => bounded(store.text(...text)),
    texts: (...page: Parameters<typeof store.texts>) => bounded(store.texts(...page)),
    count: <Name extends Collection>(collection: Name, at: number) =>
      Effect.map(bounded(store.count(collection, at)), ({ due, listed, several }) => ({
        due,
        listed,
        several: known.valuesOf(collection, several)
      })),
    isInTransaction: store.isInTransaction,
    time: options.time ?? ((clock: Clock.Clock) => clock.currentTimeMillisUnsafe()),
    awaitWork: (collection: Collection) =>
      Effect.andThen(work[collection].await, Effect.asVoid(work[collection].close)),
    pollInterval: options.pollInterval,
    level,
    compact: unavailable(options.compact)
  }
})

export type Records = Effect.Success<ReturnType<typeof make>>

export const makeLocal = <Stored>(
  store: Store<Stored>,
  codecs: Codecs<Stored>,
  drawVersion: () => number
): Effect.Effect<Records, never, Scope.Scope> =>
  make(store, {
    codecs: codecs as Codecs<unknown>,
    nextVersion: (last) => (last === undefined ? drawVersion() : last + 1),
    pollInterval: Duration.infinity,
    compact: Effect.void,
    fullSearchInterval: 0n
  })
