/** The options may have the callback URL. The client alone needs it. */
import type { PaymentIntentInput } from "@pawl/core/PaymentIntent"
import type { RequestInput, RequestKind } from "@pawl/core/RequestSender"
import type { SubscriptionInput } from "@pawl/core/Subscription"
import type { Requests } from "../src/Requests.ts"

declare const requests: Requests["Service"]
declare const intent: Omit<PaymentIntentInput, "callbackUrl">
declare const subscription: Omit<SubscriptionInput, "callbackUrl">

export const sent = [
  requests.send("payment-intent", intent),
  requests.send("payment-intent", { ...intent, callbackUrl: "https://shop.example/callback" }),
  requests.enqueue("payment-intent", intent),
  requests.send("subscription", subscription),
  requests.enqueue("subscription", subscription)
]

type IsOptional<A, Name extends PropertyKey> = A extends { readonly [N in Name]: unknown }
  ? false
  : true

export const isOptional: {
  readonly [K in RequestKind]: IsOptional<RequestInput<K>, "callbackUrl">
} = {
  "apm-payment": true,
  "apm-payout": true,
  "card-payment": true,
  "card-charge": true,
  "card-payout": true,
  refund: true,
  subscription: true,
  "payment-intent": true
}

// @ts-expect-error: the client sends the input as it is, and the service requires the URL
export const called: PaymentIntentInput = intent

declare const pageless: Omit<SubscriptionInput, "callbackUrl" | "successRedirectUrl">

// @ts-expect-error: the other URLs are required
export const refused = requests.send("subscription", pageless)
