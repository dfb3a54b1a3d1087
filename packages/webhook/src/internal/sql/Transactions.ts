/**
 * Transactions of the ledger's database, for work that is written together with the ledger.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as Retry from "./Retry.ts"
import { isReadOnly } from "./Server.ts"

interface Options {
  readonly scope: Scope.Scope
  /** Is given each error of the database. */
  readonly retire: (error: SqlError) => Effect.Effect<void>
}

/**
 * Makes the function that runs work in a transaction. Fails with `StoreUnavailable` if a retry may help:
 * the database is busy, is not available, is read-only after a fail-over, or had a conflict. Any other error is
 * returned as it is.
 */
export const make =
  (sql: SqlClient, { retire, scope }: Options) =>
  <A, E>(work: Effect.Effect<A, E, SqlClient>): Effect.Effect<A, E | SqlError | StoreUnavailable> =>
    Effect.provideService(work, SqlClient, sql).pipe(
      sql.withTransaction,
      Retry.timeoutIn(scope),
      Effect.tapError((error) => (isSqlError(error) ? retire(error) : Effect.void)),
      Effect.mapError((error) =>
        isSqlError(error) && (error.isRetryable || isReadOnly(error))
          ? new StoreUnavailable({ cause: error })
          : error
      )
    )
