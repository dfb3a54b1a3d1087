/**
 * Payments by alternative payment methods (APM), such as e-wallets, bank transfers and QR codes.
 *
 * @since 0.1.0
 */
import type { ApmPaymentInput, ApmPaymentResponse } from "@pawl/core/ApmPayment"
import type { CreateError, ReadError } from "@pawl/core/PaymentsError"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CallOptions, CreateOptions } from "./CallOptions.ts"

/**
 * Service that starts APM payments and reads their status (`spec.md`, "APM payments").
 *
 * **Details**
 *
 * A created payment is rarely final. Its final status arrives by callback; `StatusPoller.follow` waits
 * for it.
 *
 * **Gotchas**
 *
 * After `OutcomeUnknown` the payment may exist. Call again with the requestId of the error, the same
 * fields and `inDoubt: true`: the service then returns the original response. Store a requestId of your own with the order
 * before the call, so that this works after a crash too (`Pawl.makeRequestId`).
 *
 * @category services
 * @since 0.1.0
 */
export class ApmPayments extends Context.Service<
  ApmPayments,
  {
    /**
     * Starts a payment and returns the response of the service (`spec.md`, "APM payments").
     *
     * `amount` is decimal text with at most two decimals, `currency` an ISO 4217 code. The method computes
     * the checksum and makes a requestId (UUIDv7) when the input has none. Fails with `Declined` when the
     * status of the response is FAILED, with `ValidationFailed` when the input is invalid, with
     * `OutcomeUnknown` when the payment may or may not exist, and with the errors of every call.
     */
    readonly create: (
      input: ApmPaymentInput,
      options?: CreateOptions
    ) => Effect.Effect<ApmPaymentResponse, CreateError<ApmPaymentResponse>>
    /**
     * Reads the status of a payment. `id` is the `transactionId` of the create. Fails with
     * `NotFound` when the service does not know the id (`spec.md`, "APM payments").
     */
    readonly status: (id: string, options?: CallOptions) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/ApmPayments") {}
