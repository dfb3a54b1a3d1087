/**
 * Checks the rows of a ledger at the end of a run, over another connection.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import { Ledger } from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stores from "./Stores.ts"

interface Callbacks {
  readonly histories: ReadonlyMap<string, ReadonlyArray<Status>>
  readonly accepted: ReadonlyMap<string, ReadonlyArray<Status>>
}

/** Ends the wait for the last marks, in milliseconds. */
const markTimeout = 240_000

/** Checks that each callback answered 200 is stored, and each end marked told. */
export const check = (
  store: Stores.SqlStore,
  { accepted, histories }: Callbacks,
  miss: (sentence: string) => void
) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const startedAt = performance.now()
    for (const [id, history] of histories) {
      const row = yield* Effect.repeat(ledger.get("apm", id), {
        until: (row) => row?.told === history.at(-1) || performance.now() > startedAt + markTimeout,
        schedule: Schedule.spaced("100 millis")
      })
      const answered = accepted.get(id) ?? []
      const { callbacks = 0, evidence = Evidence.none, told } = row ?? {}
      const lost = answered.filter((status) => (evidence & Evidence.claimed(status)) === 0)
      if (lost.length > 0) miss(`${id}: ${lost.join()} were answered 200 and are lost`)
      if (callbacks < answered.length)
        miss(`${id}: ${answered.length} were answered 200, ${callbacks} are stored`)
      if (told !== history.at(-1))
        miss(`${id} ended ${String(history.at(-1))}, and is marked told ${String(told)}`)
    }
  }).pipe(
    Effect.provide(Layer.fresh(LedgerSql.layer).pipe(Layer.provide(Stores.layerClient(store))))
  )
