/**
 * Derives the keys of `Seal` from a seal key or a merchant secret, by HKDF-SHA256 (RFC 5869).
 */
import type { Sign } from "@pawl/core/Checksum"
import type { Hmac } from "@pawl/core/Hmac"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

type Keyed = Hmac["Service"]["keyed"]

export interface Keys {
  readonly id: string
  readonly aes: Uint8Array
  readonly sign: Sign
}

const keyBytes = 32
const idBytes = 6

/** Reads a seal key: 32 bytes as hex, base64 or base64url. */
export const read = (key: Redacted.Redacted): Uint8Array | undefined => {
  const text = Redacted.value(key)
  const bytes = /^[0-9a-f]{64}$/iu.test(text)
    ? Hex.decode(text)
    : Base64Url.decode(text.replaceAll("+", "-").replaceAll("/", "_"))
  return Result.isSuccess(bytes) && bytes.success.length === keyBytes ? bytes.success : undefined
}

/** A seal key is uniform, so HKDF needs no extract step. */
export const fromKey = (keyed: Keyed, key: Uint8Array): Keys => {
  const expand = (name: string) => keyed(Redacted.make(key))(`pawl seal 1 ${name}\u0001`)
  return {
    id: Base64Url.encode(expand("id").subarray(0, idBytes)),
    aes: expand("aes-256-gcm"),
    sign: keyed(Redacted.make(expand("digest")))
  }
}

export const fromSecret = (keyed: Keyed, secret: Redacted.Redacted): Keys =>
  fromKey(keyed, keyed(Redacted.make("pawl seal 1"))(Redacted.value(secret)))
