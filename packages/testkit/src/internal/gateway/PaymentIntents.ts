/**
 * How the service answers about payment intents.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AskedMetadata, Mid, present } from "./Asked.ts"
import type { Checkout } from "./Checkout.ts"
import { type Handlers, reader } from "./Contract.ts"
import type { Pages } from "./Pages.ts"
import type { Requests } from "./Requests.ts"

/** Makes the handler of the endpoint of payment intents. */
export const make = (
  checkout: Checkout,
  requests: Requests,
  pages: Pages
): Pick<Handlers, "createPaymentIntent"> => ({
  createPaymentIntent: Effect.fnUntraced(function* ({ payload }) {
    yield* read(payload)
    return yield* requests.once(
      "createPaymentIntent",
      payload.requestId,
      Effect.map(checkout.create(payload), ({ intentId }) => ({
        ...pages.ofIntent(intentId),
        errorCode: null,
        ...present({ metadata: payload.metadata })
      }))
    )
  })
})

const read = reader(Schema.Struct({ mid: Mid, metadata: AskedMetadata }))
