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
 * Service that starts card payouts and reads them (`spec.md`, "Card payouts").
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
export class CardPayouts extends Context.Service<
  CardPayouts,
  {
    /**
     * Starts a payout and returns the response of the service (`spec.md`, "Card payouts").
     *
     * `amount` is decimal text with at most two decimals. The method makes a requestId (UUIDv7) when the
     * input has none. Fails with `Declined` when the status of the response is FAILED, with
     * `ValidationFailed` when the input is invalid, with `OutcomeUnknown` when the payout may or may not
     * exist, and with the errors of every call.
     */
    readonly create: (
      input: CardPayoutInput,
      options?: CreateOptions
    ) => Effect.Effect<CardPayoutResponse, CreateError<CardPayoutResponse>>
    /**
     * Reads all fields of a payout, with the card masked (`424242******4242`). `id` is the `transactionId`
     * of the create. Fails with `NotFound` when the service does not know the id (`spec.md`, "Card
     * payouts").
     */
    readonly info: (id: string, options?: CallOptions) => Effect.Effect<CardPayoutInfo, ReadError>
    /**
     * Reads the status of a payout. `id` is the `transactionId` of the create. Fails with
     * `NotFound` when the service does not know the id (`spec.md`, "Card payouts").
     */
    readonly status: (id: string, options?: CallOptions) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/CardPayouts") {}
