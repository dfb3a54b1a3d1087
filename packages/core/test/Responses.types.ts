/**
 * A misspelt field is an error, unknown fields are under one member, and an open list has its known
 * members.
 */
import type { ApmPaymentResponse } from "@pawl/core/ApmPayment"
import type { ApmPayoutInfo, ApmPayoutResponse } from "@pawl/core/ApmPayout"
import type { CardPaymentResponse, TokenizeResponse } from "@pawl/core/CardPayment"
import type { CardPayoutInfo, CardPayoutResponse } from "@pawl/core/CardPayout"
import type * as NextAction from "@pawl/core/NextAction"
import type { PaymentIntentResponse } from "@pawl/core/PaymentIntent"
import type { RefundInfo, RefundResponse } from "@pawl/core/Refund"
import type { Status } from "@pawl/core/Status"
import type {
  Subscription,
  SubscriptionPlan,
  SubscriptionResponse,
  SubscriptionStatus
} from "@pawl/core/Subscription"
import { expectTypeOf } from "vitest"

type Response =
  | ApmPaymentResponse
  | ApmPayoutResponse
  | ApmPayoutInfo
  | CardPaymentResponse
  | TokenizeResponse
  | CardPayoutResponse
  | CardPayoutInfo
  | RefundResponse
  | RefundInfo
  | PaymentIntentResponse
  | Subscription
  | SubscriptionResponse

type Indexed<A> = A extends unknown ? (string extends keyof A ? A : never) : never
expectTypeOf<Indexed<Response>>().toEqualTypeOf<never>()
expectTypeOf<Indexed<NonNullable<ApmPaymentResponse["apmResponseData"]>>>().toEqualTypeOf<never>()
expectTypeOf<Indexed<NonNullable<ApmPayoutInfo["apmRequestPayload"]>>>().toEqualTypeOf<never>()

expectTypeOf<Response["unknownFields"]>().toEqualTypeOf<
  Readonly<Record<string, unknown>> | undefined
>()

/**
 * The known members of a list: `string & {}` accepts all others, and does not absorb them as
 * `string` does.
 */
type Known<Text> = Text extends string ? (string & {} extends Text ? never : Text) : never
expectTypeOf<Known<ApmPaymentResponse["transactionStatus"]>>().toEqualTypeOf<Status>()
expectTypeOf<Known<CardPayoutInfo["transactionStatus"]>>().toEqualTypeOf<Status>()
expectTypeOf<Known<SubscriptionResponse["transactionStatus"]>>().toEqualTypeOf<Status>()
expectTypeOf<Known<Subscription["status"]>>().toEqualTypeOf<SubscriptionStatus>()
expectTypeOf<Known<SubscriptionPlan["frequency"]>>().toEqualTypeOf<
  "DAILY" | "WEEKLY" | "MONTHLY" | "CUSTOM"
>()
expectTypeOf<Known<RefundResponse["paymentType"]>>().toEqualTypeOf<"CARD" | "APM">()
expectTypeOf<string>().toExtend<ApmPaymentResponse["transactionStatus"]>()

/**
 * The responses whose status can be CUSTOMER_VERIFICATION; the addresses of its challenge are
 * typed.
 */
type Created =
  | ApmPaymentResponse
  | ApmPayoutResponse
  | CardPaymentResponse
  | CardPayoutResponse
  | RefundResponse
  | SubscriptionResponse
expectTypeOf<Created["challengeUrl"]>().toEqualTypeOf<string | null | undefined>()
expectTypeOf<Created["challengeUrlIframe"]>().toEqualTypeOf<string | null | undefined>()
expectTypeOf<Created>().toExtend<Parameters<typeof NextAction.of>[0]>()
