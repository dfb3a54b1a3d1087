/**
 * Payouts by alternative methods: funds sent to an e-wallet, a bank account and the like.
 *
 * @since 0.1.0
 */
import type { ApmPayoutInfo, ApmPayoutInput, ApmPayoutResponse } from "@pawl/core/ApmPayout"
import type { Hmac } from "@pawl/core/Hmac"
import type { CreateError, ReadError } from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Context from "effect/Context"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Endpoint from "./Endpoint.ts"
import type { Caller } from "./Caller.ts"
import * as Methods from "./internal/Methods.ts"
import { failDeclined } from "./internal/Outcome.ts"
import type { PawlConfig } from "./PawlConfig.ts"

/**
 * Service that starts APM payouts and reads them (`spec.md`, "APM payouts").
 *
 * **Details**
 *
 * `create` makes a requestId when none is given, and computes the checksum unless
 * `Profile.payoutChecksum` is off. It succeeds with the service's answer, whatever its status but FAILED,
 * which is `Declined`. The final status comes by callback, or is read with `status`; `info` reads all
 * there is to know.
 *
 * **Gotchas**
 *
 * After `OutcomeUnknown` the payout may exist. Call again with the requestId of the error and the same
 * fields: the service answers with the original.
 *
 * @category services
 * @since 0.1.0
 */
export class ApmPayouts extends Context.Service<
  ApmPayouts,
  {
    readonly create: (
      input: ApmPayoutInput
    ) => Effect.Effect<ApmPayoutResponse, CreateError<ApmPayoutResponse>>
    readonly info: (id: string) => Effect.Effect<ApmPayoutInfo, ReadError>
    readonly status: (id: string) => Effect.Effect<OpenStatus, ReadError>
  }
>()("@pawl/http/ApmPayouts") {}

/**
 * Layer that provides APM payouts over the calls of the contract.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<
  ApmPayouts,
  never,
  Caller | Hmac | PawlConfig | SecureRandom.SecureRandom
> = Layer.effect(
  ApmPayouts,
  Effect.gen(function* () {
    const { create, read } = yield* Methods.make
    const signed = yield* Methods.makeSigned
    const { payoutChecksum } = yield* Profile
    return ApmPayouts.of({
      create: create(
        "ApmPayouts.create",
        Endpoint.createApmPayout,
        failDeclined,
        payoutChecksum ? signed : identity
      ),
      info: read("ApmPayouts.info", Endpoint.readApmPayout),
      status: read("ApmPayouts.status", Endpoint.readApmPayoutStatus)
    })
  })
)
