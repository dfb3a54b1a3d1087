/**
 * Reading archived rows, when the tables of the ledger have none of an id.
 */
import type { Kind, Method } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../../Row.ts"
import { find } from "../../StoredRow.ts"
import type { Story } from "../../Story.ts"
import * as ArchiveCodec from "./ArchiveCodec.ts"
import * as ArchiveTables from "./ArchiveTables.ts"
import * as SqlFacts from "./Facts.ts"
import { type Columns, newestOf, rowOf } from "./RowCodec.ts"

const callbacksOf = ({ lines, transaction_id }: ArchiveTables.Archived) =>
  lines.callbacks.map((line) => ({ ...line, transaction_id }))

/** Returns an archived row. */
export const rowIn = (archived: ArchiveTables.Archived): Row =>
  rowOf(columnsIn(archived), newestIn(archived))

const columnsIn = ({ lines, transaction_id }: ArchiveTables.Archived): Columns =>
  ArchiveCodec.columnsOf(transaction_id, lines)

const newestIn = (archived: ArchiveTables.Archived) =>
  newestOf(
    callbacksOf(archived).flatMap((line) =>
      line.newest_at === null ? [] : [{ ...line, at: line.newest_at }]
    )
  )

/** Translates `StoredRow.get` for archived rows. */
export const get = (
  sql: SqlClient,
  method: Method,
  transaction_id: string
): Effect.Effect<Row | undefined, SqlError> =>
  Effect.map(ArchiveTables.rowsOf(sql, { method, transaction_id }), (rows) => {
    const found = find(rows, (row) => columnsIn(row).kind, method, "callback")
    return found && rowIn(found)
  })

/** Returns the stories of archived rows. */
export const stories = (
  sql: SqlClient,
  method: Method,
  transaction_id: string
): Effect.Effect<ReadonlyArray<Story>, SqlError> =>
  Effect.map(ArchiveTables.rowsOf(sql, { method, transaction_id }), (rows) =>
    rows.map((archived) => {
      const facts = archived.lines.facts.map((line) => ({ ...line, transaction_id }))
      return SqlFacts.storyOf(columnsIn(archived), newestIn(archived), {
        accepted: callbacksOf(archived),
        facts
      })
    })
  )

/** Returns the body of the newest callback of an archived row that claims a status, if there is such a callback. */
export const bodies = (
  sql: SqlClient,
  key: { readonly method: Method; readonly scope: Kind; readonly transactionId: string },
  status: Status
): Effect.Effect<ReadonlyArray<{ readonly body: Uint8Array | null }>, SqlError> =>
  Effect.map(
    ArchiveTables.rowsOf(sql, { method: key.method, transaction_id: key.transactionId }),
    (rows) =>
      rows
        .flatMap(callbacksOf)
        .filter((line) => line.scope === key.scope && line.status === status)
        .map(({ first_body, newest_body }) => ({ body: newest_body ?? first_body }))
  )

/** Tells whether an archived row is that of a registered refund. */
export const isRegisteredRefund = (
  sql: SqlClient,
  refundId: string
): Effect.Effect<boolean, SqlError> =>
  Effect.map(ArchiveTables.rowsOf(sql, { method: "card", transaction_id: refundId }), (rows) =>
    rows.some((row) => columnsIn(row).kind === "refund" && columnsIn(row).registered === 1)
  )
