import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import type * as Scope from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as Compact from "../sql/Compact.ts"
import * as Retry from "../sql/Retry.ts"
import { isReadOnly } from "../sql/Server.ts"
import type * as Changes from "./Changes.ts"
import * as Engine from "./Engine.ts"
import * as GroupCommit from "./GroupCommit.ts"
import * as Refusals from "./Refusals.ts"
import * as PostgresStore from "./PostgresStore.ts"
import * as SqliteStore from "./SqliteStore.ts"
import * as Codecs from "./Codecs.ts"
import * as Clock from "effect/Clock"
import type { Store } from "./Records.ts"
import type { BigInteger } from "./SqlStore.ts"

const pollInterval = Duration.millis(250)

/** How long PostgreSQL may keep index entries that a search skips. */
const fullSearchInterval = { pg: () => 5_000_000_000n, orElse: () => 0n }

export const make = Effect.fnUntraced(function* (
  sql: SqlClient,
  retire: (error: SqlError) => Effect.Effect<void>
): Effect.fn.Return<Engine.Records, SqlError, Scope.Scope> {
  const scope = yield* Effect.scope
  const clock = yield* makeClock(sql)
  const store = sql.onDialectOrElse({
    pg: () => PostgresStore.make(sql),
    orElse: () => SqliteStore.make(sql)
  })
  const hasLocks = sql.onDialectOrElse({ pg: () => true, orElse: () => false })
  const isBlocked = (error: SqlError) => hasLocks && error.reason._tag === "LockTimeoutError"
  const wait = yield* Retry.makeWait
  return yield* Engine.make(confirming(store), {
    codecs: Codecs.texts as Codecs.Codecs<unknown>,
    nextVersion,
    pollInterval,
    time: clock?.time,
    ...(clock && { refresh: clock.refresh }),
    compact: Compact.compact(sql),
    sharing: {
      run: (step, isFinal) => Retry.timeoutIn(scope)(Retry.onConflict(step, isFinal)),
      groupOf: (committers, commit) =>
        GroupCommit.make<Changes.Item, Changes.Done, SqlError>({
          maxSize: maxGroupSize,
          committers,
          commit,
          isBlocked,
          isItemError,
          keyOf: (item) => item,
          wait,
          maxWaiting,
          full
        }),
      isBlocked
    },
    refusals: Refusals.make(store.committers),
    retire: (error) => Effect.andThen(withoutRow(error), retire(error)),
    fullSearchInterval: sql.onDialectOrElse(fullSearchInterval)
  })
})

/**
 * Makes a commit whose response was lost again, with the same versions: a document with its version
 * is written, by one of the two. A deletion is unknown.
 */
export const confirming = <Stored>(store: Store<Stored>): Store<Stored> => ({
  ...store,
  commit: (collection, writes, skipsLocked) => {
    const commit = store.commit(collection, writes, skipsLocked)
    return Effect.catchIf(
      commit,
      ({ reason }) => reason._tag === "ConnectionError",
      Effect.fnUntraced(function* (error) {
        const isUnknown = writes.some(({ document }) => document === undefined)
        if (isUnknown || (yield* store.isInTransaction)) return yield* Effect.fail(error)
        // The first commit may still have the documents locked.
        const conflicts = yield* Effect.mapError(Retry.onConflict(commit), () => error)
        // PostgreSQL reports no line of a document that was locked.
        const stored = yield* store.load(collection, [...conflicts.keys()])
        const lines = new Map(stored.map((line) => [line.key, line]))
        const others = writes.filter(
          ({ key, version }) => conflicts.has(key) && lines.get(key)?.version !== version
        )
        return new Map(others.map(({ key }) => [key, lines.get(key)]))
      })
    )
  }
})

const isItemError = (error: SqlError): boolean => !error.isRetryable && !isReadOnly(error)

/** Removes the part of an error of PostgreSQL that quotes a row, so that no log has it. */
const withoutRow = ({ reason: { cause } }: SqlError) =>
  Effect.sync(() => hasProperty(cause, "detail") && Reflect.deleteProperty(cause, "detail"))

const maxGroupSize = 128
const maxWaiting = 2048

const full = new SqlError({
  reason: new UnknownError({
    message: `More than ${maxWaiting} changes wait, or more than ${maxGroupSize} of one document`,
    cause: undefined
  })
})

/**
 * Draws the first version of a document, below 2^48. The generator has no seed, because two
 * processes with the same seed would draw the same.
 */
export const drawVersion = (): number => {
  if (next === drawn.length) {
    globalThis.crypto.getRandomValues(drawn)
    next = 0
  }
  const [high = 0, low = 0] = drawn.subarray(next, (next += 2))
  return (high % 2 ** 16) * 2 ** 32 + low
}

/**
 * A version that a process remembers must not be that of a new document after a fail-over that lost
 * commits, so versions have gaps. A lease id, eight times a version, stays below 2^53.
 */
const nextVersion = (last?: number): number =>
  last === undefined ? drawVersion() : last + 1 + (drawVersion() % 2 ** 20)

const drawn = new Uint32Array(512)
let next = drawn.length

interface DatabaseClock {
  readonly time: (clock: Clock.Clock) => number
  /** Measures the clock again when the last measurement is 10 seconds old. */
  readonly refresh: Effect.Effect<void, SqlError>
}

const maxAge = 10_000_000_000n

/** The SQL of the time in PostgreSQL, in milliseconds since the epoch. */
export const now = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"

/** SQLite has no clock of its own. */
const makeClock = Effect.fnUntraced(function* (
  sql: SqlClient
): Effect.fn.Return<DatabaseClock | undefined, SqlError> {
  if (sql.onDialectOrElse({ pg: () => false, orElse: () => true })) return undefined
  const measure = Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const before = clock.monotonicTimeNanosUnsafe()
    const [line] = yield* sql<{ readonly millis: BigInteger }>`SELECT ${sql.literal(now)} AS millis`
    const after = clock.monotonicTimeNanosUnsafe()
    return { millis: Number(line?.millis), nanos: (before + after) / 2n }
  })
  let measured = yield* Retry.timeoutAtStart(measure)
  return {
    time: (clock) =>
      measured.millis +
      Math.floor(Number(clock.monotonicTimeNanosUnsafe() - measured.nanos) / 1_000_000),
    refresh: Effect.flatMap(Clock.Clock, (clock) =>
      clock.monotonicTimeNanosUnsafe() - measured.nanos < maxAge
        ? Effect.void
        : Effect.map(measure, (next) => {
            measured = next
          })
    )
  }
})
