/**
 * The hash FNV-1a with 32 bits. Stores have its values, so it never changes. It is not for secrets: anyone can find two texts with
 * one hash.
 */

/** Returns the hash of the characters of a text. */
export const ofText = (text: string, start: number = offset): number => {
  let hash = start
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime)
  return hash >>> 0
}

/** Returns the hash of bytes. */
export const ofBytes = (bytes: Uint8Array): number => {
  let hash = offset
  for (const byte of bytes) hash = Math.imul(hash ^ byte, prime)
  return hash >>> 0
}

const offset = 0x811c9dc5
const prime = 0x01000193
