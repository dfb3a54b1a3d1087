/**
 * The service that computes HMAC-SHA256 for checksums.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/**
 * Service that computes HMAC-SHA256 synchronously. Web Crypto is asynchronous and takes ten times as long.
 *
 * **Details**
 *
 * `keyed` prepares a secret once and returns the function that signs texts. The key is the UTF-8 encoding of a
 * textual secret, or the bytes of a binary one.
 *
 * @category services
 * @since 0.1.0
 */
export class Hmac extends Context.Service<
  Hmac,
  {
    readonly keyed: (secret: Redacted.Redacted<string | Uint8Array>) => (text: string) => Uint8Array
  }
>()("@pawl/core/Hmac") {}
