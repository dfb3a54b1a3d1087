/**
 * Payouts to cards, such as disbursements, commissions and withdrawals.
 *
 * @since 0.1.0
 */
import type { CardPayoutInfo, CardPayoutInput, CardPayoutResponse } from "@pawl/core/CardPayout"
import type { CreateError, ReadError } from "@pawl/core/PaymentsError"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CallOptions, CreateOptions } from "./CallOptions.ts"

/**
 * Service that starts card payouts and reads them.
 *
 * **Gotchas**
 *
 * - The final status arrives by callback, or by `StatusPoller.follow`.
 * - After `OutcomeUnknown` call again with `inDoubt: true`; see the error.
 *
 * @category services
 * @since 0.1.0
 */
export class CardPayouts extends Context.Service<
  CardPayouts,
  {
    /**
     * Starts a payout. Fails with `Declined` when the response is FAILED, or with
     * `OutcomeUnknown` when the payout may exist (`spec.md`, "Card payouts").
     */
    readonly create: (
      input: CardPayoutInput,
      options?: CreateOptions
    ) => Effect.Effect<CardPayoutResponse, CreateError<CardPayoutResponse>>
    /**
     * Reads all fields by the `transactionId` of the create, with the card masked (`424242******4242`).
     * Fails with `NotFound` when the service does not know it (`spec.md`, "Card payouts").
     */
    readonly info: (id: string, options?: CallOptions) => Effect.Effect<CardPayoutInfo, ReadError>
    /**
     * Reads the status by the `transactionId` of the create. Fails with `NotFound` when the service does
     * not know it (`spec.md`, "Card payouts").
     */
    readonly status: (id: string, options?: CallOptions) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/CardPayouts") {}
