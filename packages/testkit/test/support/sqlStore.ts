import { empty } from "@pawl/test-support/Places"
import type { Ledger } from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import type { Records } from "@pawl/webhook/internal/records/Records"
import type { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { SqlClient } from "effect/sql/SqlClient"
import { afterAll } from "vitest"

/** Empties the tables each time it is built. The client is closed after the tests. */
export const emptied = <E>(
  client: Layer.Layer<SqlClient, E>
): Layer.Layer<Ledger | Records | RequestStore, E | LedgerSql.StartError> => {
  const runtime = ManagedRuntime.make(client)
  afterAll(() => runtime.dispose())
  return LedgerSql.layer.pipe(
    Layer.tap(() => empty),
    Layer.fresh,
    Layer.provide(Layer.effectContext(runtime.contextEffect))
  )
}
