/**
 * Payments by card, and the tokens that stand for cards.
 *
 * @since 0.1.0
 */
import type {
  CardPaymentInput,
  CardPaymentResponse,
  TokenizeInput,
  TokenizeResponse
} from "@pawl/core/CardPayment"
import type { CreateError, OutcomeUnknown, ReadError } from "@pawl/core/PaymentsError"
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
 * Service that starts card payments and reads their status (`spec.md`, "Endpoints named but without
 * shape", "Card payment status").
 *
 * **Details**
 *
 * The bodies are open: fields that are likely are typed, all others are sent and kept as they are.
 * `create` takes a card, `charge` the token that `tokenize` returned. Each makes a requestId when none is
 * given. A payment succeeds with the service's answer, whatever its status but FAILED, which is
 * `Declined`. A success is not yet a payment: the final status comes by callback, or is read with
 * `status`. In CUSTOMER_VERIFICATION the answer says where the challenge is; see `NextAction` of
 * `@pawl/core/NextAction`.
 *
 * **Gotchas**
 *
 * After `OutcomeUnknown` the payment may exist. Call again with the requestId of the error and the same
 * fields: the service answers with the original.
 *
 * @category services
 * @since 0.1.0
 */
export class CardPayments extends Context.Service<
  CardPayments,
  {
    readonly create: (
      input: CardPaymentInput
    ) => Effect.Effect<CardPaymentResponse, CreateError<CardPaymentResponse>>
    readonly charge: (
      input: CardPaymentInput
    ) => Effect.Effect<CardPaymentResponse, CreateError<CardPaymentResponse>>
    readonly tokenize: (
      input: TokenizeInput
    ) => Effect.Effect<TokenizeResponse, ReadError | OutcomeUnknown>
    readonly status: (id: string) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/CardPayments") {}

/**
 * Layer that provides card payments over the calls of the contract.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<CardPayments, never, Caller | SecureRandom.SecureRandom> =
  Layer.effect(
    CardPayments,
    Effect.map(Methods.make, ({ create, read }) =>
      CardPayments.of({
        create: create("CardPayments.create", Endpoint.createCardPayment, failDeclined),
        charge: create("CardPayments.charge", Endpoint.chargeCard, failDeclined),
        tokenize: create("CardPayments.tokenize", Endpoint.tokenizeCard, (_, card) =>
          Effect.succeed(card)
        ),
        status: read("CardPayments.status", Endpoint.readCardPaymentStatus)
      })
    )
  )
