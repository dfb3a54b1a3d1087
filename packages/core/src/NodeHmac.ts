/**
 * HMAC-SHA256 on Node by `node:crypto`, in 1.3 µs for each checksum
 * (`docs/decisions/0025-hmacs-are-computed-by-openssl-on-node-and-by-our-own-sha-256-elsewhere.md`).
 *
 * @since 0.1.0
 */
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { hash } from "node:crypto"
import { Hmac } from "./Hmac.ts"

const blockSize = 64

/** A digest as text with one character per byte. A buffer takes 1 µs more for each call. */
const sha256 = (bytes: Uint8Array): string => hash("sha256", bytes, "binary")

/**
 * Prepares a secret (FIPS 198-1).
 *
 * @category constructors
 * @since 0.1.0
 */
export const keyed: Hmac["Service"]["keyed"] = (secret) => {
  const bytes = Buffer.from(Redacted.value(secret))
  const key = bytes.length > blockSize ? Buffer.from(sha256(bytes), "latin1") : bytes
  const padded = (pad: number) => Buffer.alloc(blockSize).map((_, at) => (key[at] ?? 0) ^ pad)
  const inner = padded(0x36)
  const outer = Buffer.concat([padded(0x5c), Buffer.alloc(32)])
  return (text) => {
    outer.write(sha256(Buffer.concat([inner, Buffer.from(text)])), blockSize, "latin1")
    return Buffer.from(sha256(outer), "latin1")
  }
}

/**
 * Layer that computes HMACs with `node:crypto`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Hmac> = Layer.succeed(Hmac, { keyed })
