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
 * Service that starts APM payments and reads their status.
 *
 * **Gotchas**
 *
 * - The final status arrives by callback, or by `StatusPoller.follow`.
 * - After `OutcomeUnknown` call again with `inDoubt: true`; see the error. Store a requestId of `Pawl.makeRequestId` with
 *   the order before the call, so that this works after a crash too.
 *
 * @category services
 * @since 0.1.0
 */
export class ApmPayments extends Context.Service<
  ApmPayments,
  {
    /**
     * Starts a payment. Fails with `Declined` when the response is FAILED, or with
     * `OutcomeUnknown` when the payment may exist (`spec.md`, "APM payments").
     */
    readonly create: (
      input: ApmPaymentInput,
      options?: CreateOptions
    ) => Effect.Effect<ApmPaymentResponse, CreateError<ApmPaymentResponse>>
    /**
     * Reads the status by the `transactionId` of the create. Fails with `NotFound` when the service does
     * not know it (`spec.md`, "APM payments").
     */
    readonly status: (id: string, options?: CallOptions) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/ApmPayments") {}
