/**
 * The tables of the SQL ledger, in words both SQLite and PostgreSQL understand.
 *
 * **Details**
 *
 * - `pawl_transactions`: the row; its terms are JSON. `free_at` is when it may be claimed: when its lease is over, or when
 *   it is due; null when neither, and then it is in no index but its key. `was_free_at` is what that was
 *   when it was last claimed.
 * - `pawl_callbacks`: of every status of a row the first and the newest verified body, and how many
 *   came. `newest_body` is null while the first is the newest, `newest_at` once both are forgotten.
 * - `pawl_quarantine`: bodies that verified and cannot be acted on, once each.
 *
 * Times are milliseconds since the epoch, given with each statement: no column has a time zone and no
 * statement asks the database what time it is. Bodies are the bytes that came.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Store from "./Retry.ts"

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bytes = sql.literal(sql.onDialectOrElse({ pg: () => "BYTEA", orElse: () => "BLOB" }))

  yield* sql`CREATE TABLE pawl_transactions (
    transaction_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    method TEXT NOT NULL,
    kind TEXT NOT NULL,
    ordered TEXT,
    amount_cleared INTEGER NOT NULL DEFAULT 0,
    secret TEXT,
    evidence INTEGER NOT NULL DEFAULT 0,
    read_status TEXT,
    read_at BIGINT,
    callbacks BIGINT NOT NULL DEFAULT 0,
    told TEXT,
    sequence INTEGER NOT NULL DEFAULT 0,
    pending_status TEXT,
    attempt INTEGER NOT NULL DEFAULT 0,
    failing_since BIGINT,
    retry_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    new_status_at BIGINT NOT NULL,
    polls INTEGER NOT NULL DEFAULT 0,
    poll_at BIGINT,
    asked_at BIGINT,
    unconfirmed_at BIGINT,
    dead_letter_reason TEXT,
    dead_letter_at BIGINT,
    dead_letter_to TEXT,
    due_at BIGINT,
    lease BIGINT,
    lease_until BIGINT,
    was_free_at BIGINT,
    free_at BIGINT GENERATED ALWAYS AS (COALESCE(lease_until, due_at)) STORED,
    PRIMARY KEY (transaction_id, scope)
  )`
  yield* sql`CREATE INDEX pawl_transactions_free
    ON pawl_transactions (free_at) WHERE free_at IS NOT NULL`

  yield* sql`CREATE INDEX pawl_transactions_dead_letters
    ON pawl_transactions (dead_letter_at) WHERE dead_letter_at IS NOT NULL`

  yield* sql`CREATE TABLE pawl_callbacks (
    transaction_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    status TEXT NOT NULL,
    count BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    first_body ${bytes},
    newest_at BIGINT,
    newest_body ${bytes},
    PRIMARY KEY (transaction_id, scope, status)
  )`
  yield* sql`CREATE INDEX pawl_callbacks_newest
    ON pawl_callbacks (newest_at) WHERE newest_at IS NOT NULL`

  // The owner is a digest too: an identifier in quarantine may be longer than an index takes.
  yield* sql`CREATE TABLE pawl_quarantine (
    owner TEXT NOT NULL,
    digest TEXT NOT NULL,
    method TEXT NOT NULL,
    reason TEXT,
    secret TEXT NOT NULL,
    body ${bytes} NOT NULL,
    count BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    newest_at BIGINT NOT NULL,
    PRIMARY KEY (owner, digest)
  )`
  yield* sql`CREATE INDEX pawl_quarantine_newest ON pawl_quarantine (newest_at)`
})

/** Brings the tables up to date, however many processes do it at once. */
export const migrate: Effect.Effect<void, SqlError | Migrator.MigrationError, SqlClient.SqlClient> =
  Migrator.make({})({
    table: "pawl_migrations",
    loader: Migrator.fromRecord({ "1_ledger": tables })
  }).pipe(
    Effect.retry({
      ...Store.conflicts,
      while: (error) => error._tag === "SqlError" && Store.conflicts.while(error)
    }),
    Effect.asVoid
  )
