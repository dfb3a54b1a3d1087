/** Parts of ledgers with planted bugs, which wrap the ledger in memory. */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Kind } from "@pawl/core/Kind"
import type { Ledger } from "@pawl/webhook/Ledger"
import type { Key, Leased, Row } from "@pawl/webhook/internal/rule/Row"
import * as Effect from "effect/Effect"

export type Port = Ledger["Service"]
/** Returns the parts of a ledger that a bug changes. */
export type ChangeLedger = (ledger: Port) => Partial<Port>

export const seeing =
  (change: (row: Row) => Row | undefined) =>
  (ledger: Port): Pick<Port, "get"> => ({
    get: (...key) => Effect.map(ledger.get(...key), (row) => row && change(row))
  })

export const keyOf = (row: { readonly scope: Kind; readonly transactionId: string }) =>
  `${row.scope} ${row.transactionId}`

export const watching = (ledger: Port) => {
  const leases = new Map<string, Leased>()
  return {
    leases,
    isLeased: (id: string) =>
      [...leases.values()].some(({ transactionId }) => transactionId === id),
    port: {
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
    } satisfies Partial<Port>
  }
}

/** Sets when a row without a lease is due, and leaves the rows before it unchanged. */
export const putOff = (
  ledger: Port,
  key: Key,
  at: number,
  dueAt: number | undefined
): Effect.Effect<void, StoreUnavailable> =>
  Effect.gen(function* () {
    const since = yield* nextDue(ledger)
    const { rows } = yield* ledger.claim({ at, until: at + 1, limit: 1 })
    for (const row of rows) {
      const isTarget = row.method === key.method && row.transactionId === key.transactionId
      if (!isTarget) yield* putOff(ledger, key, at, dueAt)
      yield* ledger.write(row, { release: { dueAt: isTarget ? dueAt : since } })
    }
  })

const nextDue = (ledger: Port) =>
  Effect.map(ledger.claim({ at: -1, until: -1, limit: 1 }), ({ dueAt }) => dueAt)
