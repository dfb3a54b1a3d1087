/**
 * Collects the chunks of a body in one growing buffer. Kept chunks would cost about 50 bytes each, so a body
 * of one-byte chunks would take 50 times its size.
 */

/** A buffer that holds at most `limit` bytes. */
export class BodyBuffer {
  private buffer: Uint8Array = empty
  private size = 0
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  /** Adds a chunk, or returns false if the body would be longer than the limit. */
  add(chunk: Uint8Array): boolean {
    const size = this.size + chunk.length
    if (size > this.limit) return false
    if (this.size === 0) {
      // Most bodies are one chunk, which is not copied. The buffer is full then, so it is never written to.
      this.buffer = chunk
    } else {
      if (size > this.buffer.length) {
        const grown = new Uint8Array(Math.min(this.limit, Math.max(2 * size, 4096)))
        grown.set(this.buffer.subarray(0, this.size))
        this.buffer = grown
      }
      this.buffer.set(chunk, this.size)
    }
    this.size = size
    return true
  }

  /** Returns the collected bytes, without a copy. */
  get bytes(): Uint8Array {
    return this.size === this.buffer.length ? this.buffer : this.buffer.subarray(0, this.size)
  }
}

const empty = new Uint8Array()
