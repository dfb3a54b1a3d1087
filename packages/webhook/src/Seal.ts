/**
 * Encrypts stored requests and outcomes, and makes keyed digests of requests.
 *
 * **Details**
 *
 * Texts are encrypted with AES-256-GCM and a random nonce, bound to their part, kind, merchant key,
 * base URL and requestId, so write access to the database cannot turn a payment into a payout. A
 * digest is HMAC-SHA256 of kind and body. It leaves out the security code, which must not be kept
 * in any form, the callback URL, and everything that a new secret changes.
 *
 * Every given key and secret opens its texts, so they can change while requests are open
 * (`docs/decisions/0017-retention.md`).
 *
 * @since 0.1.0
 */
import type { Account } from "@pawl/core/Account"
import { InvalidSecret } from "@pawl/core/CallbackError"
import * as Checksum from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import { isolatedBy } from "@pawl/core/internal/Isolated"
import type { RequestKind } from "@pawl/core/RequestSender"
import * as Config from "effect/Config"
import { ConfigProvider } from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as AesGcm from "./internal/seal/AesGcm.ts"
import * as CanonicalBody from "./internal/seal/CanonicalBody.ts"
import * as SealedText from "./internal/seal/SealedText.ts"
import * as SealKeys from "./internal/seal/SealKeys.ts"
import * as Secret from "./internal/verify/Secret.ts"

/**
 * Service that encrypts texts and makes digests.
 *
 * @category services
 * @since 0.1.0
 */
export class Seal extends Context.Service<
  Seal,
  {
    /** Encrypts a text for a part of a request. */
    readonly seal: (part: Part, text: string) => Effect.Effect<string>
    /** Decrypts the text of the same part. */
    readonly open: (part: Part, sealed: string) => Effect.Effect<string, NotOpened>
    /** Returns the digest of a body. It may be stored even for a body with a card number. */
    readonly digest: (kind: RequestKind, body: string) => string
    /** Compares a digest with a body. `no-key`: the key of the digest is not given. */
    readonly compare: (
      digest: string,
      kind: RequestKind,
      body: string
    ) => "same" | "different" | "no-key"
  }
>()("@pawl/webhook/Seal") {}

/**
 * A part of a stored request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Part {
  /** The requestId of the request. */
  readonly requestId: string
  /** The kind of the request. */
  readonly kind: RequestKind
  /** The body that is sent, or the outcome. */
  readonly part: "body" | "outcome"
  /** The merchant key and base URL that the request is sent to. */
  readonly account?: Account | undefined
}

/**
 * The keys and secrets. `key` or `current` is required.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * The key that seals and makes digests: 32 random bytes as base64, base64url or hex
   * (`PAWL_SEAL_KEY`).
   */
  readonly key?: Redacted.Redacted | undefined
  /** The key before it, which only opens and compares (`PAWL_SEAL_KEY_PREVIOUS`). */
  readonly previousKey?: Redacted.Redacted | undefined
  /**
   * The merchant secret, from which HKDF-SHA256 derives the keys if there is no `key`
   * (`PAWL_MERCHANT_SECRET`).
   */
  readonly current?: Redacted.Redacted | undefined
  /** The secret before it, which only opens and compares (`PAWL_MERCHANT_SECRET_PREVIOUS`). */
  readonly previous?: Redacted.Redacted | undefined
}

/**
 * Error raised when a text cannot be opened.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotOpened extends Data.TaggedError("NotOpened")<{
  /**
   * `no-key` if its key is not given, `damaged` if it was changed or belongs to another request.
   */
  readonly reason: "no-key" | "damaged"
}> {
  override get message() {
    return this.reason === "no-key"
      ? "The key that sealed this text is not given: set PAWL_SEAL_KEY_PREVIOUS or PAWL_MERCHANT_SECRET_PREVIOUS"
      : "The sealed text was changed, or belongs to another request"
  }
}

/**
 * Error raised at the start when a key is not 32 bytes in base64 or hex. It does not contain the
 * key.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidSealKey extends Data.TaggedError("InvalidSealKey")<{
  /** Which of the two keys is invalid. */
  readonly key: "current" | "previous"
}> {
  /** Empty, so that a program prints the message alone. */
  override readonly stack = ""
  override get message() {
    const variable = `PAWL_SEAL_KEY${this.key === "previous" ? "_PREVIOUS" : ""}`
    return `The ${this.key} seal key (${variable} in the environment) cannot be used: give 32 random bytes as base64 or hex, for example from: openssl rand -base64 32`
  }
}

