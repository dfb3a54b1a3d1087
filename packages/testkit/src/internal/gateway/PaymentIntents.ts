import type { Metadata } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scenario from "../../Scenario.ts"
import { scenarioMetadata, withoutUndefined } from "./RequestRules.ts"
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
    const { metadata, requestId } = payload
    const errorCode = rejectionOf(metadata)
    if (errorCode === undefined) yield* read(payload)
    const create = Effect.gen(function* () {
      const urls =
        errorCode === undefined
          ? pageUrls.ofIntent((yield* checkout.create(payload)).intentId)
          : { redirectUrl: null, iframeUrl: null }
      return { ...urls, errorCode: errorCode ?? null, ...withoutUndefined({ metadata }) }
    })
    return yield* writes.once("createPaymentIntent", requestId, create)
  })
})

const read = reader(Schema.Struct({ metadata: scenarioMetadata("; or reject:<errorCode>") }))

/** Only an intent has this scenario. */
const rejectionOf = (metadata: Metadata | undefined): string | undefined =>
  /^reject:([A-Za-z0-9_-]{1,64})$/u.exec(metadata?.[Scenario.key] ?? "")?.[1]
