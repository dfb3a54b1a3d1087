/**
 * The input of each operation has exactly the fields of its request, each with its type on the
 * wire.
 */
import type { ApmPaymentInput } from "@pawl/core/ApmPayment"
import type {
  ApmPaymentRequest,
  ApmPayoutRequest,
  CardPaymentRequest,
  CardPayoutRequest,
  PaymentIntentRequest,
  RefundRequest,
  SubscriptionRequest,
  SubscriptionUpdate,
  TokenizeRequest
} from "@pawl/core/internal/RequestBodies"
import type { ApmPayoutInput } from "@pawl/core/ApmPayout"
import type { CardPaymentInput, TokenizeInput } from "@pawl/core/CardPayment"
import type { CardPayoutInput } from "@pawl/core/CardPayout"
import type { PaymentIntentInput } from "@pawl/core/PaymentIntent"
import type { RefundInput } from "@pawl/core/Refund"
import type { SubscriptionInput, SubscriptionUpdateInput } from "@pawl/core/Subscription"
import { expectTypeOf } from "vitest"

/** The type of each field: the texts of a list are text, and an object is any object. */
type Shape<A> = {
  readonly [Name in keyof A as string extends Name ? never : Name]: A[Name] extends
    | string
    | undefined
    ? "text"
    : A[Name] extends object | undefined
      ? "object"
      : A[Name]
}

/** The shape of the wire: the client computes the checksum, and makes any missing requestId. */
type Wire<Request extends { readonly Encoded: object }, Own extends string = never> = Shape<
  Omit<Request["Encoded"], "requestId" | "checksum" | Own> & { readonly requestId?: string }
>

expectTypeOf<Shape<ApmPaymentInput>>().branded.toEqualTypeOf<Wire<typeof ApmPaymentRequest>>()
expectTypeOf<Shape<ApmPayoutInput>>().branded.toEqualTypeOf<Wire<typeof ApmPayoutRequest>>()
expectTypeOf<Shape<CardPaymentInput>>().branded.toEqualTypeOf<Wire<typeof CardPaymentRequest>>()
expectTypeOf<Shape<CardPayoutInput>>().branded.toEqualTypeOf<Wire<typeof CardPayoutRequest>>()
expectTypeOf<Shape<PaymentIntentInput>>().branded.toEqualTypeOf<Wire<typeof PaymentIntentRequest>>()
expectTypeOf<Shape<SubscriptionInput>>().branded.toEqualTypeOf<Wire<typeof SubscriptionRequest>>()

/** A refund's id is text in the input and a number on the wire. */
expectTypeOf<Shape<Omit<RefundInput, "transactionId">>>().branded.toEqualTypeOf<
  Wire<typeof RefundRequest, "transactionId">
>()
expectTypeOf<RefundInput["transactionId"]>().toEqualTypeOf<string>()

expectTypeOf<Shape<TokenizeInput>>().branded.toEqualTypeOf<Wire<typeof TokenizeRequest>>()
expectTypeOf<Shape<SubscriptionUpdateInput>>().branded.toEqualTypeOf<
  Shape<(typeof SubscriptionUpdate)["Encoded"]>
>()

expectTypeOf<string>().not.toExtend<SubscriptionInput["plan"]["frequency"]>()
