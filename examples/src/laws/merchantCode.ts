/**
 * Shows code of a merchant that the laws of the testkit check in `test/laws.test.ts`: a rule for statuses, a
 * shop with its handler, and a ledger that logs every callback.
 */
import type * as Handler from "@pawl/testkit/Laws/Handler"
import { layerMemory, Ledger } from "@pawl/webhook/Ledger"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const ranks = new Map([
  ["NEW", 1],
  ["PENDING", 2],
  ["PROCESSING", 3],
  ["CUSTOMER_VERIFICATION", 3],
  ["SUCCEED", 10],
  ["FAILED", 10],
  ["CANCELLED", 10],
  ["REFUNDED", 11],
  ["CHARGEBACK", 12]
])

const rank = (status = "") => ranks.get(status) ?? 0

/** Returns the status of an order after a callback, by the documented rule. */
export const rule = (stored: string | undefined, incoming: string) =>
  rank(incoming) > rank(stored) ? incoming : stored

/** A shop with one order: gives its goods when a payment of it is SUCCEED, and takes them back when that ends. */
export const shop: Handler.Open = (order) => {
  /** The last transition of each payment. A real shop has a table for it. */
  const payments = new Map<string, { readonly to: string; readonly sequence: number }>()
  const onChange: Handler.Handle = ({ kind, requestId, sequence, to, transactionId }) => {
    if (kind !== "card-payment" || requestId !== order.requestId || !ranks.has(to)) return
    const last = payments.get(transactionId)
    // The rank decides first, because the numbers start again after an older backup was restored.
    const by = rank(to) - rank(last?.to) || sequence - (last?.sequence ?? 0)
    if (by > 0) payments.set(transactionId, { to, sequence })
  }
  const isPaid = () => [...payments.values()].some(({ to }) => to === "SUCCEED")
  return { start: () => onChange, read: () => ({ stock: isPaid() ? 1 : 0 }) }
}

/** A ledger in memory that logs each accepted callback. */
export const ledger = Layer.effect(
  Ledger,
  Effect.map(Ledger, (ledger) => ({
    ...ledger,
    accept: (verified, at) =>
      Effect.tap(ledger.accept(verified, at), ({ isNew }) =>
        Effect.logDebug(`${verified.transactionId} ${verified.claim} ${isNew ? "new" : "again"}`)
      )
  }))
).pipe(Layer.provide(layerMemory))
