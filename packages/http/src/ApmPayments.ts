/**
 * Payments by alternative methods: e-wallets, bank transfers, QR codes and the like.
 *
 * @since 0.1.0
 */
import type { ApmPaymentInput, ApmPaymentResponse } from "@pawl/core/ApmPayment"
import type { Hmac } from "@pawl/core/Hmac"
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
import type { PawlConfig } from "./PawlConfig.ts"

/**
 * Service that starts APM payments and reads their status (`spec.md`, "APM payments").
 *
 * **Details**
 *
 * `create` computes the checksum, and makes a requestId when none is given. It succeeds with the
 * service's answer, whatever its status but FAILED, which is `Declined`. A success is not yet a
 * payment: the final status comes by callback, or is waited for with `StatusPoller.follow`.
 *
 * **Gotchas**
 *
 * After `OutcomeUnknown` the payment may exist. Call again with the requestId of the error and the
 * same fields: the service answers with the original. Store a requestId of your own with the order before
 * the call, and this also holds for a process that died before the answer (`examples/src/recover.ts`).
 *
 * @category services
 * @since 0.1.0
 */
export class ApmPayments extends Context.Service<
  ApmPayments,
  {
    readonly create: (
      input: ApmPaymentInput
    ) => Effect.Effect<ApmPaymentResponse, CreateError<ApmPaymentResponse>>
    readonly status: (id: string) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/ApmPayments") {}

/**
 * Layer that provides APM payments over the calls of the contract.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<
  ApmPayments,
  never,
  Caller | Hmac | PawlConfig | SecureRandom.SecureRandom
> = Layer.effect(
  ApmPayments,
  Effect.gen(function* () {
    const { create, read } = yield* Methods.make
    const signed = yield* Methods.makeSigned
    return ApmPayments.of({
      create: create("ApmPayments.create", Endpoint.createApmPayment, failDeclined, signed),
      status: read("ApmPayments.status", Endpoint.readApmPaymentStatus)
    })
  })
)
