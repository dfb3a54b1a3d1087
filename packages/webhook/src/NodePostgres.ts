/**
 * PostgreSQL over `@effect/sql-pg`, for a receiver on several machines.
 *
 * **Details**
 *
 * `@effect/sql-pg` is an optional peer dependency: install it beside this package. It needs no other driver.
 *
 * @since 0.1.0
 */
import { layer as layerClient, type PgClient, type PgPoolConfig } from "@effect/sql-pg/PgClient"
import { isolated } from "@pawl/core/internal/Isolated"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Ledger } from "./Ledger.ts"
import * as LedgerSql from "./LedgerSql.ts"
import type { Records } from "./internal/records/Records.ts"
import type { RequestStore } from "./internal/ledger/RequestStore.ts"

/**
 * Layer that keeps the ledger and the request store in PostgreSQL.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerLedger = (
  options: PgPoolConfig
): Layer.Layer<Ledger | Records | RequestStore | LedgerSql.Transactions, LedgerSql.StartError> =>
  isolated(Layer.provide(LedgerSql.layer, layer(options)))

/**
 * Layer that opens a pool of connections as a `SqlClient`, with the settings that a ledger needs.
 *
 * **Details**
 *
 * The pool has at most 10 connections, in UTC, and notices a dead server in less than a minute. A commit returns
 * after it is on the disk (`synchronous_commit`), also if the role or the database is set otherwise. A statement
 * waits at most half a second for a lock, and the server ends a transaction whose process has paused for 5 seconds, so
 * that a paused process does not stop the others. `options` override these settings.
 *
 * **Gotchas**
 *
 * PgBouncer refuses the settings that it does not know. List their names in its `ignore_startup_parameters`, and set
 * them on the role.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: PgPoolConfig): Layer.Layer<PgClient | SqlClient, SqlError> =>
  layerClient({
    applicationName: "pawl",
    connectTimeout: "2 seconds",
    keepAlive: "30 seconds",
    maxConnections: 10,
    ...options,
    startupParameters: {
      TimeZone: "UTC",
      synchronous_commit: "on",
      lock_timeout: "500ms",
      // Longer than the three seconds after which a transaction fails.
      idle_in_transaction_session_timeout: "5s",
      ...options.startupParameters
    }
  })
