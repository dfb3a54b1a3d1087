/**
 * AES-256-GCM: synchronous where the runtime has `node:crypto`, and by Web Crypto elsewhere.
 */
import * as Aead from "effect/crypto/Aead"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NativeAesGcm from "./NativeAesGcm.ts"

const nonceBytes = 12

/** The nonce is at the front of the ciphertext. */
export interface AesGcm {
  readonly encrypt: (plaintext: Uint8Array, additional: Uint8Array) => Effect.Effect<Uint8Array>
  /** Returns undefined if the ciphertext or the additional data was changed. */
  readonly decrypt: (
    ciphertext: Uint8Array,
    additional: Uint8Array
  ) => Effect.Effect<Uint8Array | undefined>
}

export const make = Effect.gen(function* () {
  const aead = yield* Aead.Aead
  const { randomBytes } = yield* SecureRandom.SecureRandom
  return (bytes: Uint8Array): Effect.Effect<AesGcm> =>
    Effect.orDie(
      Effect.map(Aead.key(Aead.aes256Gcm, bytes), (key) => ({
        encrypt: (plaintext, aad) =>
          Effect.flatMap(randomBytes(nonceBytes), (nonce) =>
            Effect.map(Effect.orDie(aead.encrypt(key, plaintext, { nonce, aad })), (ciphertext) =>
              concat(nonce, ciphertext)
            )
          ),
        decrypt: (ciphertext, aad) =>
          ciphertext.length < nonceBytes
            ? Effect.undefined
            : aead
                .decrypt(key, ciphertext.subarray(nonceBytes), {
                  nonce: ciphertext.subarray(0, nonceBytes),
                  aad
                })
                .pipe(
                  Effect.catch((error) =>
                    error.reason._tag === "DecryptionFailed" ? Effect.undefined : Effect.die(error)
                  )
                )
      }))
    )
}).pipe(Effect.provide(Layer.suspend(() => layer(NativeAesGcm.find()))))

const layer = (aes256Gcm: Aead.Implementation | undefined) =>
  Layer.provideMerge(
    Aead.layerWebCryptoWith({ implementations: aes256Gcm && { aes256Gcm } }),
    SecureRandom.layerWebCrypto
  )

const concat = (nonce: Uint8Array, ciphertext: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(nonceBytes + ciphertext.length)
  bytes.set(nonce)
  bytes.set(ciphertext, nonceBytes)
  return bytes
}
