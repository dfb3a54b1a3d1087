/**
 * Refunds of card payments, full or partial.
 *
 * @since 0.1.0
 */
import type { CreateError, ReadError } from "@pawl/core/PaymentsError"
import type { RefundInfo, RefundInput, RefundResponse } from "@pawl/core/Refund"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CallOptions, CreateOptions } from "./CallOptions.ts"

/**
 * Service that refunds card payments and reads refunds.
 *
 * **Gotchas**
 *
 * - A refund has its own id (`refundId`) and status. The final status arrives by callback, or by
 *   `StatusPoller.follow`.
 * - After `OutcomeUnknown` call again with `inDoubt: true`; see the error.
 *
 * @category services
 * @since 0.1.0
 */
export class Refunds extends Context.Service<
  Refunds,
  {
    /**
     * Starts a refund of the payment `transactionId`. Fails with `Declined` when the response is
     * FAILED, or with `OutcomeUnknown` when the refund may exist (`spec.md`, "Refunds").
     */
    readonly create: (
      input: RefundInput,
      options?: CreateOptions
    ) => Effect.Effect<RefundResponse, CreateError<RefundResponse>>
    /**
     * Reads all fields by the `refundId` of the create. Fails with `NotFound` when the service does not
     * know it (`spec.md`, "Refunds").
     */
    readonly info: (id: string, options?: CallOptions) => Effect.Effect<RefundInfo, ReadError>
    /**
     * Reads the status by the `refundId` of the create. Fails with `NotFound` when the service does not
     * know it (`spec.md`, "Refunds").
     */
    readonly status: (id: string, options?: CallOptions) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/Refunds") {}
