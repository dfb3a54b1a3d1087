/**
 * Limits the number of requests in progress, because the queue of undici cannot remove a request.
 */

/** A function that starts a request identifies it. */
export interface Slots {
  /** Calls `start` as soon as a slot is free. */
  readonly take: (start: () => void) => void
  readonly cancel: (start: () => void) => boolean
  readonly release: () => void
}

export const make = (count: number): Slots => {
  const waiting = new Set<() => void>()
  let inProgress = 0
  let isStarting = false
  const startNext = () => {
    // A request may end while it is being started; that loop starts the next one.
    if (isStarting) return
    isStarting = true
    for (const start of waiting) {
      if (inProgress >= count) break
      waiting.delete(start)
      inProgress++
      start()
    }
    isStarting = false
  }
  return {
    take: (start) => {
      // Nearly always a slot is free, and the queue is not used.
      if (!isStarting && inProgress < count) {
        inProgress++
        start()
      } else waiting.add(start)
    },
    cancel: (start) => waiting.delete(start),
    release: () => {
      inProgress--
      startNext()
    }
  }
}
