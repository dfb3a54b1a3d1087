import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Method } from "@pawl/core/Kind"
import type * as Arr from "effect/Array"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fields from "../documents/Fields.ts"
import type { Collection, DueRange } from "./Records.ts"
import type { Values } from "./Codecs.ts"
import type { PageOf, Records } from "./Engine.ts"
import type { Found } from "./Known.ts"
import type { Rule } from "./Rule.ts"
import * as Fault from "../sql/Fault.ts"

export type ShardKey =
  | { readonly method: Method; readonly transactionId: string }
  | { readonly requestId: string }

/**
 * Returns the shard of a key: FNV-1a over its characters, with the last mixing steps of
 * MurmurHash3. It never changes.
 */
export const shardOf = (key: ShardKey, count: number): number => {
  const text =
    "transactionId" in key ? `${key.method}/${key.transactionId}` : `request/${key.requestId}`
  let hash = Fields.hashOf(text)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % count
}

export interface Engines {
  /** Returns the engine of a transaction or a request. */
  readonly of: (key: ShardKey) => Records
  /** The engines whose documents the service lists and leases. */
  readonly own: Arr.NonEmptyReadonlyArray<Records>
}

export const make = (all: Arr.NonEmptyReadonlyArray<Records>): Engines => ({
  of: (key) => (all.length === 1 ? undefined : all[shardOf(key, all.length)]) ?? all[0],
  own: all
})

export const each = <A>(
  { own }: Engines,
  call: (records: Records) => Effect.Effect<A, StoreUnavailable>
): Effect.Effect<Array<A>, StoreUnavailable> =>
  Effect.forEach(own, call, { concurrency: "unbounded" })

/** Returns the time of the first own engine, or of the engine of a key. */
export const timeOf =
  ({ of, own }: Engines) =>
  (clock: Clock.Clock, key?: ShardKey): number =>
    (key === undefined ? own[0] : of(key)).time(clock)

export const awaitWork = ({ own }: Engines, collection: Collection): Effect.Effect<void> =>
  Effect.raceAllFirst(own.map((records) => records.awaitWork(collection)))

export const pollInterval = ({ own }: Engines): Duration.Duration =>
  own.map((records) => records.pollInterval).reduce(Duration.min)

/**
 * Passes all documents behind `from` to `use`, in pages, until it returns false. Returns the key
 * before the last page then. `isStrict` dies of a document that cannot be read.
 */
export const eachPage = Effect.fnUntraced(function* <Name extends Collection, E = never>(
  records: Records,
  collection: Name,
  use: (found: PageOf<Name>["found"]) => Effect.Effect<boolean | void, StoreUnavailable | E>,
  isStrict = false,
  from = ""
): Effect.fn.Return<string | undefined, StoreUnavailable | E> {
  let after: string | undefined = from
  while (after !== undefined) {
    const page: PageOf<Name> = yield* records.page(collection, { after, limit: pageSize }, isStrict)
    if ((yield* use(page.found)) === false) return after
    after = page.last
  }
  return undefined
})

const pageSize = 200

interface DueFound<Value> extends Omit<Found<Value>, "value"> {
  readonly at: number
  readonly value: Value | undefined
}

/** Passes the due documents of a range to `use`, in pages of its limit, until it returns false. */
export const eachDue = Effect.fnUntraced(function* <Name extends Collection>(
  records: Records,
  collection: Name,
  { after = "", from, limit, ...range }: Omit<DueRange, "isTimesOnly">,
  use: (found: ReadonlyArray<DueFound<Values[Name]>>) => Effect.Effect<boolean, StoreUnavailable>
): Effect.fn.Return<void, StoreUnavailable> {
  let place: Pick<DueRange, "after" | "from"> | undefined = { from, after }
  while (place !== undefined) {
    const page = [{ ...range, ...place, limit }]
    const found: ReadonlyArray<DueFound<Values[Name]>> = yield* records.due(collection, page)
    const last = (yield* use(found)) ? found[limit - 1] : undefined
    place = last && { from: last.at, after: last.key }
  }
})

export interface Changed {
  /** The sum of the results of the rules. */
  readonly count: number
  /** The error about a document that the store refuses to write. */
  readonly refused?: StoreUnavailable | undefined
}

export const unchanged: Changed = { count: 0 }

export const join = (one: Changed, two: Changed): Changed => ({
  count: one.count + two.count,
  refused: one.refused ?? two.refused
})

/** Returns the count, and fails if the store refuses all writes. */
export const countOf = ({ count, refused }: Changed): Effect.Effect<number, StoreUnavailable> =>
  refused === undefined || count > 0 ? Effect.succeed(count) : Effect.fail(refused)

export const logRefused = ({ refused }: Changed): Effect.Effect<void> =>
  refused === undefined
    ? Effect.void
    : Effect.logWarning("The store refuses to make some work due earlier", refused)

/** Changes documents, and adds their results; unreadable ones are skipped. */
export const changeEach = <Name extends Collection>(
  records: Records,
  collection: Name,
  keys: Iterable<string>,
  ruleOf: (key: string) => Rule<Values[Name], number>
): Effect.Effect<Changed, StoreUnavailable> =>
  Effect.map(
    Effect.forEach(
      keys,
      (key) =>
        Effect.matchEffect(records.change(collection, key, ruleOf(key)), {
          onSuccess: (count) => Effect.succeed<Changed>({ count }),
          onFailure: (error) =>
            error._tag === "Unreadable"
              ? Effect.succeed(unchanged)
              : Fault.isOfRow(Fault.of(error))
                ? Effect.succeed<Changed>({ count: 0, refused: error })
                : Effect.fail(error)
        }),
      { concurrency: 16 }
    ),
    (each) => each.reduce(join, unchanged)
  )

export const sum = (counts: ReadonlyArray<number>): number =>
  counts.reduce((one, two) => one + two, 0)
