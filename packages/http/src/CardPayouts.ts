/**
 * Payouts to cards: disbursements, commissions, withdrawals.
 *
 * @since 0.1.0
 */
import type { CardPayoutInfo, CardPayoutInput, CardPayoutResponse } from "@pawl/core/CardPayout"
import type { CreateError, ReadError } from "@pawl/core/PaymentsError"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Context from "effect/Context"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Endpoint from "./Endpoint.ts"
import type { Caller } from "./Caller.ts"
import * as Methods from "./internal/Methods.ts"
import { failDeclined } from "./internal/Outcome.ts"

/**
 * Service that starts card payouts and reads them (`spec.md`, "Card payouts").
 *
 * **Details**
 *
 * `create` makes a requestId when none is given. It succeeds with the service's answer, whatever its
 * status but FAILED, which is `Declined`. The final status comes by callback, or is read with `status`;
 * `info` reads all there is to know, the card masked.
 *
 * **Gotchas**
 *
 * After `OutcomeUnknown` the payout may exist. Call again with the requestId of the error and the same
 * fields: the service answers with the original.
 *
 * @category services
 * @since 0.1.0
 */
export class CardPayouts extends Context.Service<
  CardPayouts,
  {
    readonly create: (
      input: CardPayoutInput
    ) => Effect.Effect<CardPayoutResponse, CreateError<CardPayoutResponse>>
    readonly info: (id: string) => Effect.Effect<CardPayoutInfo, ReadError>
    readonly status: (id: string) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/CardPayouts") {}

/**
 * Layer that provides card payouts over the calls of the contract.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<CardPayouts, never, Caller | SecureRandom.SecureRandom> =
  Layer.effect(
    CardPayouts,
    Effect.map(Methods.make, ({ create, read }) =>
      CardPayouts.of({
        create: create("CardPayouts.create", Endpoint.createCardPayout, failDeclined),
        info: read("CardPayouts.info", Endpoint.readCardPayout),
        status: read("CardPayouts.status", Endpoint.readCardPayoutStatus)
      })
    )
  )
