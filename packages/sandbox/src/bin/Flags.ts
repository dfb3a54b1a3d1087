import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Redacted from "effect/Redacted"
import * as DurationText from "./DurationText.ts"

/** Tells whether a text is an absolute http or https URL without a user and a password. */
export const isHttp = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/u.test(url.protocol) && url.username + url.password === ""
}

/** The paths of the service follow the base URL, so any other end would name other paths. */
const isBaseUrl = (text: string): boolean => isHttp(text) && /^[^?#]*\/api\/*$/u.test(text)

export const asBaseUrl =
  (example: string) =>
  (flag: Flag.Flag<string>): Flag.Flag<string> =>
    flag.pipe(
      Flag.filter(isBaseUrl, () => `Expected a URL such as ${example}, which ends in /api`),
      Flag.map((url) => url.replace(/\/+$/u, ""))
    )

const nonEmpty = (name: string) =>
  Flag.String(name).pipe(
    Flag.filter(
      (text) => text !== "",
      () => "Expected a text that is not empty"
    )
  )

export const text = (name: string, fallback: string, description: string) =>
  nonEmpty(name).pipe(
    Flag.withDescription(`${description} (default: ${fallback})`),
    Flag.withDefault(fallback)
  )

export const optionalText = (name: string, description: string) =>
  nonEmpty(name).pipe(Flag.withDescription(description), Flag.optional)

export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const int = (
  name: string,
  [least, most, what]: readonly [least: number, most: number, what?: "a port"],
  fallback: number,
  description: string
) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (number) => number >= least && number <= most,
      () => `Expected ${what ?? "a number"} from ${least} to ${most}`
    ),
    Flag.withDescription(description),
    Flag.withDefault(fallback)
  )

export const port = [0, 65_535, "a port"] as const

export const duration = (name: string, example: string, description: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(DurationText.parse, () => `Expected a duration such as ${example}`),
    Flag.withDescription(description)
  )

/** Refuses an empty text and white space at either end, such as the line break of a file. */
export const isSound = (text: string): boolean => text !== "" && text.trim() === text

export const token = (description: string) =>
  Flag.Redacted("token").pipe(
    Flag.withFallbackConfig(Config.Redacted("PAWL_SANDBOX_TOKEN")),
    Flag.withDescription(`${description}; or set PAWL_SANDBOX_TOKEN`),
    Flag.optional
  )

export const profile = (description: string) =>
  Flag.String("profile").pipe(
    Flag.withFallbackConfig(Config.String("PAWL_PROFILE")),
    Flag.withDescription(`${description}; or set PAWL_PROFILE`),
    Flag.optional
  )

/** Makes the flag for the merchant secret, whose default is that of a sandbox. */
export const merchantSecret = (description: string) =>
  Flag.Redacted("merchant-secret").pipe(
    Flag.withFallbackConfig(Config.Redacted("PAWL_MERCHANT_SECRET")),
    Flag.filter(
      (secret) => isSound(Redacted.value(secret)),
      () =>
        "Expected a secret, here or in PAWL_MERCHANT_SECRET, that is not empty, without spaces around it"
    ),
    Flag.withDescription(`${description}; or set PAWL_MERCHANT_SECRET (default: sandbox-secret)`),
    Flag.optional
  )
