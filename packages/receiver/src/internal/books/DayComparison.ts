/**
 * Compares the transactions of a day with the service: reads the status of each again, and lists what differs.
 *
 * **Details**
 *
 * The transactions of a day are those whose rows were created on it, in UTC. Ours is the status that the handler was told last:
 * the merchant's own books have it. Theirs is the status that the service states now. If the two differ, the row is read once
 * more, because the handler may have been told since the page of rows was read.
 *
 * A comparison changes nothing, in the ledger or at the service. It compares the payments that the ledger knows: fees, and
 * payments that only the service knows, are outside.
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
import { Ledger } from "@pawl/webhook/Ledger"
import type { Row } from "@pawl/webhook/internal/rule/Row"
import type { RowKey } from "@pawl/webhook/internal/rule/RowPages"

/**
 * A transaction that was compared.
 *
 * - `scope`, `transactionId`: the key of its row, which never changes.
 * - `kind`: the kind that the service states; that of the row if the service does not know the transaction.
 * - `amount`, `currency`: those of the order, else of a callback.
 * - `ours`: the status that the handler was told last; null if it was told none.
 * - `theirs`: the status that the service states, or `404`.
 */
export interface Compared {
  readonly scope: Kind
  readonly kind: Kind
  readonly transactionId: string
  readonly requestId: string | null
  readonly amount: string | null
  readonly currency: string | null
  readonly ours: Status | null
  readonly theirs: string
}

/**
 * The settings of a run.
 *
 * - `day`: the start of the day, in milliseconds since the epoch.
 * - `rate`: the most reads in a second.
 * - `isKnown`: tells whether a run before this one has compared a transaction.
 * - `note`: keeps a transaction that was compared, so that the next run need not read it again.
 */
export interface Options<E> {
  readonly day: number
  readonly rate: number
  readonly isKnown: (key: RowKey) => boolean
  readonly note: (compared: Compared) => Effect.Effect<void, E>
}

const pageSize = 1000
/** The reads that are made at the same time. */
const concurrency = 8
const readTimeout = Duration.minutes(1)
/** A read that fails is made again after 1, 2 and 4 seconds. */
const retries = Schedule.exponential("1 second").pipe(Schedule.upTo({ times: 3 }))

/** Tells whether the service states another status than the handler was told. */
export const differs = ({ ours, theirs }: Compared): boolean => ours !== theirs

/**
 * Compares the transactions of a day. Returns the number of transactions that it compared, of those that a run before it had
 * compared, and of those that the service did not answer for, which the next run reads.
 */
export const run = Effect.fn("DayComparison.run")(function* <E>({
  day,
  isKnown,
  note,
  rate
}: Options<E>) {
  const ledger = yield* Ledger
  const reader = yield* StatusReader
  const counts = { compared: 0, known: 0, unanswered: 0 }
  let nextAt = 0

  /** Waits for the turn of the next read. */
  const turn = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const at = Math.max(now, nextAt)
    nextAt = at + 1000 / rate
    return Effect.sleep(at - now)
  })

  /** Returns the kind and the status that the service states; undefined if it does not answer. */
  const read = ({ kind, transactionId }: Row) => {
    const unknown = { kind, status: "404" }
    return Reading.isIdentifier(transactionId)
      ? Effect.andThen(
          turn,
          Effect.suspend(() => reader.read(kind, transactionId)).pipe(Effect.timeout(readTimeout))
        ).pipe(
          Effect.map((answer): { readonly kind: Kind; readonly status: string } => answer),
          Effect.catchTag("NotFound", () => Effect.succeed(unknown)),
          Effect.retry(retries),
          Effect.orElseSucceed(() => undefined)
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
    if (answer === undefined) {
      counts.unanswered++
      return
    }
    const { kind, status: theirs } = answer
    const isEnough = row.told === theirs && hasOrder(row)
    const newest = isEnough ? row : yield* stored(shard, row)
    // A row that is gone was joined to another row of its transaction, which is compared by itself.
    if (newest === undefined) return
    // The handler was told another status since, and the answer of the service may be older than that.
    if (newest.told !== row.told && newest.told !== theirs) return yield* compare(shard, newest)
    const { scope, told, transactionId } = newest
    yield* note({ scope, kind, transactionId, ...orderOf(newest), ours: told ?? null, theirs })
    counts.compared++
  })

  const before = day + Duration.toMillis(Duration.days(1))
  // Databases may order ids differently, so each has pages of its own.
  for (const shard of ledger.shards ?? [ledger]) {
    let after: RowKey | undefined
    do {
      const { last, rows } = yield* shard.page({ after, limit: pageSize, from: day, before })
      yield* Effect.forEach(rows, (row) => compare(shard, row), { concurrency, discard: true })
      after = last
    } while (after !== undefined)
  }
  return counts
})

const hasOrder = ({ ordered }: Row): boolean =>
  ordered?.amount !== undefined && ordered.currency !== undefined

/** Reads a row again, with its newest callbacks, which a page does not have. */
const stored = (ledger: Ledger["Service"], { method, scope, transactionId }: Row) =>
  Effect.map(
    ledger.story(method, transactionId),
    (stories) => stories.find(({ row }) => row.scope === scope)?.row
  )

/** Returns the order of a row. A row without an order has that of a callback. */
const orderOf = ({ newestCallbacks, ordered }: Row) => {
  const [signed] = Object.values(newestCallbacks).flatMap((each) => each.signed ?? [])
  return {
    requestId: ordered?.requestId ?? null,
    amount: ordered?.amount ?? signed?.amount ?? null,
    currency: ordered?.currency ?? signed?.currency ?? null
  }
}
