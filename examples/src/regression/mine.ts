/**
 * What a merchant writes, and puts to the laws in `test/regression.test.ts`: a rule, a warehouse that is told of
 * transitions, and a ledger that leaves a trace of every callback.
 */
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

/** What the order's row says after a callback. */
export const rule = (stored: string | undefined, incoming: string) =>
  (ranks.get(incoming) ?? 0) > (ranks.get(stored ?? "") ?? 0) ? incoming : stored

/** Sends a parcel when an order is paid, and asks for it back when the money is gone; it may be told twice. */
export const warehouse = () => {
  const sent = new Set<string>()
  const askedBack = new Set<string>()
  const log: Array<"sent" | "asked back"> = []
  return {
    log,
    handle: ({
      to,
      transactionId: id
    }: {
      readonly to: string
      readonly transactionId: string
    }) => {
      if (to === "SUCCEED" && !sent.has(id)) {
        sent.add(id)
        log.push("sent")
      } else if (to !== "SUCCEED" && sent.has(id) && !askedBack.has(id)) {
        askedBack.add(id)
        log.push("asked back")
      }
    }
  }
}

/** A ledger that logs what it accepted, once it has. */
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
