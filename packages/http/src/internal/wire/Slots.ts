/**
 * Limits the number of requests in progress. Further requests wait in the order of their arrival.
 *
 * **Details**
 *
 * The queue of undici has no way to remove a request. A request that times out there would open or close a
 * connection when its turn comes, so requests wait here instead.
 */

/** Slots for requests. A function that starts a request identifies it. */
export interface Slots {
  /** Calls `start` as soon as a slot is free, at once if there is one. */
  readonly take: (start: () => void) => void
  /** Removes a request from the queue. Returns false if it has been started. */
  readonly cancel: (start: () => void) => boolean
  /** Frees the slot of a request that has ended. */
  readonly release: () => void
}

/** Makes a number of slots. */
export const make = (count: number): Slots => {
  const waiting = new Set<() => void>()
  let inProgress = 0
  let isStarting = false
  const startNext = () => {
    // A request may end while it is being started. The loop that starts it then goes on with the next one.
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
      // Nearly always a slot is free. Then nothing waits, and the queue is not used.
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
