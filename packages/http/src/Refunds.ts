/**
 * Refunds of card payments, full or partial.
 *
 * @since 0.1.0
 */
import type { CreateError, ReadError } from "@pawl/core/PaymentsError"
import type { RefundInfo, RefundInput, RefundResponse } from "@pawl/core/Refund"
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
 * Service that refunds card payments and reads refunds (`spec.md`, "Refunds").
 *
 * **Details**
 *
 * `create` takes the transactionId of the payment as text; it travels as an integer without losing a
 * digit, and one that is no integer is `ValidationFailed`. A requestId is made when none is given. It
 * succeeds with the service's answer, whatever its status but FAILED, which is `Declined`. The answer's
 * `refundId` is what `info` and `status` take.
 *
 * **Gotchas**
 *
 * After `OutcomeUnknown` the refund may exist. Call again with the requestId of the error and the same
 * fields: the service answers with the original.
 *
 * @category services
 * @since 0.1.0
 */
export class Refunds extends Context.Service<
  Refunds,
  {
    readonly create: (
      input: RefundInput
    ) => Effect.Effect<RefundResponse, CreateError<RefundResponse>>
    readonly info: (id: string) => Effect.Effect<RefundInfo, ReadError>
    readonly status: (id: string) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/Refunds") {}

/**
 * Layer that provides refunds over the calls of the contract.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Refunds, never, Caller | SecureRandom.SecureRandom> = Layer.effect(
  Refunds,
  Effect.map(Methods.make, ({ create, read }) =>
    Refunds.of({
      create: create("Refunds.create", Endpoint.createRefund, failDeclined),
      info: read("Refunds.info", Endpoint.readRefund),
      status: read("Refunds.status", Endpoint.readRefundStatus)
    })
  )
)
