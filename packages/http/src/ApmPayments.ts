/**
 * Payments by alternative methods: e-wallets, bank transfers, QR codes and the like.
 *
 * @since 0.1.0
 */
import type { ApmPaymentInput, ApmPaymentRequest, ApmPaymentResponse } from "@pawl/core/ApmPayment"
import * as Checksum from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import type { CreateError, ReadError } from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Api from "./Api.ts"
import { Caller } from "./Caller.ts"
import { failDeclined } from "./internal/Outcome.ts"
import { PawlConfig } from "./PawlConfig.ts"

/**
 * Service that starts APM payments and reads their status (`spec.md`, "APM payments").
 *
 * **Details**
 *
 * `create` computes the checksum, and makes a requestId when none is given. It succeeds with the
 * service's answer, whatever its status but FAILED, which is `Declined`. A success is not yet a
 * payment: the final status comes by callback, or is read with `status`.
 *
 * **Gotchas**
 *
 * After `OutcomeUnknown` the payment may exist. Call again with the requestId of the error and the
 * same fields: the service answers with the original.
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
    const caller = yield* Caller
    const config = yield* PawlConfig
    const hmac = yield* Hmac
    const profile = yield* Profile
    const random = yield* SecureRandom.SecureRandom
    const sign = hmac.keyed(config.merchantSecret)

    return ApmPayments.of({
      create: Effect.fn("ApmPayments.create")(function* (input) {
        const requestId = input.requestId ?? (yield* random.uuidV7())
        const fields = { ...input, requestId }
        const checksum = Checksum.request(sign, profile.requestChecksumSeparator, fields)
        const payload: typeof ApmPaymentRequest.Encoded = { ...fields, checksum }
        const response = yield* caller.create(Api.createApmPayment, payload)
        return yield* failDeclined(requestId, response)
      }),
      status: Effect.fn("ApmPayments.status")(function* (id) {
        return yield* caller.call(Api.readApmPaymentStatus, { params: { id } })
      })
    })
  })
)
