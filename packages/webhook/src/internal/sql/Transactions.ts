/**
 * Transactions of the ledger's database, for work that is written together with the ledger.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as Retry from "./Retry.ts"

/**
 * Makes the function that runs work in a transaction. Fails with `StoreUnavailable` if a retry may help:
 * the database is busy, is not available, or had a conflict. Any other error is returned as it is.
 */
export const make =
  (sql: SqlClient, scope: Scope.Scope) =>
  <A, E>(work: Effect.Effect<A, E, SqlClient>): Effect.Effect<A, E | SqlError | StoreUnavailable> =>
    Effect.provideService(work, SqlClient, sql).pipe(
      sql.withTransaction,
      Retry.timeoutIn(scope),
      Effect.mapError((error) =>
        isSqlError(error) && error.isRetryable ? new StoreUnavailable({ cause: error }) : error
      )
    )
