/**
 * Payouts by alternative payment methods (APM), such as e-wallets and bank accounts.
 *
 * @since 0.1.0
 */
import type { ApmPayoutInfo, ApmPayoutInput, ApmPayoutResponse } from "@pawl/core/ApmPayout"
import type { CreateError, ReadError } from "@pawl/core/PaymentsError"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CallOptions, CreateOptions } from "./CallOptions.ts"

/**
 * Service that starts APM payouts and reads them (`spec.md`, "APM payouts").
 *
 * **Details**
 *
 * A created payout is rarely final. Its final status arrives by callback; `StatusPoller.follow` waits for
 * it.
 *
 * **Gotchas**
 *
 * After `OutcomeUnknown` the payout may exist. Call again with the requestId of the error, the same
 * fields and `inDoubt: true`: the service then returns the original response.
 *
 * @category services
 * @since 0.1.0
 */
export class ApmPayouts extends Context.Service<
  ApmPayouts,
  {
    /**
     * Starts a payout and returns the response of the service (`spec.md`, "APM payouts").
     *
     * `amount` is decimal text with at most two decimals, `currency` an ISO 4217 code. The method makes a
     * requestId (UUIDv7) when the input has none, and computes the checksum unless
     * `Profile.payoutChecksum` is off. Fails with `Declined` when the status of the response is FAILED,
     * with `ValidationFailed` when the input is invalid, with `OutcomeUnknown` when the payout may or may
     * not exist, and with the errors of every call.
     */
    readonly create: (
      input: ApmPayoutInput,
      options?: CreateOptions
    ) => Effect.Effect<ApmPayoutResponse, CreateError<ApmPayoutResponse>>
    /**
     * Reads all fields of a payout. `id` is the `transactionId` of the create. Fails with `NotFound` when
     * the service does not know the id (`spec.md`, "APM payouts").
     */
    readonly info: (id: string, options?: CallOptions) => Effect.Effect<ApmPayoutInfo, ReadError>
    /**
     * Reads the status of a payout. `id` is the `transactionId` of the create. Fails with
     * `NotFound` when the service does not know the id (`spec.md`, "APM payouts").
     */
    readonly status: (id: string, options?: CallOptions) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/ApmPayouts") {}
