/**
 * Service that verifies callbacks, with the merchant's secrets; how is said in `Verified`.
 *
 * @since 0.1.0
 */
import type { InvalidSecret, Refusal } from "@pawl/core/CallbackError"
import { Hmac } from "@pawl/core/Hmac"
import { Profile } from "@pawl/core/Profile"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Secret from "./internal/verify/Secret.ts"
import { type Incoming, type Verified, verifier } from "./Verified.ts"

export { type Incoming, maxBytes, type Verified } from "./Verified.ts"

/**
 * The secrets that callbacks are verified with. While a secret is rotated, `previous` still counts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Secrets {
  readonly current: Redacted.Redacted
  readonly previous?: Redacted.Redacted | undefined
}

/**
 * What callbacks are verified with. Where `accounts` is given, callbacks of any other account (`mid` or
 * `accountId`) are refused.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Secrets {
  readonly accounts?: ReadonlyArray<string> | undefined
}

/**
 * Service that verifies callbacks.
 *
 * @category services
 * @since 0.1.0
 */
export class Verifier extends Context.Service<
  Verifier,
  {
    readonly verify: (incoming: Incoming) => Result.Result<Verified, Refusal>
  }
>()("@pawl/webhook/Verifier") {}

/**
 * Layer that verifies with the given secrets.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Verifier, InvalidSecret, Hmac> =>
  Layer.effect(Verifier, make(options))

/**
 * Layer that takes the secrets from `PAWL_MERCHANT_SECRET` and `PAWL_MERCHANT_SECRET_PREVIOUS`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<Verifier, Config.ConfigError | InvalidSecret, Hmac> =
  // So marked, it leaves a bundle that goes without, and Config and Schema with it: 16 of a receiver's 58 kB.
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

const make = Effect.fnUntraced(function* ({ accounts, current, previous }: Options) {
  const hmac = yield* Hmac
  const { refundCallbackId } = yield* Profile
  const verify = verifier({
    current: hmac.keyed(yield* Secret.check("current", current)),
    previous: previous && hmac.keyed(yield* Secret.check("previous", previous)),
    accounts,
    refundCallbackId
  })
  return Verifier.of({
    verify: (incoming) => {
      const answer = verify(incoming)
      return "reason" in answer ? Result.fail(answer) : Result.succeed(answer)
    }
  })
})
