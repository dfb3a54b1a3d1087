/**
 * Rules of single settings, for the environment and for the file of the merchants.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/** Valid values, for the settings that a check does not look at. */
export const validSettings = {
  baseUrl: "https://service.example/api",
  merchantKey: "key",
  merchantSecret: Redacted.make("secret")
}

/** A secret of Standard Webhooks is `whsec_` and its key in base64. */
export const isForwardSecret = (secret: Redacted.Redacted): boolean => {
  const [, key] = /^whsec_(.*)$/su.exec(Redacted.value(secret).trim()) ?? []
  return key === undefined || (key !== "" && Result.isSuccess(Base64.decode(key)))
}

/** Tells whether transitions can be posted to a URL. */
export const isForwardUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/u.test(url.protocol) && url.username + url.password === ""
}

/** Returns undefined for an empty secret. */
export const nonEmpty = (secret: Redacted.Redacted): Redacted.Redacted | undefined =>
  Redacted.value(secret) === "" ? undefined : secret

const uses = {
  current: "verifies callbacks, signs requests",
  previous: "verifies callbacks until the service has switched",
  forward: "signs forwarded transitions; without it the merchant secret does"
}

/** Returns the secrets of a merchant as the page shows them: by their names, and never a value. */
export const named = (
  secrets: Readonly<Record<keyof typeof uses, Redacted.Redacted | undefined>>,
  names: Readonly<Record<keyof typeof uses, string>>
) =>
  (["current", "previous", "forward"] as const).map((each) => ({
    name: names[each],
    use: uses[each],
    isSet: secrets[each] !== undefined && nonEmpty(secrets[each]) !== undefined
  }))
