import type { ApmPaymentResponse } from "@pawl/core/ApmPayment"
import type { CreateError, Declined } from "@pawl/core/PaymentsError"
import type { OpenStatus, TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import { expectTypeOf } from "vitest"
import type { ApmPayments } from "../src/ApmPayments.ts"

declare const payments: ApmPayments["Service"]
const payment = payments.create({
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: {}
})
type Failure = Effect.Error<typeof payment>
type Tag = Failure["_tag"]

expectTypeOf<Tag>().toEqualTypeOf<
  | "Unauthorized"
  | "Declined"
  | "ValidationFailed"
  | "NotFound"
  | "ServiceFailed"
  | "RateLimited"
  | "Unreachable"
  | "UnexpectedResponse"
  | "OutcomeUnknown"
>()

export const honest: Effect.Effect<ApmPaymentResponse, CreateError<ApmPaymentResponse>> = payment

type Forgetting<Name extends Tag> = Effect.Effect<
  ApmPaymentResponse,
  Exclude<Failure, { readonly _tag: Name }>
>

type Forgettable = {
  [Name in Tag]: typeof payment extends Forgetting<Name> ? Name : never
}[Tag]
expectTypeOf<Forgettable>().toEqualTypeOf<never>()
expectTypeOf(payment).not.toExtend<Forgetting<"Declined">>()
expectTypeOf(payment).not.toExtend<Forgetting<Tag>>()

/** Catching `Declined` gives the typed response and removes the error. */
export const caught = payment.pipe(
  Effect.catchTag("Declined", (declined) => {
    expectTypeOf(declined).toExtend<Declined>()
    expectTypeOf(declined.response.transactionId).toEqualTypeOf<TransactionId>()
    expectTypeOf(declined.response.transactionStatus).toEqualTypeOf<OpenStatus>()
    expectTypeOf(declined.response.declineCode).toEqualTypeOf<number | null | undefined>()
    expectTypeOf(declined.response.challengeUrl).toEqualTypeOf<string | null | undefined>()
    // @ts-expect-error: the field is misspelt
    void declined.response.transactionid
    return Effect.succeed(declined.response)
  })
)
expectTypeOf<Effect.Error<typeof caught>["_tag"]>().toEqualTypeOf<Exclude<Tag, "Declined">>()
expectTypeOf<Effect.Success<typeof caught>>().toExtend<ApmPaymentResponse>()

// @ts-expect-error: there is no error with this tag
export const misspelt = payment.pipe(Effect.catchTag("Decline", () => Effect.void))

expectTypeOf<Effect.Services<typeof payment>>().toEqualTypeOf<never>()
