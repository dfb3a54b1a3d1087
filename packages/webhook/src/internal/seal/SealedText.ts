/**
 * The text form of a ciphertext or digest: version, id of the key, and bytes in base64url, joined by dots.
 */
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"

const pattern = /^1\.([\w-]{8})\.([\w-]+)$/u

export const write = (id: string, bytes: Uint8Array): string => `1.${id}.${Base64Url.encode(bytes)}`

/**
 * Returns undefined for text that `write` did not make: several spellings decode to the same bytes.
 */
export const read = (
  text: string
): { readonly id: string; readonly bytes: Uint8Array } | undefined => {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, id = "", encoded = ""] = match
  const bytes = Result.getOrUndefined(Base64Url.decode(encoded))
  return bytes === undefined || write(id, bytes) !== text ? undefined : { id, bytes }
}
