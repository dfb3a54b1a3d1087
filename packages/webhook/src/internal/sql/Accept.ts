/**
 * Accepting in SQL: two upserts and one commit for a group of callbacks.
 *
 * **Details**
 *
 * PostgreSQL does not allow a key twice in one upsert, so all callbacks of a row in a group become one line
 * with a count. They claim the same status and name the same kind; callbacks of the row with another status
 * or kind wait for the next group, and may change places. So a group has the same result as its callbacks have one
 * after the other, but for the order of callbacks that came at the same time with different statuses.
 * The lines are sorted by id, so that two groups with the same rows do not deadlock.
 *
 * On PostgreSQL the look-up of the rows and both upserts are one statement: one round trip, and no process can stop
 * between BEGIN and COMMIT with rows locked. A single statement can also be interrupted when the server does not
 * respond; the client does not interrupt a BEGIN.
 */
import * as Evidence from "@pawl/core/Evidence"
import { type Kind, type Method, methodOf } from "@pawl/core/Kind"
import { type Status, statuses } from "@pawl/core/Status"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Accepted } from "../../Ledger.ts"
import { laneOfNew, signedOf } from "../../RowRule.ts"
import { find, namesRefund } from "../../StoredRow.ts"
import type { Verified } from "../../Verifier.ts"
import * as ArchiveReturn from "./ArchiveReturn.ts"
import * as Lanes from "./Lanes.ts"
import * as Lookup from "./Lookup.ts"
import {
  type BigInteger,
  columnsOf,
  type Key,
  preparedIfSingle,
  type SignedColumns
} from "./RowCodec.ts"

/** A callback that waits to be stored. */
export interface Callback extends SignedColumns {
  readonly method: Method
  readonly kind: Kind
  readonly transaction_id: string
  readonly ordered: string | null
  readonly names_refund: 0 | 1
  readonly secret: string
  readonly status: Status
  readonly at: number
  readonly body: Uint8Array
}

type Callbacks = Arr.NonEmptyReadonlyArray<Callback>

/** The callbacks of one row in a group, in the order they came in, with the scope of the row. */
interface Line {
  readonly callbacks: Callbacks
  readonly scope: Kind | Fragment
}

type Lines = Arr.NonEmptyReadonlyArray<Line>

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
    names_refund: namesRefund(verified) ? 1 : 0,
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

const idOf = ([{ transaction_id }]: Callbacks): string => transaction_id

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
  const repeat = sql.literal(String(Lanes.numberOf("repeat")))

  const upsertRows = (lines: Lines) =>
    sql`INSERT INTO pawl_transactions AS stored
      (transaction_id, scope, method, kind, ordered, names_refund, secret, evidence, callbacks, retry_at, created_at,
        new_status_at, unconfirmed_at, due_at, lane, facts)
      VALUES ${sql.csv(
        lines.map(({ callbacks, scope }) => {
          const { at, kind, method, ordered, status, transaction_id } = callbacks[0]
          const newest = Arr.lastNonEmpty(callbacks)
          const hint = Math.max(...callbacks.map((each) => each.names_refund))
          return sql`(${transaction_id}, ${scope}, ${method}, ${kind}, ${ordered}, ${hint}, ${newest.secret},
            ${Evidence.claimed(status)}, ${callbacks.length}, ${at}, ${at}, ${at}, ${newest.at}, ${at},
            ${Lanes.numberOf(laneOfNew(status))}, 0)`
        })
      )} ON CONFLICT (transaction_id, scope) DO UPDATE SET
      kind = CASE WHEN stored.kind = stored.method THEN excluded.kind ELSE stored.kind END,
      ordered = COALESCE(stored.ordered, excluded.ordered),
      names_refund = stored.names_refund | excluded.names_refund,
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
        WHEN ${isUnconfirmed} AND (stored.due_at IS NULL OR stored.lane > ${repeat}) THEN ${repeat}
        ELSE stored.lane END,
      due_at = CASE
        WHEN (${isNew} OR ${isUnconfirmed})
          AND (stored.due_at IS NULL OR stored.due_at > excluded.due_at)
        THEN excluded.due_at ELSE stored.due_at END`

  const upsertBodies = (lines: Lines) =>
    sql<Count>`INSERT INTO pawl_callbacks AS stored
      (transaction_id, scope, status, count, first_at, first_body, newest_at, account, amount, currency,
        newest_body)
      VALUES ${sql.csv(
        lines.map(({ callbacks, scope }) => {
          const { at, body, status, transaction_id } = callbacks[0]
          const newest = Arr.lastNonEmpty(callbacks)
          return sql`(${transaction_id}, ${scope}, ${status}, ${callbacks.length}, ${at}, ${body},
            ${newest.at}, ${newest.account}, ${newest.amount}, ${newest.currency},
            ${callbacks.length === 1 ? null : newest.body})`
        })
      )} ON CONFLICT (transaction_id, scope, status) DO UPDATE SET
      count = stored.count + excluded.count,
      newest_at = excluded.newest_at,
      account = excluded.account,
      amount = excluded.amount,
      currency = excluded.currency,
      newest_body = COALESCE(excluded.newest_body, excluded.first_body)
      RETURNING transaction_id, scope, count`

  type Groups = Arr.NonEmptyReadonlyArray<Callbacks>

  /** Writes groups of callbacks, each to its row, which may be a new one. */
  const upsert = sql.onDialectOrElse({
    pg: () => (groups: Groups) => {
      const found = Lookup.scopesOf(sql, groups.map(Arr.headNonEmpty), "callback")
      const lines = Arr.map(groups, (callbacks, at) => ({ callbacks, scope: found.scopeAt(at) }))
      const statement = preparedIfSingle(
        groups,
        sql<Count>`WITH ${found.query}, rows AS (${upsertRows(lines)}) ${upsertBodies(lines)}`
      )
      return ArchiveReturn.restoring(sql, Arr.map(groups, idOf), statement)
    },
    orElse: () =>
      Effect.fnUntraced(function* (groups: Groups) {
        const lookup = Lookup.rowsOf(sql, groups.map(Arr.headNonEmpty))
        const rows = Map.groupBy(
          yield* ArchiveReturn.restored(sql, preparedIfSingle(groups, lookup)),
          Lookup.textOf
        )
        const lines = Arr.map(groups, (callbacks): Line => {
          const [{ kind }] = callbacks
          const candidates = rows.get(Lookup.textOf(callbacks[0])) ?? []
          const row = find(candidates, (candidate) => candidate.kind, kind, "callback")
          return { callbacks, scope: row?.scope ?? kind }
        })
        const written = yield* Effect.forEach(pieces(lines), (piece) =>
          Effect.andThen(upsertRows(piece), upsertBodies(piece))
        )
        return written.flat()
      })
  })

  const acceptGroup = Effect.fnUntraced(function* (callbacks: Callbacks) {
    const groups: ReadonlyArray<Callbacks> = Arr.sortWith(
      Object.values(Arr.groupBy(callbacks, Lookup.textOf)),
      ([{ transaction_id }]) => transaction_id,
      Order.String
    )
    const written = yield* upsert(groups as Arr.NonEmptyReadonlyArray<Callbacks>)
    const counts = new Map(
      written.map(({ count, scope, transaction_id }) => [
        Lookup.textOf({ method: methodOf(scope), transaction_id }),
        Number(count)
      ])
    )
    // If the stored count equals the count of this group, the line did not exist before.
    const firstCallbacks = new Set(
      groups.flatMap((group) =>
        counts.get(Lookup.textOf(group[0])) === group.length ? [group[0]] : []
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
