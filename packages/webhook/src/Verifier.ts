/**
 * Decides whether a request is a callback of the service: `Incoming` → `Verified`, or a refusal.
 *
 * **Details**
 *
 * The order of the questions is part of the defence: method, size, type, encoding, depth, keys, JSON,
 * the kind of callback, the four signed fields, and then the checksum. Nothing else is asked before
 * it, and nothing costs an exception.
 *
 * Only then is the token read that a callback URL may carry. It names the operation, and with it the row
 * the callback belongs to; a callback of another kind or account than its URL was made for is refused.
 *
 * The checksum is taken over the fields as they were sent and compared with the header as text; the
 * current secret is tried first, then the previous one.
 *
 * What verifies but is not ours to understand (a status, amount or identifier outside our grammar)
 * is not refused: a genuine callback would be lost after six tries. It is marked `quarantine`.
 *
 * @since 0.1.0
 */
import { Amount, Currency } from "@pawl/core/Amount"
import { type Body, type Signed, signedNames } from "@pawl/core/Callback"
import type { InvalidSecret, Refusal } from "@pawl/core/CallbackError"
import * as Checksum from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import * as Json from "@pawl/core/Json"
import { Profile } from "@pawl/core/Profile"
import { isStatus, type Status } from "@pawl/core/Status"
import { type Kind, type Method, TransactionId } from "@pawl/core/Transaction"
import * as Brand from "effect/Brand"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Secret from "./internal/Secret.ts"
import * as Token from "./internal/Token.ts"
import { methodOf, type Terms } from "./Row.ts"

/**
 * A request that claims to be a callback. `search` is the query of its URL, `body` its bytes, cut at
 * `maxBytes + 1`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Incoming {
  readonly method: string
  readonly search: string
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly checksum: string | undefined
  readonly body: Uint8Array
}

/**
 * A callback whose checksum holds. Only the verifier makes one.
 *
 * - `kind`, `transactionId`: what its row is found by. The kind is the method where the URL had no token.
 * - `terms`: what the token of the URL says was ordered.
 * - `claim`: the status it claims, which the checksum does not cover; undefined in quarantine.
 * - `quarantine`: why it cannot be acted on, if it cannot.
 * - `secret`: which of the two secrets matched.
 *
 * @category models
 * @since 0.1.0
 */
export type Verified = Brand.Branded<
  {
    readonly method: Method
    readonly kind: Kind
    readonly transactionId: string
    readonly terms: Terms | undefined
    readonly signed: Signed
    readonly claim: Status | undefined
    readonly quarantine: string | undefined
    readonly secret: "current" | "previous"
    readonly body: Body
    readonly bytes: Uint8Array
  },
  "@pawl/webhook/Verified"
>

const Verified = Brand.nominal<Verified>()

/**
 * The most bytes a callback may have: 64 KiB.
 *
 * @category constants
 * @since 0.1.0
 */
export const maxBytes = 64 * 1024

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
  Layer.effect(
    Verifier,
    Effect.flatMap(
      Config.all({
        current: Config.Redacted("PAWL_MERCHANT_SECRET"),
        previous: Config.Redacted("PAWL_MERCHANT_SECRET_PREVIOUS").pipe(
          Config.withDefault(undefined)
        )
      }),
      (secrets) => make(secrets)
    )
  )

const make = Effect.fnUntraced(function* ({ accounts, current, previous }: Options) {
  const hmac = yield* Hmac
  const { refundCallbackId } = yield* Profile
  const named = [
    { name: "current" as const, secret: yield* Secret.check("current", current) },
    ...(previous === undefined
      ? []
      : [{ name: "previous" as const, secret: yield* Secret.check("previous", previous) }])
  ]
  const keyed = named.map(({ name, secret }) => ({ name, sign: hmac.keyed(secret) }))
  const ours = accounts && new Set(accounts)

  const tokenOf = (text: string | undefined): Token.Token | undefined => {
    if (text === undefined) return undefined
    for (const { sign } of keyed) {
      const token = Token.decode(sign, text)
      if (token !== undefined) return token
    }
    return undefined
  }

  const verify = (incoming: Incoming): Result.Result<Verified, Refusal> => {
    if (incoming.method !== "POST") return refuse(405, "the method is not POST")
    if (incoming.body.length > maxBytes) return refuse(413, "the body is larger than 64 KiB")
    if (incoming.contentEncoding !== undefined && incoming.contentEncoding !== "identity") {
      return refuse(415, "the body is encoded")
    }
    if (!jsonType.test(incoming.contentType ?? "")) return refuse(415, "the type is not JSON")

    const parsed = Json.fromBytes(incoming.body)
    if (Result.isFailure(parsed))
      return refuse(400, `the body is not sound JSON: ${parsed.failure}`)
    const body = parsed.success
    if (!isBody(body)) return refuse(400, "the body is not a JSON object")
    const routed = route(incoming.search, body)
    if ("reason" in routed) return Result.fail(routed)
    const { method } = routed
    const signed = signedOf(method, body)
    if (!("account" in signed)) return Result.fail(signed)

    const given = incoming.checksum ?? ""
    const match = keyed.find(({ sign }) => Checksum.matches(Checksum.callback(sign, signed), given))
    if (match === undefined) return refuse(401, "the checksum does not match")

    const token = tokenOf(routed.token)
    const kind = token === undefined ? method : Token.kindOf(token.origin, method)
    if (methodOf(kind) !== method) return refuse(400, "its URL was made for another kind")
    const account = token?.terms.account
    if (account !== undefined && account !== signed.account) {
      return refuse(400, "its URL was made for another account")
    }
    if (ours?.has(signed.account) === false) return refuse(400, "the account is not one of ours")

    const quarantine = strangeness(signed, body, incoming.body)
    const status = body["transactionStatus"]
    return Result.succeed(
      Verified({
        method,
        ...rowOf(kind, signed, body),
        terms: token?.terms,
        signed,
        claim: quarantine === undefined && isStatus(status) ? status : undefined,
        quarantine,
        secret: match.name,
        body,
        bytes: incoming.body
      })
    )
  }

  /** A refund's own id, where its callback says it, is its refundId. */
  const rowOf = (kind: Kind, signed: Signed, body: Body) => {
    const { refundId } = body
    const isRefund = kind === "refund" || (kind === "card" && refundCallbackId === "payment")
    return isRefund &&
      (typeof refundId === "string" || typeof refundId === "number") &&
      isIdentifier(String(refundId))
      ? { kind: "refund" as const, transactionId: String(refundId) }
      : { kind, transactionId: signed.transactionId }
  }

  return Verifier.of({ verify })
})

