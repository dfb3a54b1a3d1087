import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ScenarioMetadata, withoutUndefined } from "./RequestRules.ts"
import type { Checkout } from "./Checkout.ts"
import { type Handlers, reader } from "./Contract.ts"
import type { PageUrls } from "./PageUrls.ts"
import type { Writes } from "./Writes.ts"

export const make = (
  checkout: Checkout,
  writes: Writes,
  pageUrls: PageUrls
): Pick<Handlers, "createPaymentIntent"> => ({
  createPaymentIntent: Effect.fnUntraced(function* ({ payload }) {
    yield* read(payload)
    return yield* writes.once(
      "createPaymentIntent",
      payload.requestId,
      Effect.map(checkout.create(payload), ({ intentId }) => ({
        ...pageUrls.ofIntent(intentId),
        errorCode: null,
        ...withoutUndefined({ metadata: payload.metadata })
      }))
    )
  })
})

const read = reader(Schema.Struct({ metadata: ScenarioMetadata }))
