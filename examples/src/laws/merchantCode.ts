/**
 * Shows code of a merchant that the laws of the testkit check in `test/laws.test.ts`: a rule for statuses, a
 * handler, and a ledger that logs every callback.
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

/** Returns the status of an order after a callback, by the documented rule. */
export const rule = (stored: string | undefined, incoming: string) =>
  (ranks.get(incoming) ?? 0) > (ranks.get(stored ?? "") ?? 0) ? incoming : stored

/** A handler: sends a parcel when an order is paid, and asks for it back when the money is lost. Idempotent. */
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