/**
 * Layer that uses the given keys and secrets.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Seal, InvalidSealKey | InvalidSecret, Hmac> =>
  Layer.effect(Seal, make(options))

/**
 * Layer that takes the keys and secrets from the variables that `Options` names.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<
  Seal,
  Config.ConfigError | InvalidSealKey | InvalidSecret,
  Hmac
> =
  // PURE, as in Verifier.
  /* @__PURE__ */ isolatedBy(
    [ConfigProvider, Hmac],
    /* @__PURE__ */ Layer.suspend(() =>
      Layer.effect(
        Seal,
        Effect.flatMap(
          Config.all({
            key: variable("PAWL_SEAL_KEY"),
            previousKey: variable("PAWL_SEAL_KEY_PREVIOUS"),
            current: variable("PAWL_MERCHANT_SECRET"),
            previous: variable("PAWL_MERCHANT_SECRET_PREVIOUS")
          }),
          make
        )
      )
    )
  )

const variable = (name: string) => Config.Redacted(name).pipe(Config.withDefault(undefined))

const make = Effect.fnUntraced(function* (options: Options) {
  const { keyed } = yield* Hmac
  const prepare = yield* AesGcm.make
  const sources = yield* Effect.all({
    key: ifGiven(options.key, (key) => checkKey("current", key)),
    current: ifGiven(options.current, (secret) => Secret.check("current", secret)),
    previousKey: ifGiven(options.previousKey, (key) => checkKey("previous", key)),
    previous: ifGiven(options.previous, (secret) => Secret.check("previous", secret))
  })
  const derived = [
    sources.key && SealKeys.fromKey(keyed, sources.key),
    sources.current && SealKeys.fromSecret(keyed, sources.current),
    sources.previousKey && SealKeys.fromKey(keyed, sources.previousKey),
    sources.previous && SealKeys.fromSecret(keyed, sources.previous)
  ].filter((keys) => keys !== undefined)
  const [first] = derived
  if (first === undefined || !(sources.key ?? sources.current))
    return yield* new InvalidSecret({ secret: "current" })
  const ciphers = new Map(
    yield* Effect.forEach(derived, ({ aes, id }) =>
      Effect.map(prepare(aes), (cipher) => [id, cipher] as const)
    )
  )
  const digestOf = ({ id, sign }: SealKeys.Keys, kind: RequestKind, text: string): string =>
    SealedText.write(id, sign(`${kind}\n${text}`))
  const cipherOf = (id: string) =>
    Effect.fromNullishOr(ciphers.get(id)).pipe(
      Effect.mapError(() => new NotOpened({ reason: "no-key" }))
    )

  return Seal.of({
    seal: (part, text) =>
      Effect.map(
        Effect.flatMap(Effect.orDie(cipherOf(first.id)), ({ encrypt }) =>
          encrypt(utf8.encode(text), additional(part))
        ),
        (bytes) => SealedText.write(first.id, bytes)
      ),
    open: Effect.fnUntraced(function* (part, sealed) {
      const read = SealedText.read(sealed)
      if (read === undefined) return yield* new NotOpened({ reason: "damaged" })
      const { decrypt } = yield* cipherOf(read.id)
      const bytes = yield* decrypt(read.bytes, additional(part))
      return bytes === undefined
        ? yield* new NotOpened({ reason: "damaged" })
        : new TextDecoder().decode(bytes)
    }),
    digest: (kind, body) => digestOf(first, kind, CanonicalBody.of(body)),
    compare: (digest, kind, body) => {
      const id = SealedText.read(digest)?.id
      const keys = derived.find((each) => each.id === id)
      if (keys === undefined) return "no-key"
      return Checksum.matches(digestOf(keys, kind, CanonicalBody.of(body)), digest)
        ? "same"
        : "different"
    }
  })
})

const utf8 = new TextEncoder()

/** JSON, so no two parts have the same data. */
const additional = ({ account, kind, part, requestId }: Part): Uint8Array =>
  utf8.encode(
    JSON.stringify(["pawl seal 1", part, kind, account?.merchantKey, account?.baseUrl, requestId])
  )

const ifGiven = <A, B, E>(value: A | undefined, use: (value: A) => Effect.Effect<B, E>) =>
  value === undefined ? Effect.undefined : use(value)

const checkKey = (name: "current" | "previous", key: Redacted.Redacted) => {
  const bytes = SealKeys.read(key)
  return bytes === undefined
    ? Effect.fail(new InvalidSealKey({ key: name }))
    : Effect.succeed(bytes)
}
