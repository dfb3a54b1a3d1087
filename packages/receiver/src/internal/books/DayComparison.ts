/**
 * Compares the transactions of a day with the service, and changes nothing in either.
 *
 * The transactions are those whose rows were created on the day, in UTC. A row is read once more
 * behind the answer, because the handler may have been called since.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Kind } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Reading from "@pawl/webhook/internal/verify/Reading"
import { reasonOf } from "@pawl/webhook/internal/work/Confirmer"
import { Ledger } from "@pawl/webhook/Ledger"
import type { Row, StoredCallback } from "@pawl/webhook/internal/rule/Row"
import type { RowKey } from "@pawl/webhook/internal/rule/RowPages"

export interface Compared {
  /** The key of its row, which never changes. */
  readonly scope: Kind
  /**
   * The kind that the service states; that of the row if the service does not know the transaction.
   */
  readonly kind: Kind
  readonly transactionId: string
  readonly requestId: string | null
  /** The amount and the currency of the callback of SUCCEED, else of the order, else of another callback. */
  readonly amount: string | null
  readonly currency: string | null
  /** The status that the handler received last, if any. */
  readonly ours: Status | null
  /** The status that the service states, or `404`. */
  readonly theirs: string
}

export interface Options<E> {
  /** The start of the day, in milliseconds since the epoch. */
  readonly day: number
  /** The most reads in a second. */
  readonly rate: number
  /** Tells whether an earlier run has compared a transaction. */
  readonly isKnown: (key: RowKey) => boolean
  /** Keeps a comparison for the next run. */
  readonly note: (compared: Compared) => Effect.Effect<void, E>
}

const pageSize = 1000
const concurrency = 8
const readTimeout = Duration.minutes(1)
/** Repeats a failed read that may succeed after 1, 2 and 4 seconds. */
const retries = Schedule.exponential("1 second").pipe(Schedule.upTo({ times: 3 }))

export const differs = ({ ours, theirs }: Compared): boolean => ours !== theirs

const forEachPage = Effect.fnUntraced(function* <E>(
  day: number,
  visit: (rows: ReadonlyArray<Row>, shard: Ledger["Service"]) => Effect.Effect<void, E>
): Effect.fn.Return<void, E | StoreUnavailable, Ledger> {
  const ledger = yield* Ledger
  const before = day + Duration.toMillis(Duration.days(1))
  // Databases may order ids differently, so each has pages of its own.
  for (const shard of ledger.shards ?? [ledger]) {
    let after: RowKey | undefined
    do {
      const { last, rows } = yield* shard.page({ after, limit: pageSize, from: day, before })
      yield* visit(rows, shard)
      after = last
    } while (after !== undefined)
  }
})

export const count = Effect.fnUntraced(function* (day: number) {
  let count = 0
  yield* forEachPage(day, (rows) => Effect.sync(() => void (count += rows.length)))
  return count
})

/**
 * Compares the transactions of a day. Returns how many were compared, how many an earlier run had
 * compared, and for how many the service did not answer, which the next run reads.
 */
export const run = Effect.fn("DayComparison.run")(function* <E>({
  day,
  isKnown,
  note,
  rate
}: Options<E>) {
  const reader = yield* StatusReader
  const counts = { compared: 0, known: 0, unanswered: 0 }
  const reasons = new Set<unknown>()
  let nextAt = 0

  const turn = Effect.flatMap(Clock.monotonicTimeNanos, (nanos) => {
    const now = Number(nanos) / 1e6
    const at = Math.max(now, nextAt)
    nextAt = at + 1000 / rate
    return Effect.sleep(at - now)
  })

  /** Logs each reason once: with wrong credentials no status can be read. */
  const warn = (error: Error) =>
    Effect.suspend(() => {
      const reason = reasonOf(error)
      const isLogged = reasons.has(reason)
      reasons.add(reason)
      return isLogged ? Effect.void : Effect.logWarning("A status could not be read", reason)
    })

  /** Reads the kind and the status that the service states; undefined if it does not answer. */
  const read = ({ kind, method, transactionId }: Row) => {
    const unknown = { kind, status: "404" }
    return Reading.isIdentifier(transactionId)
      ? Effect.andThen(
          turn,
          Effect.suspend(() => reader.read(kind, transactionId)).pipe(Effect.timeout(readTimeout))
        ).pipe(
          Effect.map((answer): { readonly kind: Kind; readonly status: string } => answer),
          Effect.catchTag("NotFound", () => Effect.succeed(unknown)),
          Effect.retry({
            schedule: retries,
            while: (error) => error._tag === "TimeoutError" || error.isRetryable
          }),
          Effect.catch(warn),
          Effect.annotateLogs({ method, transactionId })
        )
      : Effect.succeed(unknown)
  }

  const compare = Effect.fnUntraced(function* (
    shard: Ledger["Service"],
    row: Row
  ): Effect.fn.Return<void, E | StoreUnavailable> {
    if (isKnown(row)) {
      counts.known++
      return
    }
    const answer = yield* read(row)
    if (!answer) {
      counts.unanswered++
      return
    }
    const { kind, status: theirs } = answer
    const newest = yield* stored(shard, row)
    // The row was joined to another row of its transaction, which is compared by itself.
    if (newest === undefined) return
    // The answer of the service may be older than the status that the handler received since.
    if (newest.told !== row.told && newest.told !== theirs) return yield* compare(shard, newest)
    const { scope, told, transactionId } = newest
    yield* note({ scope, kind, transactionId, ...orderOf(newest), ours: told ?? null, theirs })
    counts.compared++
  })

  yield* forEachPage(day, (rows, shard) =>
    Effect.forEach(rows, (row) => compare(shard, row), { concurrency, discard: true })
  )
  return counts
})

/** Reads a row again, with its newest callbacks, which a page does not have. */
const stored = (ledger: Ledger["Service"], { method, scope, transactionId }: Row) =>
  Effect.map(
    ledger.story(method, transactionId),
    (stories) => stories.find(({ row }) => row.scope === scope)?.row
  )

/** Returns the request of a row, and its amount. A callback of another account is a replay. */
const orderOf = ({ newestCallbacks, ordered }: Row) => {
  const signedBy = ({ signed }: Partial<StoredCallback> = {}) =>
    (ordered?.account ?? signed?.account) === signed?.account ? signed : undefined
  const paid = signedBy(newestCallbacks.SUCCEED)
  const signed = Object.values(newestCallbacks)
    .map(signedBy)
    .find((each) => each !== undefined)
  return {
    requestId: ordered?.requestId ?? null,
    amount: paid?.amount ?? ordered?.amount ?? signed?.amount ?? null,
    currency: paid?.currency ?? ordered?.currency ?? signed?.currency ?? null
  }
}
