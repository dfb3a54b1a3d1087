/**
 * HMAC-SHA256, the one primitive the checksums need.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/**
 * Service that computes HMAC-SHA256. It is synchronous: Web Crypto is not, and costs ten times more.
 *
 * **Details**
 *
 * `keyed` prepares a secret once (its UTF-8 bytes are the key) and returns the function that signs
 * texts with it.
 *
 * @category services
 * @since 0.1.0
 */
export class Hmac extends Context.Service<
  Hmac,
  {
    readonly keyed: (secret: Redacted.Redacted) => (text: string) => Uint8Array
  }
>()("@pawl/core/Hmac") {}
