/**
 * The effects of a handler with `commit`: a row for each told transition, in the ledger's database.
 */
import type { Transition } from "@pawl/core/Handler"
import { rank, type Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Miss } from "./Run.ts"
import * as Stores from "./Stores.ts"

interface Line {
  readonly id: string
  readonly sequence: number
  readonly status: Status
}

/** The table has no key, so that an effect that is written twice is found. */
export const makeTable = (store: Stores.SqlStore) =>
  Stores.execute(
    store,
    "CREATE TABLE effects (transaction_id TEXT NOT NULL, sequence INTEGER NOT NULL, status TEXT NOT NULL)"
  )

export const insert = (sql: SqlClient, { sequence, to, transactionId }: Transition) =>
  sql`INSERT INTO effects (transaction_id, sequence, status) VALUES (${transactionId}, ${sequence}, ${to})`

export const check = (
  store: Stores.SqlStore,
  histories: ReadonlyMap<string, ReadonlyArray<Status>>,
  miss: Miss
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const lines = yield* sql<Line>`SELECT transaction_id AS id, sequence, status FROM effects
      ORDER BY transaction_id, sequence`
    const byId = Map.groupBy(lines, ({ id }) => id)
    for (const [id, effects] of byId) {
      for (const [index, { sequence, status }] of effects.entries()) {
        const before = effects[index - 1]
        if (before === undefined) continue
        if (sequence === before.sequence || status === before.status)
          miss(`${id} has two effects of ${status} by sequence ${sequence}`)
        else if (rank(status) < rank(before.status))
          miss(`the effect of ${status} of ${id} came after that of ${before.status}`)
      }
    }
    for (const [id, history] of histories) {
      const last = byId.get(id)?.at(-1)?.status
      if (last !== history.at(-1))
        miss(`${id} ended ${String(history.at(-1))}, and its last effect is ${String(last)}`)
    }
    return lines.length
  }).pipe(Effect.provide(Stores.layerClient(store)))
