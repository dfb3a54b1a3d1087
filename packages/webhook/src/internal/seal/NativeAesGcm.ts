/** AES-GCM without waiting: a call of Web Crypto waits for other work of the event loop. */
import type { Implementation } from "effect/crypto/Aead"
import * as Result from "effect/Result"
import type { KeyObject } from "node:crypto"

const tagBytes = 16

export const find = (): Implementation | undefined => {
  const crypto = nodeCrypto()
  return crypto && make(crypto)
}

const nodeCrypto = () => {
  const { process } = globalThis as { readonly process?: Partial<NodeJS.Process> }
  return process?.getBuiltinModule?.("node:crypto")
}

const make = ({
  createCipheriv,
  createDecipheriv,
  createSecretKey
}: NonNullable<ReturnType<typeof nodeCrypto>>): Implementation => {
  const prepared = new WeakMap<Uint8Array, KeyObject>()
  /** Prepares a key once: that takes 11 of the 14 µs of a call with bytes. */
  const keyOf = (bytes: Uint8Array): KeyObject => {
    const key = prepared.get(bytes) ?? createSecretKey(bytes)
    prepared.set(bytes, key)
    return key
  }
  return {
    encrypt: (key, nonce, plaintext, aad) => {
      const cipher = createCipheriv("aes-256-gcm", keyOf(key), nonce).setAAD(aad)
      return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
    },
    decrypt: (key, nonce, ciphertext, aad) => {
      const end = ciphertext.length - tagBytes
      const decipher = createDecipheriv("aes-256-gcm", keyOf(key), nonce, {
        authTagLength: tagBytes
      })
        .setAAD(aad)
        .setAuthTag(ciphertext.subarray(end))
      const plaintext = decipher.update(ciphertext.subarray(0, end))
      const last = Result.try(() => decipher.final())
      return Result.isSuccess(last) ? Buffer.concat([plaintext, last.success]) : undefined
    }
  }
}
