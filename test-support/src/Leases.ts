import type { Kind } from "@pawl/core/Kind"
import type { Ledger } from "@pawl/webhook/Ledger"
import type { Leased } from "@pawl/webhook/internal/rule/Row"
import * as Effect from "effect/Effect"

export const keyOf = (row: { readonly scope: Kind; readonly transactionId: string }) =>
  `${row.scope} ${row.transactionId}`

/** The parts of a ledger that note which rows are leased. */
export const watching = (ledger: Ledger["Service"]) => {
  const leases = new Map<string, Leased>()
  const port: Pick<Ledger["Service"], "claim" | "write"> = {
    claim: (asked) =>
      Effect.tap(ledger.claim(asked), ({ rows }) =>
        Effect.sync(() => {
          for (const row of rows) leases.set(keyOf(row), row)
        })
      ),
    write: (leased, change) =>
      Effect.tap(ledger.write(leased, change), (written) =>
        Effect.sync(() => {
          if (written !== undefined && change.release) leases.delete(keyOf(leased))
        })
      )
  }
  return { leases, port }
}
