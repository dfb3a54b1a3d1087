import * as Checksum from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import * as Decoder from "@pawl/core/internal/Decoder"
import { type FieldFault, ValidationFailed } from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import * as Effect from "effect/Effect"
import { identity, memoize } from "effect/Function"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { PawlConfig } from "../../PawlConfig.ts"
import type * as Transport from "../../Transport.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as Observed from "./Observed.ts"
import * as Response from "./Response.ts"

/** The version in the `User-Agent`, which a setting may replace. */
export const version = "0.0.0"

/** The plain values of path and body, or an encoded body, whose checksum is made anew. */
export interface Input {
  readonly params?: { readonly id?: string; readonly subscriptionId?: string }
  readonly payload?: object
  readonly body?: string | undefined
}

/** Endpoint of an operation; without `success` the response has no body. */
export interface Endpoint<A> {
  readonly identifier: string
  readonly method: Transport.Request["method"]
  readonly path: string
  readonly params?: Schema.Top | undefined
  readonly payload?: Schema.Top | undefined
  readonly success?: Schema.Schema<A> | undefined
  /** Whether a checksum is sent; `payout`: as `Profile.payoutChecksum` says. */
  readonly checksum?: "always" | "payout" | undefined
}

export interface Operation<A> {
  readonly name: string
  readonly target: Observed.Target
  readonly toRequest: (input: Input) => Effect.Effect<Transport.Request, ValidationFailed>
  readonly fromResponse: Response.Decode<A>
}

type Codec<A = unknown> = Schema.Codec<A, unknown>

type Signed = (
  rule: Endpoint<unknown>["checksum"]
) => (fields: object | undefined) => object | undefined

interface Settings extends Pick<PawlConfig["Service"], "baseUrl" | "headers"> {
  readonly signed?: Signed
}

export const make = <A>(endpoint: Endpoint<A>, settings: Settings): Operation<A> => {
  const { identifier, method, path, success } = endpoint
  return {
    name: identifier,
    target: Observed.target(method, settings.baseUrl, path),
    toRequest: encoder(endpoint, settings),
    fromResponse: Response.decoder(identifier, success as Codec<A> | undefined, method === "POST")
  }
}

export const makeAll = (settings: Settings) =>
  memoize((endpoint: Endpoint<unknown>) => make(endpoint, settings)) as <A>(
    endpoint: Endpoint<A>
  ) => Operation<A>

/** Signs with the current secret, whose key is prepared once. */
export const signer = Effect.gen(function* () {
  const { payoutChecksum, requestChecksumSeparator } = yield* Profile
  const { currentSecret } = yield* PawlConfig
  const { keyed } = yield* Hmac
  let secret = currentSecret()
  let sign = keyed(secret)
  const add = (fields: object | undefined) => {
    const current = currentSecret()
    if (current !== secret) {
      secret = current
      sign = keyed(current)
    }
    const signed = fields as Parameters<typeof Checksum.request>[2]
    return { ...fields, checksum: Checksum.request(sign, requestChecksumSeparator, signed) }
  }
  const signed: Signed = (rule) =>
    rule === "always" || (rule === "payout" && payoutChecksum) ? add : identity
  return signed
})

const encoder = (
  { checksum, method, params, path, payload }: Endpoint<unknown>,
  settings: Settings
): Operation<unknown>["toRequest"] => {
  const headers = {
    "user-agent": `pawl/${version}`,
    ...settings.headers,
    accept: "application/json",
    // DELETE requires it too, though it has no body (`spec.md`, "Common rules").
    ...(method !== "GET" && { "content-type": "application/json" })
  }
  const checkBody = payload === undefined ? undefined : check(payload as Codec)
  const checkParams = params === undefined ? undefined : check(params as Codec)
  const url = settings.baseUrl + path.slice("/api".length)
  const fill = (values: Record<string, string>) =>
    url.replace(/\/:(\w+)/gu, (_, name: string) => `/${encodeURIComponent(values[name] ?? "")}`)
  const signed = settings.signed?.(checksum) ?? identity
  const request = (url: string, body: string | undefined): Effect.Effect<Transport.Request> =>
    Effect.succeed({ method, url, headers, body })
  const signedAgain = (
    body: string | undefined
  ): Effect.Effect<string | undefined, ValidationFailed> =>
    body === undefined || signed === identity
      ? Effect.succeed(body)
      : Effect.try({
          try: () => JSON.stringify(signed(JSON.parse(body) as object)),
          catch: () => refused({ path: "body", message: "Expected the text that encode returned" })
        })
  return (input) => {
    const filled =
      checkParams === undefined
        ? Effect.succeed(url)
        : Effect.mapEager(checkParams(input.params), (values) =>
            fill(values as Record<string, string>)
          )
    return Effect.flatMapEager(filled, (url) =>
      checkBody === undefined || input.body !== undefined
        ? Effect.flatMapEager(signedAgain(input.body), (body) => request(url, body))
        : Effect.flatMapEager(checkBody(signed(input.payload)), (value) => {
            const body = Result.try(() => JSON.stringify(value))
            return Result.isFailure(body) ? Effect.fail(toError(value)) : request(url, body.success)
          })
    )
  }
}

const check = (schema: Codec) => {
  const write = Decoder.reencodeUnknownEffect(schema, { errors: "all" })
  return (value: unknown): Effect.Effect<unknown, ValidationFailed> =>
    write(value).pipe(
      // Only an input that is refused because of an undefined member pays for the copy.
      Effect.catchEager((error) => {
        const defined = withoutUndefined(value)
        return defined === value ? Effect.fail(error) : write(defined)
      }),
      Effect.mapErrorEager((error) => refused(...ErrorResponse.faultsOf(error)))
    )
}

const refused = (...fields: ReadonlyArray<typeof FieldFault.Type>) =>
  new ValidationFailed({ sent: false, fields })

/** No field below the objects of a request is documented, and JSON leaves undefined members out. */
export const withoutUndefined = (value: unknown, depth = 0): unknown => {
  if (depth > 1 || !isPlain(value)) return value
  const entries = Object.entries(value)
  const defined = entries
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => [name, withoutUndefined(member, depth + 1)] as const)
  const isSame =
    defined.length === entries.length && defined.every(([name, member]) => member === value[name])
  return isSame ? value : Object.fromEntries(defined)
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** The error for a value that `JSON.stringify` refuses: one with a bigint, or with itself as a member. */
export const toError = (value: unknown): ValidationFailed => {
  const path = pathOfBigInt(value)
  return refused(
    path === undefined
      ? { path: "", message: "Expected a value that can be written as JSON" }
      : { path: path.join("."), message: "Expected a number or text, not a bigint" }
  )
}

const maxDepth = 64

/** Visits each object once: an object with itself as two members has 2^64 paths of that depth. */
const pathOfBigInt = (
  value: unknown,
  depth = 0,
  seen = new Set<object>()
): ReadonlyArray<string> | undefined => {
  if (typeof value === "bigint") return []
  if (typeof value !== "object" || value === null || depth > maxDepth || seen.has(value))
    return undefined
  seen.add(value)
  for (const [name, member] of Object.entries(value)) {
    const path = pathOfBigInt(member, depth + 1, seen)
    if (path !== undefined) return [name, ...path]
  }
  return undefined
}
