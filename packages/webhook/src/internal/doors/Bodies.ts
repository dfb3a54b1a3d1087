/**
 * The bodies that a door holds, each from its first byte to the response.
 *
 * A body has at most 64 KiB and at most 4,096 chunks, and takes at most three times its limit while it grows. All
 * bodies of a door together have at most 32 MiB. If a chunk does not fit, the body that has been read for the longest
 * time is given up: a sender without the secret can only be slow or send much, and a callback comes at once. A
 * body that was read is not given up.
 */
import { BodyBuffer } from "@pawl/core/internal/BodyBuffer"
import { maxBytes } from "../../Verification.ts"

/** The most chunks of a body: a sender that writes 16 bytes at a time still sends 64 KiB. */
const maxChunks = 4096
const maxHeldBytes = 32 * 1024 * 1024

/** A body that is being read. */
export interface Body {
  /** Adds a chunk, or returns false if the body is too large, has too many chunks, or was given up. */
  readonly add: (chunk: Uint8Array) => boolean
  /** Ends reading, and returns the bytes; they count until `release`. */
  readonly complete: () => Uint8Array
  /** Makes room for other bodies. Calling it again does nothing. */
  readonly release: () => void
  /** Releases the body unless it was read. */
  readonly abandon: () => void
}

/** Returns a function that begins a body; `onGivenUp` is called if it is given up. */
export const make = (maxHeld: number = maxHeldBytes) => {
  /** The bodies being read, the oldest first. */
  const reading = new Set<{ readonly giveUp: () => void }>()
  let held = 0

  return (onGivenUp: () => void): Body => {
    let buffer: BodyBuffer | undefined = new BodyBuffer(maxBytes, maxChunks)
    let size = 0
    const release = () => {
      reading.delete(entry)
      buffer = undefined
      held -= size
      size = 0
    }
    const entry = {
      giveUp: () => {
        release()
        onGivenUp()
      }
    }
    reading.add(entry)
    return {
      add: (chunk) => {
        if (buffer?.add(chunk) !== true) {
          release()
          return false
        }
        size += chunk.length
        held += chunk.length
        for (const oldest of reading) {
          if (held <= maxHeld) break
          oldest.giveUp()
        }
        return buffer !== undefined
      },
      complete: () => {
        reading.delete(entry)
        return buffer?.bytes ?? new Uint8Array()
      },
      release,
      abandon: () => {
        if (reading.has(entry)) release()
      }
    }
  }
}
