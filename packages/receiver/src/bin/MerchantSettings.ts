/** The settings of a merchant, from the environment or from the file of the merchants. */
import * as PawlConfig from "@pawl/http/PawlConfig"
import type * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Secret } from "../internal/admin/Overview.ts"
import type { Faults } from "./Faults.ts"

export interface Merchant {
  readonly id: string
  readonly accounts: ReadonlyArray<string>
  readonly service: {
    readonly baseUrl: string
    readonly merchantKey: string
    readonly merchantSecret: Redacted.Redacted
  }
  readonly secrets: {
    readonly current: Redacted.Redacted
    readonly previous: Redacted.Redacted | undefined
  }
  readonly forward: string | undefined
  readonly forwardSecret: Redacted.Redacted
  readonly stores: NodeStore.Stores
  /**
   * The months that transactions are kept: infinite for ever, undefined for the setting of the
   * process.
   */
  readonly keepMonths?: number | undefined
  /** The most bytes of the store; undefined for the setting of the process. */
  readonly storeBytes?: number | undefined
  readonly named: ReadonlyArray<Secret>
}

/**
 * The credentials of a merchant, and the target of its transitions. An empty secret counts as
 * absent.
 */
export interface Given extends Pick<Merchant, "forward" | "service"> {
  readonly previous: Redacted.Redacted
  readonly forwardSecret: Redacted.Redacted
}

const uses = {
  merchantSecret: "verifies callbacks, signs requests",
  merchantSecretPrevious: "verifies callbacks until the service has switched",
  forwardSecret: "signs forwarded transitions; without it, the merchant secret does"
}

/**
 * Checks the credentials of a merchant, and fills in absent ones. `nameOf` returns the name of a
 * setting on the page.
 */
export const make = Effect.fnUntraced(function* (
  faults: Faults,
  { forward, forwardSecret, previous, service }: Given,
  nameOf: (setting: string) => string = (setting) => setting
) {
  const secrets = {
    merchantSecret: service.merchantSecret,
    merchantSecretPrevious: previous,
    forwardSecret
  }
  for (const setting of ["merchantKey", "merchantSecret", "baseUrl"] as const) {
    yield* checkClient(faults, setting, { [setting]: service[setting] })
  }
  for (const [setting, secret] of Object.entries(secrets)) {
    const text = Redacted.value(secret)
    if (text !== text.trim()) faults.refuse(setting, "give it without white space around it")
  }
  const advice = adviceOfKey(forwardSecret)
  if (advice !== undefined) faults.refuse("forwardSecret", advice)
  if (forward !== undefined && !isForwardUrl(forward)) {
    faults.refuse("forward", "give an http or https URL without credentials")
  }
  return {
    service,
    secrets: { current: service.merchantSecret, previous: nonEmpty(previous) },
    forward,
    forwardSecret: nonEmpty(forwardSecret) ?? keyOf(service.merchantSecret),
    named: Object.entries(secrets).map(([setting, secret]) => ({
      name: nameOf(setting),
      use: uses[setting as keyof typeof uses],
      isSet: nonEmpty(secret) !== undefined
    }))
  }
})

export const databases =
  "one or more of sqlite:FILE and postgres://USER@HOST/DATABASE, each once, without white space at the end, with #, / and ? of a password as %23, %2F and %3F"

export const storeAdvice = `give memory, or ${databases}`

const valid = {
  baseUrl: "https://service.example/api",
  merchantKey: "key",
  merchantSecret: Redacted.make("secret")
}

export const checkClient = (
  faults: Faults,
  name: string,
  settings: Partial<PawlConfig.Options>
): Effect.Effect<void> =>
  Effect.match(PawlConfig.make({ ...valid, ...settings }), {
    onFailure: ({ advice }) => faults.refuse(name, advice),
    onSuccess: () => undefined
  })

/** The key of a merchant secret is its bytes, even if it begins with `whsec_`. */
export const keyOf = (merchantSecret: Redacted.Redacted): Redacted.Redacted =>
  Redacted.make(`whsec_${Base64.encode(Redacted.value(merchantSecret))}`)

/** A secret of Standard Webhooks is `whsec_` and its key in base64. */
const adviceOfKey = (secret: Redacted.Redacted): string | undefined => {
  const [, base64] = /^whsec_(.*)$/su.exec(Redacted.value(secret).trim()) ?? []
  return base64 === undefined || (base64 !== "" && Result.isSuccess(Base64.decode(base64)))
    ? undefined
    : "after whsec_ give the key in base64"
}

const isForwardUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/u.test(url.protocol) && url.username + url.password === ""
}

export const nonEmpty = (secret: Redacted.Redacted): Redacted.Redacted | undefined =>
  Redacted.value(secret) === "" ? undefined : secret
