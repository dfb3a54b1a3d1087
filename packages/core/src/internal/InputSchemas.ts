/**
 * Standard Schemas of the inputs, for form libraries (https://standardschema.dev).
 *
 * **Details**
 *
 * A valid input is returned unchanged. `requestId` is optional. Issues name fields, never values.
 *
 * **Example** (A form with a wrong amount)
 *
 * ```ts
 * import { refund } from "@pawl/core/internal/InputSchemas"
 *
 * const form = { mid: "4711", transactionId: "100001", amount: "a lot", reason: "returned" }
 * const result = await refund["~standard"].validate(form)
 * result.issues?.map(({ path }) => path) // => [["amount"]]
 * ```
 */
import type { ApmPaymentInput } from "../ApmPayment.ts"
import type { ApmPayoutInput } from "../ApmPayout.ts"
import type { CardPaymentInput, TokenizeInput } from "../CardPayment.ts"
import type { CardPayoutInput } from "../CardPayout.ts"
import type { PaymentIntentInput } from "../PaymentIntent.ts"
import type { RefundInput } from "../Refund.ts"
import type { SubscriptionInput, SubscriptionUpdateInput } from "../Subscription.ts"
import {
  ApmPaymentRequest,
  ApmPayoutRequest,
  CardPaymentRequest,
  CardPayoutRequest,
  PaymentIntentRequest,
  RefundRequest,
  SubscriptionRequest,
  SubscriptionUpdate,
  TokenizeRequest
} from "./RequestBodies.ts"
import * as Schema from "effect/Schema"
import type { StandardSchemaV1 } from "effect/StandardSchema"

/** The input of a create whose callback URL `Requests` makes from the public address. */
export type Input<A> = A extends { readonly callbackUrl: string }
  ? Omit<A, "callbackUrl"> & { readonly callbackUrl?: string }
  : A

/** Checks an input as the body that the client makes of it. */
const inputOf = <A extends object>(
  request: Schema.ConstraintDecoder<unknown>,
  added: object = { requestId: "made-by-the-client" }
): StandardSchemaV1<Input<A>> => {
  const { validate } = Schema.toStandardSchemaV1(request)["~standard"]
  const checked = (value: unknown, result: StandardSchemaV1.Result<unknown>) =>
    result.issues === undefined ? { value: value as Input<A> } : result
  return {
    "~standard": {
      version: 1,
      vendor: "pawl",
      validate: (value) => {
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
        const result = validate(isObject ? { ...added, ...value } : value)
        return result instanceof Promise
          ? result.then((result) => checked(value, result))
          : checked(value, result)
      }
    }
  }
}

const called = {
  requestId: "made-by-the-client",
  callbackUrl: "https://shop.example/made-by-the-client"
}
const signed = { requestId: "made-by-the-client", checksum: "" }

export const apmPayment = inputOf<ApmPaymentInput>(ApmPaymentRequest, signed)

export const apmPayout = inputOf<ApmPayoutInput>(ApmPayoutRequest, signed)

export const cardPayment = inputOf<CardPaymentInput>(CardPaymentRequest)

export const tokenize = inputOf<TokenizeInput>(TokenizeRequest)

export const cardPayout = inputOf<CardPayoutInput>(CardPayoutRequest)

export const refund = inputOf<RefundInput>(RefundRequest)

export const paymentIntent = inputOf<PaymentIntentInput>(PaymentIntentRequest, called)

export const subscription = inputOf<SubscriptionInput>(SubscriptionRequest, called)

export const subscriptionUpdate = inputOf<SubscriptionUpdateInput>(SubscriptionUpdate, {})
