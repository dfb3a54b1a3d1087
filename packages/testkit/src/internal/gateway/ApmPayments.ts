/**
 * How the service answers about APM payments.
 */
import * as Effect from "effect/Effect"
import type { Create } from "./Apm.ts"
import type { Book } from "./Book.ts"
import type { Handlers } from "./Contract.ts"

/** Makes the handlers of the endpoints of APM payments. */
export const make = (
  book: Book,
  create: Create
): Pick<Handlers, "createApmPayment" | "readApmPaymentStatus"> => ({
  createApmPayment: create("apm-payment"),
  readApmPaymentStatus: ({ params }) =>
    Effect.map(book.find("apm-payment", params.id), ({ status }) => status)
})