const refuse = (status: Refusal["status"], reason: string): Result.Result<never, Refusal> =>
  Result.fail({ status, reason })

const jsonType = /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-8"?)?\s*$/i

const isBody = (value: Schema.Json): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Every spelling under which a routing parameter could be smuggled past us. */
const routing = /^(?:paymentmethod|apmtype)(?:\[|$)/i

/** The kind is said by the query and by the fields of the body, and they have to agree. */
const route = (
  search: string,
  body: Body
): { readonly method: Method; readonly token: string | undefined } | Refusal => {
  const query = new URLSearchParams(search)
  const methods = query.getAll("paymentMethod")
  const types = query.getAll("apmType")
  const tokens = query.getAll(Token.parameter)
  for (const name of query.keys()) {
    if (routing.test(name) && name !== "paymentMethod" && name !== "apmType") {
      return { status: 400, reason: "the query spells paymentMethod or apmType in another way" }
    }
  }
  const [method] = methods
  if (methods.length !== 1 || (method !== "card" && method !== "apm")) {
    return { status: 400, reason: "paymentMethod is not exactly one of card and apm" }
  }
  if (types.length > (method === "apm" ? 1 : 0)) {
    return { status: 400, reason: "apmType is repeated, or comes with a card callback" }
  }
  if (tokens.length > 1) return { status: 400, reason: "the query repeats our token" }
  const [type] = types
  const told = body["apmType"]
  if (type !== undefined && told !== undefined && told !== null && told !== type) {
    return { status: 400, reason: "apmType differs between query and body" }
  }
  const other = signedNames[method === "card" ? "apm" : "card"]
  if (other.every((name) => Object.hasOwn(body, name))) {
    return { status: 400, reason: "the body has the signed fields of both kinds" }
  }
  return { method, token: tokens[0] }
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const forbidden = /[|\u0000-\u001f\u007f-\u009f]/

/** The signed fields as text; what would make the joined text ambiguous is refused. */
const signedOf = (method: Method, body: Body): Signed | Refusal => {
  const values: Array<string> = []
  for (const name of signedNames[method]) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (typeof value !== "string" && typeof value !== "number") {
      return { status: 400, reason: `${name} is neither text nor number` }
    }
    const text = String(value)
    if (text === "" || forbidden.test(text) || !text.isWellFormed()) {
      return { status: 400, reason: `${name} is empty or has characters that may not be signed` }
    }
    values.push(text)
  }
  const [account = "", amount = "", currency = "", transactionId = ""] = values
  return { account, amount, currency, transactionId }
}

const isIdentifier = Schema.is(TransactionId)
const isAmount = Schema.is(Amount)
const isCurrency = Schema.is(Currency)

const backslash = 0x5c

/** Names what in a genuine callback is outside our grammar; undefined when nothing is. */
const strangeness = (signed: Signed, body: Body, bytes: Uint8Array): string | undefined => {
  if (!isIdentifier(signed.transactionId)) return "transactionId"
  if (!isAmount(signed.amount)) return "amount"
  if (!isCurrency(signed.currency)) return "currency"
  if (!isStatus(body["transactionStatus"])) return "transactionStatus"
  // What cannot be stored comes by an escape alone: the walk, a tenth of all of this, is for those.
  return bytes.includes(backslash) && unstorable(body) ? "text that cannot be stored" : undefined
}

/** A NUL or a lone surrogate in any key or value: databases refuse them, and a retry would too. */
const unstorable = (value: unknown): boolean => {
  if (typeof value === "string") return value.includes("\u0000") || !value.isWellFormed()
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(([key, each]) => unstorable(key) || unstorable(each))
}
