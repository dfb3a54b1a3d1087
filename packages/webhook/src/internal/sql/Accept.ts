/**
 * Accepting in SQL: two upserts and one commit for a group of callbacks.
 *
 * **Details**
 *
 * PostgreSQL refuses one key twice in a statement, so what a group brings is reduced first: all
 * callbacks of one row become one line with a count. They all claim the same status; callbacks of the
 * row that claim another, or another kind, are for the next group. So a group does exactly what its callbacks would have
 * done in turn. Its lines are sorted by key: two groups that share rows wait for each other, and never
 * in a circle.
 *
 * Which row that is is looked up first. On PostgreSQL another process may make one in between, for the
 * same transaction under another kind; when the service tells the kind, they become one.
 *
 * On PostgreSQL both upserts are one statement: one round trip, no process that stops between BEGIN and
 * COMMIT with rows locked, and nothing that cannot be given up when the server goes silent (the client
 * does not let go of a BEGIN).
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import { type Status, statuses } from "@pawl/core/Status"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { type Kind, kindsOf, type Method } from "@pawl/core/Kind"
import type { Accepted } from "../../Ledger.ts"
import { find } from "../../Row.ts"
import { type Big, type Key, keyOf, lone } from "./RowCodec.ts"

/** A callback that waits to be accepted, under what it names. */
export interface Claim {
  readonly method: Method
  readonly kind: Kind
  readonly transaction_id: string
  readonly ordered: string | null
  readonly secret: string
  readonly status: Status
  readonly at: number
  readonly body: Uint8Array
}

/** The callbacks of one row in one group, in the order they came in. */
type Lines = Arr.NonEmptyReadonlyArray<Line>

interface Line extends Key {
  readonly claims: Arr.NonEmptyReadonlyArray<Claim>
}

interface Counted extends Key {
  readonly count: Big
}

