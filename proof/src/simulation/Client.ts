/**
 * The client as every process of the merchant has it, and the account it is for.
 *
 * @since 0.1.0
 */
import type { Hmac } from "@pawl/core/Hmac"
import * as Pawl from "@pawl/http/Pawl"
import * as PawlConfig from "@pawl/http/PawlConfig"
import { Transport } from "@pawl/http/Transport"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/**
 * The address of the service.
 *
 * @category constants
 * @since 0.1.0
 */
export const origin = "https://service.example"

/**
 * The merchant's key.
 *
 * @category constants
 * @since 0.1.0
 */
export const merchantKey = "simulated-merchant"

/**
 * The merchant's secret.
 *
 * @category constants
 * @since 0.1.0
 */
export const secret = "canary-of-the-merchant-secret"

/**
 * The card that everything is paid with.
 *
 * @category constants
 * @since 0.1.0
 */
export const card = { number: "4242424242424242", expMonth: "04", expYear: "2030" }

/**
 * Layer that provides every service of the client over a transport.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (transport: Transport["Service"]): Layer.Layer<Pawl.Services, never, Hmac> =>
  Pawl.layerPortable.pipe(
    Layer.provide(Layer.succeed(Transport, transport)),
    Layer.provide(
      Layer.orDie(
        PawlConfig.layer({
          baseUrl: `${origin}/api`,
          merchantKey,
          merchantSecret: Redacted.make(secret)
        })
      )
    )
  )
