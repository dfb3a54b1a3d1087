/**
 * Accepting in SQL: two upserts and one commit for a group of callbacks.
 *
 * **Details**
 *
 * PostgreSQL does not allow a key twice in one upsert, so all callbacks of a row in a group become one line
 * with a count. They claim the same status and name the same kind; callbacks of the row with another status
 * or kind wait for the next group, and may change places. So a group has the same result as its callbacks have one
 * after the other, but for the order of callbacks that came at the same time with different statuses.
 * The lines are sorted by key, so that two groups with the same rows do not deadlock.
 *
 * The row of each callback is looked up first. After that, on PostgreSQL, another process may make a row
 * of the same transaction under another kind; the two rows are joined when a read returns the kind.
 *
 * On PostgreSQL both upserts are one statement: one round trip, and no process can stop between BEGIN and
 * COMMIT with rows locked. A single statement can also be interrupted when the server does not
 * respond; the client does not interrupt a BEGIN.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Kind, Method } from "@pawl/core/Kind"
import { type Status, statuses } from "@pawl/core/Status"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Accepted } from "../../Ledger.ts"
import { laneOfNew, signedOf } from "../../RowRule.ts"
import { find } from "../../StoredRow.ts"
import type { Verified } from "../../Verifier.ts"
import * as Lanes from "./Lanes.ts"
import * as Lookup from "./Lookup.ts"
import {
  type BigInteger,
  columnsOf,
  type Key,
  keyOf,
  preparedIfSingle,
  type SignedColumns
} from "./RowCodec.ts"

/** A callback that waits to be stored. */
export interface Callback extends SignedColumns {
  readonly method: Method
  readonly kind: Kind
  readonly transaction_id: string
  readonly ordered: string | null
  readonly secret: string
  readonly status: Status
  readonly at: number
  readonly body: Uint8Array
}

type Callbacks = Arr.NonEmptyReadonlyArray<Callback>

/** The callbacks of one row in a group, in the order they came in. */
interface RowCallbacks extends Key {
  readonly callbacks: Callbacks
}

type Lines = Arr.NonEmptyReadonlyArray<RowCallbacks>

interface Count extends Key {
  readonly count: BigInteger
}

/** Returns a verified callback as it is stored. */
export const callbackOf = (verified: Verified, status: Status, at: number): Callback => {
  const { bytes: body, kind, method, ordered, secret, transactionId: transaction_id } = verified
  return {
    method,
    kind,
    transaction_id,
    ordered: ordered === undefined ? null : JSON.stringify(ordered),
    secret,
    status,
    at,
    body,
    ...columnsOf(signedOf(verified))
  }
}

/** Returns the key for group commit: in a group, all callbacks of a method and id have one status and kind. */
export const groupKeyOf = (callback: Callback) => ({
  key: Lookup.textOf(callback),
  variant: `${callback.status}/${callback.kind}`
})

