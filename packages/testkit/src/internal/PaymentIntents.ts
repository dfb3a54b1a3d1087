/**
 * How the service answers about payment intents.
 *
 * **Details**
 *
 * An intent is a page, and there is none: an intent is checked like any other request and then answered
 * without an address, with the errorCode `PAGE_UNAVAILABLE`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AskedMetadata, Mid, present } from "./Asked.ts"
import { type Handlers, reader } from "./Contract.ts"
import type { Requests } from "./Requests.ts"

/**
 * Makes the handler of the endpoint of payment intents.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (requests: Requests): Pick<Handlers, "createPaymentIntent"> => ({
  createPaymentIntent: Effect.fnUntraced(function* ({ payload }) {
    yield* read(payload)
    return yield* requests.once(
      "createPaymentIntent",
      payload.requestId,
      Effect.succeed({
        redirectUrl: null,
        iframeUrl: null,
        errorCode: "PAGE_UNAVAILABLE",
        ...present({ metadata: payload.metadata })
      })
    )
  })
})

const read = reader(Schema.Struct({ mid: Mid, metadata: AskedMetadata }))
