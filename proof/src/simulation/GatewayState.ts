/** Storage for a gateway's state that outlives the gateway. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { ScheduledTransaction } from "@pawl/testkit/internal/gateway/ScheduledTransaction"
import { StateStore } from "@pawl/testkit/internal/state/StateStore"

export interface GatewayState {
  readonly layer: Layer.Layer<never>
  readonly transactions: () => ReadonlyArray<Transaction>
  readonly transaction: (id: string) => Transaction | undefined
}

export const makeMemory = (): GatewayState => {
  const maps = new Map<string, Map<string, unknown>>()
  const open = <A>(name: string) => {
    const map = maps.get(name) ?? new Map<string, unknown>()
    maps.set(name, map)
    // Each name is opened with one type of value.
    return map as Map<string, A>
  }
  const entries = open<ScheduledTransaction>("transaction")
  return {
    layer: Layer.succeed(StateStore, { open, save: Effect.void }),
    transactions: () => Array.from(entries.values(), ({ transaction }) => transaction),
    transaction: (id) => entries.get(id)?.transaction
  }
}
