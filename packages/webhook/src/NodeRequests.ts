/**
 * Durable requests over one SQLite file, configured by the environment.
 *
 * **Details**
 *
 * Reads `PAWL_MERCHANT_SECRET` and the optional keys of `Seal`. A receiver over the same file
 * delivers the transitions of their transactions.
 *
 * **Example** (The layer; `Requests` shows a payment)
 *
 * ```ts
 * import * as NodeRequests from "@pawl/webhook/NodeRequests"
 *
 * // Needs a `RequestSender`, which `Pawl.layerConfig()` of `@pawl/http` provides.
 * export const layer = NodeRequests.layerConfig({ filename: "orders.db" })
 * ```
 *
 * @since 0.1.0
 */
import type { InvalidSecret } from "@pawl/core/CallbackError"
import * as NodeHmac from "@pawl/core/NodeHmac"
import type { RequestSender } from "@pawl/core/RequestSender"
import type * as Config from "effect/Config"
import * as Layer from "effect/Layer"
import * as CallbackUrl from "./CallbackUrl.ts"
import type { Ledger, StoreUnusable } from "./Ledger.ts"
import type * as LedgerSql from "./LedgerSql.ts"
import * as NodeSqlite from "./NodeSqlite.ts"
import * as Requests from "./Requests.ts"
import type { RequestStore } from "./internal/ledger/RequestStore.ts"
import * as Seal from "./Seal.ts"

/**
 * The options of `Requests`, and the database file.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Requests.Options, NodeSqlite.Options {}

/**
 * Durable requests, and the ledger that shares their database.
 *
 * @category models
 * @since 0.1.0
 */
export type Services = Requests.Requests | Ledger | RequestStore | LedgerSql.Transactions

/**
 * Error raised when the file cannot be used, or when a secret or seal key is missing or invalid.
 *
 * @category errors
 * @since 0.1.0
 */
export type StartError =
  | LedgerSql.StartError
  | StoreUnusable
  | Config.ConfigError
  | InvalidSecret
  | Seal.InvalidSealKey

/**
 * Layer that makes durable requests with the settings of the environment.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (options: Options): Layer.Layer<Services, StartError, RequestSender> =>
  Requests.layer(options).pipe(
    Layer.provideMerge(NodeSqlite.layerLedger(options)),
    Layer.provide([CallbackUrl.layerConfig, Seal.layerConfig]),
    Layer.provide(NodeHmac.layer)
  )
