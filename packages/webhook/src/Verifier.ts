/**
 * The verification of callbacks, as a service.
 *
 * @since 0.1.0
 */
import type { InvalidSecret, RefusedCallback } from "@pawl/core/CallbackError"
import { Hmac } from "@pawl/core/Hmac"
import { isolatedBy } from "@pawl/core/internal/Isolated"
import { Profile } from "@pawl/core/Profile"
import * as Config from "effect/Config"
import { ConfigProvider } from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Secret from "./internal/verify/Secret.ts"
import { type Incoming, type Options, type Verified, verifyWith } from "./VerifyCallback.ts"

export { type Incoming, maxBytes, type Verified } from "./VerifyCallback.ts"

/**
 * Service that verifies callbacks with the merchant's secrets.
 *
 * @category services
 * @since 0.1.0
 */
export class Verifier extends Context.Service<
  Verifier,
  {
    /** Runs the checks of `VerifyCallback`. It reads no store. */
    readonly verify: (incoming: Incoming) => Result.Result<Verified, RefusedCallback>
  }
>()("@pawl/webhook/Verifier") {}

/**
 * Layer that verifies with the given secrets.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options<Redacted.Redacted>
): Layer.Layer<Verifier, InvalidSecret, Hmac> => Layer.effect(Verifier, make(options))

/**
 * Layer that takes the secrets from `PAWL_MERCHANT_SECRET` and `PAWL_MERCHANT_SECRET_PREVIOUS`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<Verifier, Config.ConfigError | InvalidSecret, Hmac> =
  // PURE: without this layer a bundle drops Config and Schema, 16 of a receiver's 81 kB.
  /* @__PURE__ */ isolatedBy(
    [ConfigProvider, Hmac, Profile],
    /* @__PURE__ */ Layer.suspend(() =>
      Layer.effect(
        Verifier,
        Effect.flatMap(
          Config.all({
            current: Secret.config(),
            previous: Config.Redacted("PAWL_MERCHANT_SECRET_PREVIOUS").pipe(
              Config.withDefault(undefined)
            )
          }),
          make
        )
      )
    )
  )

const make = Effect.fnUntraced(function* ({
  accounts,
  current,
  previous
}: Options<Redacted.Redacted>) {
  const hmac = yield* Hmac
  const profile = yield* Profile
  const verify = verifyWith(
    {
      current: hmac.keyed(yield* Secret.check("current", current)),
      previous: previous && hmac.keyed(yield* Secret.check("previous", previous)),
      accounts
    },
    profile
  )
  return Verifier.of({
    verify: (incoming) => {
      const result = verify(incoming)
      return "reason" in result ? Result.fail(result) : Result.succeed(result)
    }
  })
})
