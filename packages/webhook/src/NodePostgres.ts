/**
 * PostgreSQL over `@effect/sql-pg`, for a receiver on several machines. Install this optional peer
 * dependency beside the package.
 *
 * @since 0.1.0
 */
// Vite bundles an empty module for an absent optional peer, which a named import of a value refuses.
import * as PgClient from "@effect/sql-pg/PgClient"
import { isolated } from "@pawl/core/internal/Isolated"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
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
  options: PgClient.PgPoolConfig
): Layer.Layer<Ledger | Records | RequestStore | LedgerSql.Transactions, LedgerSql.StartError> =>
  isolated(Layer.provide(LedgerSql.layer, layer(options)))

/**
 * Layer that opens a pool of connections as a `SqlClient`, with settings for a ledger. `options`
 * override them.
 *
 * **Details**
 *
 * - At most 10 connections, in UTC. A dead server is noticed in less than a minute.
 * - `synchronous_commit` is on, whatever the role or database sets.
 * - A statement waits at most 500 ms for a lock. `statement_timeout` is off, whatever the role or
 *   database sets.
 * - The server ends a transaction that is idle for 5 seconds.
 *
 * **Gotchas**
 *
 * PgBouncer needs `pool_mode = session`, else the ledger does not start. It refuses unknown
 * settings: name them in its `ignore_startup_parameters`, and set them on the role.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = ({
  applicationName,
  connectTimeout = "2 seconds",
  keepAlive = "30 seconds",
  maxConnections = 10,
  ...options
}: PgClient.PgPoolConfig): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> =>
  PgClient.layer({
    ...options,
    applicationName: applicationName ?? nameIn(options.url) ?? "pawl",
    connectTimeout,
    keepAlive,
    maxConnections,
    startupParameters: {
      TimeZone: "UTC",
      synchronous_commit: "on",
      lock_timeout: "500ms",
      // A connection would keep the timeout of its role until it closes, even after a person corrected the role.
      statement_timeout: "0",
      // Longer than the three seconds after which a transaction fails.
      idle_in_transaction_session_timeout: "5s",
      ...options.startupParameters
    }
  })

const nameIn = (url: Redacted.Redacted | undefined): string | null | undefined =>
  url === undefined
    ? undefined
    : URL.parse(Redacted.value(url))?.searchParams.get("application_name")