/** Makes the function that accepts a group. */
export const make = (
  sql: SqlClient
): ((
  claims: Arr.NonEmptyReadonlyArray<Claim>
) => Effect.Effect<ReadonlyArray<Accepted>, SqlError>) => {
  // The nine statuses take nine bits; what is confirmed lies above what is claimed.
  const isUnsure = sql.literal(`(held.evidence & (excluded.evidence << ${statuses.length})) = 0`)
  const isNew = sql.literal("(held.evidence & excluded.evidence) = 0")

  const upsertRows = (lines: Lines) =>
    sql`INSERT INTO pawl_transactions AS held ${sql.insert(
      Arr.map(lines, ({ claims, scope, transaction_id }) => ({
        transaction_id,
        scope,
        method: claims[0].method,
        kind: claims[0].kind,
        ordered: claims[0].ordered,
        secret: Arr.lastNonEmpty(claims).secret,
        evidence: Evidence.claimed(claims[0].status),
        callbacks: claims.length,
        retry_at: claims[0].at,
        created_at: claims[0].at,
        new_status_at: claims[0].at,
        unconfirmed_at: Arr.lastNonEmpty(claims).at,
        due_at: claims[0].at
      }))
    )} ON CONFLICT (transaction_id, scope) DO UPDATE SET
      kind = CASE WHEN held.kind = held.method THEN excluded.kind ELSE held.kind END,
      ordered = COALESCE(held.ordered, excluded.ordered),
      secret = excluded.secret,
      evidence = held.evidence | excluded.evidence,
      callbacks = held.callbacks + excluded.callbacks,
      unconfirmed_at = CASE WHEN ${isUnsure} THEN excluded.unconfirmed_at ELSE held.unconfirmed_at END,
      new_status_at = CASE WHEN ${isNew} THEN excluded.new_status_at ELSE held.new_status_at END,
      polls = CASE WHEN ${isNew} THEN 0 ELSE held.polls END,
      poll_at = CASE WHEN ${isNew} THEN NULL ELSE held.poll_at END,
      due_at = CASE
        WHEN (${isNew} OR ${isUnsure}) AND (held.due_at IS NULL OR held.due_at > excluded.due_at)
        THEN excluded.due_at ELSE held.due_at END`

  const upsertCallbacks = (lines: Lines) =>
    sql<Counted>`INSERT INTO pawl_callbacks AS held ${sql.insert(
      Arr.map(lines, ({ claims, scope, transaction_id }) => ({
        transaction_id,
        scope,
        status: claims[0].status,
        count: claims.length,
        first_at: claims[0].at,
        first_body: claims[0].body,
        newest_at: Arr.lastNonEmpty(claims).at,
        newest_body: claims.length === 1 ? null : Arr.lastNonEmpty(claims).body
      }))
    )} ON CONFLICT (transaction_id, scope, status) DO UPDATE SET
      count = held.count + excluded.count,
      newest_at = excluded.newest_at,
      newest_body = COALESCE(excluded.newest_body, excluded.first_body)
      RETURNING transaction_id, scope, count`

  const upsert = sql.onDialectOrElse({
    pg: () => (lines: Lines) =>
      lone(lines, sql<Counted>`WITH rows AS (${upsertRows(lines)}) ${upsertCallbacks(lines)}`),
    orElse: () => (lines: Lines) =>
      Effect.map(
        Effect.forEach(pieces(lines), (piece) =>
          Effect.andThen(upsertRows(piece), upsertCallbacks(piece))
        ),
        Arr.flatten
      )
  })

  /** What a group brings, each under the row it belongs to; what is new to the ledger under a new one. */
  const linesOf = Effect.fnUntraced(function* (claims: Arr.NonEmptyReadonlyArray<Claim>) {
    const groups = Object.values(Arr.groupBy(claims, nameOf))
    const names = groups.map(([name]) => name)
    const there = Map.groupBy(yield* lone(names, rowsUnder(sql, names)), nameOf)
    const lines = groups.map((group): Line => {
      const { kind, transaction_id } = group[0]
      const row = find(there.get(nameOf(group[0])) ?? [], ({ kind }) => kind, kind, "callback")
      return { claims: group, transaction_id, scope: row?.scope ?? kind }
    })
    return Arr.sortWith(lines as Arr.NonEmptyArray<Line>, keyOf, Order.String)
  })

  const acceptAll = Effect.fnUntraced(function* (claims: Arr.NonEmptyReadonlyArray<Claim>) {
    const lines = yield* linesOf(claims)
    const kept = yield* upsert(lines)
    const counts = new Map(kept.map((line) => [keyOf(line), Number(line.count)]))
    // A line that counts no more than this group brought was not there before.
    const news = new Set(
      lines.flatMap((line) =>
        counts.get(keyOf(line)) === line.claims.length ? [line.claims[0]] : []
      )
    )
    return claims.map((claim) => ({ isNew: news.has(claim) }))
  })

  return sql.onDialectOrElse({
    pg: () => acceptAll,
    orElse: () => (claims: Arr.NonEmptyReadonlyArray<Claim>) =>
      sql.withTransaction(acceptAll(claims))
  })
}

/** Few lengths, so that each has a text that stays prepared: SQLite takes as long to prepare one as to run it. */
const lengths = [64, 16, 4]

const pieces = <A>(
  list: Arr.NonEmptyReadonlyArray<A>
): Arr.NonEmptyArray<Arr.NonEmptyReadonlyArray<A>> => {
  const length = lengths.find((each) => each <= list.length) ?? 1
  const [piece, rest] = Arr.splitAtNonEmpty(list, length)
  return Arr.isArrayNonEmpty(rest) ? [piece, ...pieces(rest)] : [piece]
}

/** What rows are looked for by. */
interface Name {
  readonly method: Method
  readonly transaction_id: string
}

/** Every scope there is: PostgreSQL may have no statistics to see that an id has few rows. */
const scopes = {
  pg: () =>
    ` AND scope IN (${Object.entries(kindsOf)
      .flatMap(([method, kinds]) => [...kinds, method])
      .map((scope) => `'${scope}'`)
      .join(", ")})`,
  orElse: () => ""
}

/** Reads which rows there are under the ids of names, in either method. */
export const rowsUnder = (
  sql: SqlClient,
  names: ReadonlyArray<Name>
): Statement<Key & Name & { readonly kind: Kind }> =>
  sql`SELECT transaction_id, scope, method, kind FROM pawl_transactions
    WHERE ${sql.in(
      "transaction_id",
      names.map((name) => name.transaction_id)
    )}${sql.literal(sql.onDialectOrElse(scopes))}`

/** No method has a slash. */
const nameOf = ({ method, transaction_id }: Name): string => `${method}/${transaction_id}`

/** A group has, of each method and id, callbacks of one status and one kind. */
export const place = (claim: Claim) => ({
  key: nameOf(claim),
  part: `${claim.status}/${claim.kind}`
})
