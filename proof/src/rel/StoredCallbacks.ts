/**
 * Checks the rows of a ledger at the end of a run, over another connection.
 */
import type { Status } from "@pawl/core/Status"
import { Ledger } from "@pawl/webhook/Ledger"
import * as TransactionReport from "@pawl/webhook/internal/rule/TransactionReport"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Miss } from "./Run.ts"
import * as Stores from "./Stores.ts"
import * as Wait from "./Wait.ts"

interface Callbacks {
  readonly histories: ReadonlyMap<string, ReadonlyArray<Status>>
  readonly accepted: ReadonlyMap<string, ReadonlyArray<Status>>
}

/**
 * Checks that each callback answered 200 is stored, and each end holds and is marked told. It waits
 * for the last marks for `markTimeout` milliseconds.
 */
export const check = (
  store: Stores.SqlStore,
  { accepted, histories }: Callbacks,
  miss: Miss,
  markTimeout = Wait.longest
) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const startedAt = performance.now()
    for (const [id, history] of histories) {
      const end = history.at(-1)
      const row = yield* Effect.repeat(ledger.get("apm", id), {
        until: (row) => row?.told === end || performance.now() > startedAt + markTimeout,
        schedule: Schedule.spaced("100 millis")
      })
      const answered = accepted.get(id) ?? []
      const report = row && TransactionReport.make(row)
      const lost = answered.filter((status) => report?.claimed.includes(status) !== true)
      if (lost.length > 0) miss(`${id}: ${lost.join()} were answered 200 and are lost`)
      if ((report?.callbacks ?? 0) < answered.length)
        miss(`${id}: ${answered.length} were answered 200, ${report?.callbacks ?? 0} are stored`)
      for (const name of ["status", "told"] as const) {
        if (report?.[name] !== end)
          miss(`${id} ended ${end}, and its row has ${name} ${report?.[name]}`)
      }
    }
  }).pipe(Effect.provide(Stores.layerLedger(store), { local: true }))
