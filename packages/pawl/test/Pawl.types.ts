import type { ApmPaymentInput, ApmPaymentResponse } from "@pawl/core/ApmPayment"
import type { HostedPage, PaymentIntentInput } from "@pawl/core/PaymentIntent"
import type { Subscription, SubscriptionUpdateInput } from "@pawl/core/Subscription"
import type { OpenStatus } from "@pawl/core/Transaction"
import type { Pawl } from "pawl"

type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Create = Pawl["apmPayments"]["create"]
type Intent = Parameters<Pawl["paymentIntents"]["create"]>[0]
interface Identified {
  readonly requestId: string
}
type Asked = PaymentIntentInput & Identified
type CardPayment = Parameters<Pawl["cardPayments"]["create"]>[0]
type Tokenize = Parameters<Pawl["cardPayments"]["tokenize"]>[0]
type Update = Pawl["subscriptions"]["update"]
type Changes = Parameters<Update>[1]
type Options = NonNullable<Parameters<Create>[1]>

/** Each line is an error if it does not hold. */
export const checks = [
  // Input and response are those of the service.
  true satisfies Equal<Parameters<Create>[0], ApmPaymentInput & Identified>,
  true satisfies Equal<Awaited<ReturnType<Create>>, ApmPaymentResponse>,
  // The callback URL is made from the public address.
  true satisfies Equal<Asked extends Intent ? true : false, true>,
  true satisfies Equal<Omit<Asked, "callbackUrl"> extends Intent ? true : false, true>,
  // A create needs a requestId, and a token of a card does not.
  true satisfies Equal<ApmPaymentInput extends Parameters<Create>[0] ? true : false, false>,
  true satisfies Equal<{ mid: string } extends CardPayment ? true : false, false>,
  true satisfies Equal<
    Record<"mid" | "requestId", string> extends CardPayment ? true : false,
    true
  >,
  true satisfies Equal<{ mid: string } extends Tokenize ? true : false, true>,
  true satisfies Equal<Awaited<ReturnType<Pawl["paymentIntents"]["create"]>>, HostedPage>,
  true satisfies Equal<Awaited<ReturnType<Pawl["refunds"]["status"]>>, OpenStatus>,
  true satisfies Equal<Parameters<Update>[1], SubscriptionUpdateInput>,
  // Each object takes fields that the specification does not name, and metadata any.
  { unknownFields: { newer: 1 }, plan: { unknownFields: { newer: 1 } } } satisfies Changes,
  { email: "a@shop.example", unknownFields: { newer: 1 } } satisfies Intent["billingDetails"],
  true satisfies Equal<Parameters<Create>[0]["metadata"], ApmPaymentInput["metadata"]>,
  true satisfies Equal<Awaited<ReturnType<Update>>, Subscription>,

  // The options of a call have a signal, and no requestId: that of a create is in its input.
  true satisfies Equal<Parameters<Create>["length"], 1 | 2>,
  true satisfies Equal<Options["signal"], AbortSignal | undefined>,
  true satisfies Equal<"requestId" extends keyof Options ? true : false, false>,
  true satisfies Equal<"inDoubt" extends keyof Options ? true : false, false>,

  // Every service is there, with all its methods.
  true satisfies Equal<keyof Pawl["cardPayments"], "create" | "charge" | "tokenize" | "status">
]
