/**
 * Collects the chunks of a body in one growing buffer: kept chunks of one byte would take 50 times their
 * size.
 */

/** A buffer for one body. While it grows, it takes at most three times the limit. */
export class BodyBuffer {
  readonly limit: number
  readonly maxChunks: number
  private buffer: Uint8Array = empty
  private size = 0
  private chunks = 0

  constructor(limit: number, maxChunks: number = Infinity) {
    this.limit = limit
    this.maxChunks = maxChunks
  }

  /** Adds a chunk. Returns false if the body becomes too long or has too many chunks. */
  add(chunk: Uint8Array): boolean {
    const size = this.size + chunk.length
    if (size > this.limit || ++this.chunks > this.maxChunks) return false
    if (this.size === 0) {
      // A full buffer is never written to, so a single chunk needs no copy.
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

  get bytes(): Uint8Array {
    return this.size === this.buffer.length ? this.buffer : this.buffer.subarray(0, this.size)
  }
}

const empty = new Uint8Array()
