/**
 * PostgreSQL, for a receiver that is more than one machine, over `@effect/sql-pg`.
 *
 * **Details**
 *
 * `@effect/sql-pg` is an optional peer: install it beside this package. Its client speaks the protocol
 * itself; there is no driver beneath it.
 *
 * @since 0.1.0
 */
import { layer as layerClient, type PgClient, type PgPoolConfig } from "@effect/sql-pg/PgClient"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Ledger } from "./Ledger.ts"
import * as LedgerSql from "./LedgerSql.ts"

/**
 * Layer that keeps the ledger in PostgreSQL, in one line.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerLedger = (
  options: PgPoolConfig
): Layer.Layer<Ledger | LedgerSql.Transactions, LedgerSql.StartError> =>
  Layer.provide(LedgerSql.layer, layer(options))

/**
 * Layer that opens a pool of connections as a `SqlClient`, with what a ledger needs of them.
 *
 * **Details**
 *
 * At most 10 connections, in UTC, that notice a dead peer in less than a minute. Whatever `options`
 * says comes first.
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
      ...options.startupParameters
    }
  })
