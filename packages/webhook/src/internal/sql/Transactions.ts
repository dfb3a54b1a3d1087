/**
 * One transaction of the ledger's database, for what belongs together.
 *
 * @since 0.1.0
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as Store from "./Retry.ts"

/**
 * Runs work in a transaction. What the database could do another time (it is busy, away, or was met by
 * others at the same rows) is `StoreUnavailable`; what it refuses fails as it is.
 */
export const make =
  (sql: SqlClient, scope: Scope.Scope) =>
  <A, E>(work: Effect.Effect<A, E, SqlClient>): Effect.Effect<A, E | SqlError | StoreUnavailable> =>
    Effect.provideService(work, SqlClient, sql).pipe(
      sql.withTransaction,
      Store.within(scope),
      Effect.mapError((error) =>
        isSqlError(error) && error.isRetryable ? new StoreUnavailable({ cause: error }) : error
      )
    )
