/**
 * Shows a checkout: makes an APM payment and returns the next page for the customer. The order id is the requestId, so an
 * order is paid once, however often the customer presses the button, even if processes end in between.
 *
 * `examples/test/checkout.test.ts` runs it against the in-memory service, by replacing one layer.
 */
import * as NextAction from "@pawl/core/NextAction"
import { Requests } from "@pawl/webhook/Requests"
import * as Effect from "effect/Effect"

/** The page after the order: a redirect, an apology, or the thank-you page. */
export type Page = { readonly goTo: string } | { readonly sorry: string } | "thanks"

export const checkout = Effect.fn("checkout")(
  function* (orderId: string, amount: string, metadata: Readonly<Record<string, string>> = {}) {
    const { send } = yield* Requests
    const payment = yield* send("apm-payment", {
      requestId: orderId,
      accountId: "4711",
      amount,
      currency: "EUR",
      apmPayload: { paymentMethod: "WALLET" },
      successRedirectUrl: "https://shop.example/thanks",
      failureRedirectUrl: "https://shop.example/sorry",
      metadata
    })
    const next = NextAction.of(payment)
    const page: Page = next !== undefined && "url" in next ? { goTo: next.url } : "thanks"
    return page
  },
  Effect.catchTag("Declined", ({ declineCode }) =>
    Effect.succeed<Page>({ sorry: `Declined with code ${declineCode ?? "none"}` })
  )
)
