/** Finds the access token in the response of `/auth`, and its expiry. */
import * as Json from "@pawl/core/internal/Json"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Token } from "./AccessToken.ts"

const usualTokenFields = ["accessToken", "access_token", "token", "jwt"]

/** A token that can be sent in a header is printable ASCII, at most 8 KiB. */
const tokenPattern = /^[\x21-\x7e]{1,8192}$/u

export const findToken = (bytes: Uint8Array, field: string | undefined): string | undefined => {
  const json = Result.getOrUndefined(Json.fromBytes(bytes))
  const found = [
    json,
    ...[json, member(json, "data")].flatMap((object) =>
      (field === undefined ? usualTokenFields : [field]).map((name) => member(object, name))
    )
  ].find((value) => typeof value === "string")
  return found !== undefined && tokenPattern.test(found) ? found : undefined
}

const member = (json: unknown, name: string): unknown =>
  typeof json === "object" && json !== null ? Reflect.get(json, name) : undefined

/** The longest and the shortest lifetime in milliseconds: 30 days and 10 minutes. */
const [maxLifetime, minLifetime] = [2_592_000_000, 600_000]

export const toToken = (text: string): Effect.Effect<Token> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const claimed = readExpiry(text) * 1000 - now
    return {
      text: Redacted.make(text, { label: "token" }),
      expiresAt: now + (claimed >= minLifetime && claimed <= maxLifetime ? claimed : maxLifetime)
    }
  })

/** Returns the `exp` claim of a JWT, in seconds since the epoch, or NaN. */
const readExpiry = (text: string): number => {
  const [, encoded = ""] = text.split(".")
  // Each byte becomes one character, which keeps the number.
  const decoded = Result.try(() => atob(encoded.replaceAll("-", "+").replaceAll("_", "/")))
  const claims = Result.flatMap(decoded, Json.fromText)
  const exp = member(Result.getOrUndefined(claims), "exp")
  return typeof exp === "number" ? exp : Number.NaN
}
