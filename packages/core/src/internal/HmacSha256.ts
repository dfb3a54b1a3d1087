/**
 * HMAC-SHA256 (FIPS 198-1, FIPS 180-4) in plain JavaScript
 * (`docs/decisions/0025-hmacs-are-computed-by-openssl-on-node-and-by-our-own-sha-256-elsewhere.md`). No
 * branch and no index depends on the hashed bytes, so the time depends only on lengths.
 */

/** Fractional parts of the cube roots of the first 64 primes. */
const constants = /* @__PURE__ */ new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
])

/** Fractional parts of the square roots of the first 8 primes. */
const initial = /* @__PURE__ */ new Int32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
])

const blockSize = 64

const rotateRight = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** Words of a block, shared by all calls because `compress` is synchronous. */
const words = /* @__PURE__ */ new Int32Array(64)

const compress = (state: Int32Array, message: DataView, offset: number): Int32Array => {
  for (let at = 0; at < 16; at++) words[at] = message.getInt32(offset + at * 4)
  for (let at = 16; at < 64; at++) {
    const near = words[at - 2] ?? 0
    const far = words[at - 15] ?? 0
    words[at] =
      (words[at - 16] ?? 0) +
      (words[at - 7] ?? 0) +
      (rotateRight(far, 7) ^ rotateRight(far, 18) ^ (far >>> 3)) +
      (rotateRight(near, 17) ^ rotateRight(near, 19) ^ (near >>> 10))
  }
  let { 0: a = 0, 1: b = 0, 2: c = 0, 3: d = 0, 4: e = 0, 5: f = 0, 6: g = 0, 7: h = 0 } = state
  for (let at = 0; at < 64; at++) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const mixed = h + (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) + choice
    const one = (mixed + (constants[at] ?? 0) + (words[at] ?? 0)) | 0
    const two = (rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + majority
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  const next = Int32Array.of(a, b, c, d, e, f, g, h)
  for (let at = 0; at < 8; at++) next[at] = (next[at] ?? 0) + (state[at] ?? 0)
  return next
}

/** Adds the last bytes of a message to a state that has `before` bytes of it, and returns the digest. */
const digest = (start: Int32Array, before: number, bytes: Uint8Array): Uint8Array => {
  // Padding: one bit, zeros, and the length of the message in bits.
  const padded = new Uint8Array(((bytes.length + 8) | (blockSize - 1)) + 1)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const message = new DataView(padded.buffer)
  message.setBigUint64(padded.length - 8, BigInt(before + bytes.length) * 8n)
  let state = start
  for (let at = 0; at < padded.length; at += blockSize) state = compress(state, message, at)
  const out = new DataView(new ArrayBuffer(32))
  state.forEach((word, at) => out.setInt32(at * 4, word))
  return new Uint8Array(out.buffer)
}

/** Hashes the blocks of a key once, and returns the function that signs bytes. */
export const keyed = (key: Uint8Array): ((bytes: Uint8Array) => Uint8Array) => {
  const block = new Uint8Array(blockSize)
  block.set(key.length > blockSize ? digest(initial, 0, key) : key)
  const hashKey = (pad: number): Int32Array =>
    compress(initial, new DataView(block.map((byte) => byte ^ pad).buffer), 0)
  const inner = hashKey(0x36)
  const outer = hashKey(0x5c)
  return (bytes) => digest(outer, blockSize, digest(inner, blockSize, bytes))
}
