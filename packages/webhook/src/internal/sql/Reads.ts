/**
 * Reading one transaction in SQL: from the tables of the ledger, and from the archive if they have no row of its id.
 */
import type { Method } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Key } from "../../Row.ts"
import { find } from "../../StoredRow.ts"
import * as ArchiveReads from "./ArchiveReads.ts"
import * as SqlClaim from "./Claim.ts"
import * as SqlFacts from "./Facts.ts"
import * as Lookup from "./Lookup.ts"
import { type Columns, rowOf } from "./RowCodec.ts"

/** Reads the tables, then the archive, and the tables again: a row may come back between the two. */
const orArchived = Effect.fnUntraced(function* <A>(
  stored: Effect.Effect<A, SqlError>,
  archived: Effect.Effect<A, SqlError>,
  isNone: (found: A) => boolean
) {
  for (const read of [stored, archived]) {
    const found = yield* read
    if (!isNone(found)) return found
  }
  return yield* stored
})

const isUndefined = (found: unknown): boolean => found === undefined

/** Translates `StoredRow.get`. */
export const get = (sql: SqlClient, method: Method, transactionId: string) =>
  orArchived(
    Effect.gen(function* () {
      const lines = yield* sql<Columns>`SELECT * FROM pawl_transactions
        WHERE transaction_id = ${transactionId} AND method = ${method}`
      const line = find(lines, ({ kind }) => kind, method, "callback")
      return line && rowOf(line, (yield* SqlClaim.newestOfAll(sql, [line]))(line))
    }),
    ArchiveReads.get(sql, method, transactionId),
    isUndefined
  )

interface Body {
  readonly body: Uint8Array | null
}

/** Returns the body of the newest callback of a row that claims a status. */
export const body = (sql: SqlClient, key: Required<Key>, status: Status) => {
  const { method, scope = method, transactionId } = key
  return Effect.map(
    orArchived<ReadonlyArray<Body>>(
      sql<Body>`SELECT COALESCE(newest_body, first_body) AS body FROM pawl_callbacks
        WHERE transaction_id = ${transactionId} AND scope = ${scope} AND status = ${status}`,
      ArchiveReads.bodies(sql, { method, scope, transactionId }, status),
      ({ length }) => length === 0
    ),
    ([line]) => line?.body ?? undefined
  )
}

/** Reads the rows of a method and id with their facts. */
export const stories = (sql: SqlClient, method: Method, transactionId: string) =>
  orArchived(
    SqlFacts.stories(sql, method, transactionId),
    ArchiveReads.stories(sql, method, transactionId),
    ({ length }) => length === 0
  )

/** Tells whether an id is that of a registered refund. */
export const isRegisteredRefund = (sql: SqlClient, refundId: string) =>
  orArchived(
    Lookup.isRegisteredRefund(sql, refundId),
    ArchiveReads.isRegisteredRefund(sql, refundId),
    (isRegistered) => !isRegistered
  )
