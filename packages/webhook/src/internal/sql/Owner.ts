/**
 * The merchant of a database, so that no receiver of several merchants puts the rows of one into the ledger of another.
 *
 * **Details**
 *
 * The database is asked before anything uses it: a worker that starts on the rows of another merchant tells them to the wrong
 * handler within milliseconds.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { MigrationError } from "effect/sql/Migrator"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Retry from "./Retry.ts"

/** The merchant whose databases are opened; undefined in a receiver of one merchant. */
export const Merchant: Context.Reference<string | undefined> = /* @__PURE__ */ Context.Reference(
  "@pawl/webhook/internal/sql/Owner/Merchant",
  { defaultValue: (): string | undefined => undefined }
)

/** Keeps the merchant of a database that has none, and fails if the database is that of another one. */
export const take = Effect.fnUntraced(function* (
  sql: SqlClient
): Effect.fn.Return<void, SqlError | MigrationError> {
  const merchant = yield* Merchant
  if (merchant === undefined) return
  const [line] = yield* Retry.onConflict(
    Effect.andThen(
      sql`INSERT INTO pawl_merchant (line, id) VALUES (1, ${merchant}) ON CONFLICT DO NOTHING`,
      sql<{ readonly id: string }>`SELECT id FROM pawl_merchant`
    )
  )
  if (line?.id === merchant) return
  return yield* new MigrationError({
    kind: "BadState",
    message: `The store of ${merchant} has the rows of another merchant: give each merchant the store that he had before`
  })
})