/** Makes the function that accepts a group. Its two upserts translate `RowRule.accept`. */
export const make = (
  sql: SqlClient
): ((callbacks: Callbacks) => Effect.Effect<ReadonlyArray<Accepted>, SqlError>) => {
  // A new callback claims one status, and its evidence is the claimed bit of that status.
  const confirmedBit = `CASE excluded.evidence ${statuses
    .map((status) => `WHEN ${Evidence.claimed(status)} THEN ${Evidence.confirmed(status)}`)
    .join(" ")} END`
  const isUnconfirmed = sql.literal(`(stored.evidence & ${confirmedBit}) = 0`)
  const isNew = sql.literal("(stored.evidence & excluded.evidence) = 0")

  const upsertRows = (lines: Lines) =>
    sql`INSERT INTO pawl_transactions AS stored ${sql.insert(
      Arr.map(lines, ({ callbacks, scope, transaction_id }) => ({
        transaction_id,
        scope,
        method: callbacks[0].method,
        kind: callbacks[0].kind,
        ordered: callbacks[0].ordered,
        secret: Arr.lastNonEmpty(callbacks).secret,
        evidence: Evidence.claimed(callbacks[0].status),
        callbacks: callbacks.length,
        retry_at: callbacks[0].at,
        created_at: callbacks[0].at,
        new_status_at: callbacks[0].at,
        unconfirmed_at: Arr.lastNonEmpty(callbacks).at,
        due_at: callbacks[0].at,
        lane: Lanes.numberOf(laneOfNew(callbacks[0].status))
      }))
    )} ON CONFLICT (transaction_id, scope) DO UPDATE SET
      kind = CASE WHEN stored.kind = stored.method THEN excluded.kind ELSE stored.kind END,
      ordered = COALESCE(stored.ordered, excluded.ordered),
      secret = excluded.secret,
      evidence = stored.evidence | excluded.evidence,
      callbacks = stored.callbacks + excluded.callbacks,
      unconfirmed_at = CASE
        WHEN ${isUnconfirmed} THEN excluded.unconfirmed_at ELSE stored.unconfirmed_at END,
      new_status_at = CASE WHEN ${isNew} THEN excluded.new_status_at ELSE stored.new_status_at END,
      polls = CASE WHEN ${isNew} THEN 0 ELSE stored.polls END,
      poll_at = CASE WHEN ${isNew} THEN NULL ELSE stored.poll_at END,
      lane = CASE
        WHEN ${isNew} AND (stored.due_at IS NULL OR stored.lane > excluded.lane) THEN excluded.lane
        WHEN ${isUnconfirmed} AND stored.due_at IS NULL THEN ${sql.literal(String(Lanes.numberOf("repeat")))}
        ELSE stored.lane END,
      due_at = CASE
        WHEN (${isNew} OR ${isUnconfirmed})
          AND (stored.due_at IS NULL OR stored.due_at > excluded.due_at)
        THEN excluded.due_at ELSE stored.due_at END`

  const upsertBodies = (lines: Lines) =>
    sql<Count>`INSERT INTO pawl_callbacks AS stored ${sql.insert(
      Arr.map(lines, ({ callbacks, scope, transaction_id }) => ({
        transaction_id,
        scope,
        status: callbacks[0].status,
        count: callbacks.length,
        first_at: callbacks[0].at,
        first_body: callbacks[0].body,
        newest_at: Arr.lastNonEmpty(callbacks).at,
        account: Arr.lastNonEmpty(callbacks).account,
        amount: Arr.lastNonEmpty(callbacks).amount,
        currency: Arr.lastNonEmpty(callbacks).currency,
        newest_body: callbacks.length === 1 ? null : Arr.lastNonEmpty(callbacks).body
      }))
    )} ON CONFLICT (transaction_id, scope, status) DO UPDATE SET
      count = stored.count + excluded.count,
      newest_at = excluded.newest_at,
      account = excluded.account,
      amount = excluded.amount,
      currency = excluded.currency,
      newest_body = COALESCE(excluded.newest_body, excluded.first_body)
      RETURNING transaction_id, scope, count`

  const upsert = sql.onDialectOrElse({
    pg: () => (lines: Lines) =>
      preparedIfSingle(
        lines,
        sql<Count>`WITH rows AS (${upsertRows(lines)}) ${upsertBodies(lines)}`
      ),
    orElse: () => (lines: Lines) =>
      Effect.map(
        Effect.forEach(pieces(lines), (piece) =>
          Effect.andThen(upsertRows(piece), upsertBodies(piece))
        ),
        Arr.flatten
      )
  })

  /** Finds the row of each callback, which may be a new one, and returns the callbacks by row. */
  const linesOf = Effect.fnUntraced(function* (callbacks: Callbacks) {
    const groups = Object.values(Arr.groupBy(callbacks, Lookup.textOf))
    const ids = groups.map(([first]) => first)
    const rows = Map.groupBy(yield* preparedIfSingle(ids, Lookup.rowsOf(sql, ids)), Lookup.textOf)
    const lines = groups.map((group): RowCallbacks => {
      const { kind, transaction_id } = group[0]
      const candidates = rows.get(Lookup.textOf(group[0])) ?? []
      const row = find(candidates, (candidate) => candidate.kind, kind, "callback")
      return { callbacks: group, transaction_id, scope: row?.scope ?? kind }
    })
    return Arr.sortWith(lines as Arr.NonEmptyArray<RowCallbacks>, keyOf, Order.String)
  })

  const acceptGroup = Effect.fnUntraced(function* (callbacks: Callbacks) {
    const lines = yield* linesOf(callbacks)
    const written = yield* upsert(lines)
    const counts = new Map(written.map((line) => [keyOf(line), Number(line.count)]))
    // If the stored count equals the count of this group, the line did not exist before.
    const firstCallbacks = new Set(
      lines.flatMap((line) =>
        counts.get(keyOf(line)) === line.callbacks.length ? [line.callbacks[0]] : []
      )
    )
    return callbacks.map((callback) => ({ isNew: firstCallbacks.has(callback) }))
  })

  return sql.onDialectOrElse({
    pg: () => acceptGroup,
    orElse: () => (callbacks: Callbacks) => sql.withTransaction(acceptGroup(callbacks))
  })
}

/**
 * The lengths of the lists in one statement on SQLite. They are few, so that the text of each statement stays
 * prepared: SQLite takes as long to prepare such a statement as to run it.
 */
const pieceLengths = [64, 16, 4]

const pieces = <A>(
  list: Arr.NonEmptyReadonlyArray<A>
): Arr.NonEmptyArray<Arr.NonEmptyReadonlyArray<A>> => {
  const length = pieceLengths.find((each) => each <= list.length) ?? 1
  const [piece, rest] = Arr.splitAtNonEmpty(list, length)
  return Arr.isArrayNonEmpty(rest) ? [piece, ...pieces(rest)] : [piece]
}
