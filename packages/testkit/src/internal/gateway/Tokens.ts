/**
 * The access tokens of the gateway: JWTs, signed with HS256, valid for 30 days unless a reading
 * says otherwise.
 *
 * The key is derived from the merchant secret, the environment and a stored random number of the
 * service.
 */
import * as Checksum from "@pawl/core/Checksum"
import type { Sign } from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { GatewayConfig } from "../GatewayConfig.ts"
import { StateStore } from "../state/StateStore.ts"

export interface Tokens {
  readonly issue: Effect.Effect<string>
  readonly isValid: (token: string) => Effect.Effect<boolean>
}

/** Without a lifetime the tokens do not expire. */
export const make = Effect.fnUntraced(function* (
  lifetime: Duration.Duration | undefined
): Effect.fn.Return<Tokens, never, GatewayConfig | Hmac> {
  const { environment, merchantKey, merchantSecret } = yield* GatewayConfig
  const { keyed } = yield* Hmac
  const services = (yield* StateStore).open<string>("service")
  // Two services need two ids, also with the same seed.
  const service = services.get("id") ?? String(yield* Random.nextInt)
  if (!services.has("id")) services.set("id", service)
  const sign = keyed(
    Redacted.make(Hex.encode(keyed(merchantSecret)(`access tokens of ${environment} ${service}`)))
  )
  let issued = 0
  /** The expiry of verified tokens, because a verification takes 12 microseconds. */
  const known = new Map<string, number>()

  /** Returns milliseconds since the epoch; 0 if the token is not ours. */
  const endOf = (token: string): number => {
    const end = token.lastIndexOf(".")
    const signed = token.slice(0, end)
    if (!Checksum.matches(signature(sign, signed), token.slice(end + 1))) return 0
    const claims = Result.flatMap(
      Base64Url.decodeString(signed.slice(header.length + 1)),
      decodeClaims
    )
    if (Result.isFailure(claims)) return 0
    const { exp = Number.POSITIVE_INFINITY } = claims.success
    return exp * 1000
  }

  return {
    issue: Effect.map(Clock.currentTimeMillis, (now) => {
      const iat = Math.floor(now / 1000)
      const claims = {
        iss: environment,
        sub: merchantKey,
        jti: String(++issued),
        iat,
        ...(lifetime !== undefined && { exp: iat + Duration.toSeconds(lifetime) })
      }
      const signed = `${header}.${Base64Url.encode(JSON.stringify(claims))}`
      return `${signed}.${signature(sign, signed)}`
    }),
    isValid: (token) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const end = known.get(token) ?? endOf(token)
        const isValid = now < end
        if (isValid && known.size < mostKnown) known.set(token, end)
        return isValid
      })
  }
})

const mostKnown = 1000

const header = Base64Url.encode(JSON.stringify({ alg: "HS256", typ: "JWT" }))

const signature = (sign: Sign, signed: string): string => Base64Url.encode(sign(signed))

const decodeClaims = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Struct({ exp: Schema.optionalKey(Schema.Int) }))
)
