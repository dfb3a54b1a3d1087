/**
 * Handlers of APM payments.
 */
import * as Effect from "effect/Effect"
import type { Create } from "./Apm.ts"
import type { Transactions } from "./Transactions.ts"
import type { Handlers } from "./Contract.ts"

/** Makes the handlers of the APM payment endpoints. */
export const make = (
  transactions: Transactions,
  create: Create
): Pick<Handlers, "createApmPayment" | "readApmPaymentStatus"> => ({
  createApmPayment: create("apm-payment"),
  readApmPaymentStatus: ({ params }) =>
    Effect.map(transactions.find("apm-payment", params.id), ({ status }) => status)
})
