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
 * Service that starts APM payouts and reads them.
 *
 * **Gotchas**
 *
 * - The final status arrives by callback, or by `StatusPoller.follow`.
 * - After `OutcomeUnknown` call again with `inDoubt: true`; see the error.
 *
 * @category services
 * @since 0.1.0
 */
export class ApmPayouts extends Context.Service<
  ApmPayouts,
  {
    /**
     * Starts a payout. Fails with `Declined` when the response is FAILED, or with
     * `OutcomeUnknown` when the payout may exist (`spec.md`, "APM payouts").
     */
    readonly create: (
      input: ApmPayoutInput,
      options?: CreateOptions
    ) => Effect.Effect<ApmPayoutResponse, CreateError<ApmPayoutResponse>>
    /**
     * Reads all fields by the `transactionId` of the create. Fails with `NotFound` when the service does
     * not know it (`spec.md`, "APM payouts").
     */
    readonly info: (id: string, options?: CallOptions) => Effect.Effect<ApmPayoutInfo, ReadError>
    /**
     * Reads the status by the `transactionId` of the create. Fails with `NotFound` when the service does
     * not know it (`spec.md`, "APM payouts").
     */
    readonly status: (id: string, options?: CallOptions) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/ApmPayouts") {}
