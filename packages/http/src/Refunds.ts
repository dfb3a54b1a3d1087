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
 * Service that refunds card payments and reads refunds (`spec.md`, "Refunds").
 *
 * **Details**
 *
 * A refund has an id (`refundId`) and a status of its own. A created refund is rarely final. Its final
 * status arrives by callback; `StatusPoller.follow` waits for it.
 *
 * **Gotchas**
 *
 * After `OutcomeUnknown` the refund may exist. Call again with the requestId of the error, the same
 * fields and `inDoubt: true`: the service then returns the original response.
 *
 * @category services
 * @since 0.1.0
 */
export class Refunds extends Context.Service<
  Refunds,
  {
    /**
     * Starts a refund and returns the response of the service (`spec.md`, "Refunds").
     *
     * `amount` is decimal text with at most two decimals. `transactionId` is the id of the payment, as
     * text; it is sent as a JSON integer with all its digits, so an id that is not an integer fails with
     * `ValidationFailed`. The method makes a requestId (UUIDv7) when the input has none. Fails with
     * `Declined` when the status of the response is FAILED, with `OutcomeUnknown` when the refund may or
     * may not exist, and with the errors of every call.
     */
    readonly create: (
      input: RefundInput,
      options?: CreateOptions
    ) => Effect.Effect<RefundResponse, CreateError<RefundResponse>>
    /**
     * Reads all fields of a refund. `id` is the `refundId` of the create. Fails with `NotFound` when the
     * service does not know the id (`spec.md`, "Refunds").
     */
    readonly info: (id: string, options?: CallOptions) => Effect.Effect<RefundInfo, ReadError>
    /**
     * Reads the status of a refund. `id` is the `refundId` of the create. Fails with
     * `NotFound` when the service does not know the id (`spec.md`, "Refunds").
     */
    readonly status: (id: string, options?: CallOptions) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/Refunds") {}
