/**
 * Limits the number of requests in progress, because the queue of undici cannot remove a request.
 */

export type Slots = ReturnType<typeof make>

/** A function that starts a request identifies it. */
export const make = (count: number) => {
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
    take: (start: () => void): void => {
      // Nearly always a slot is free, and the queue is not used.
      if (!isStarting && inProgress < count) {
        inProgress++
        start()
      } else waiting.add(start)
    },
    cancel: (start: () => void): boolean => waiting.delete(start),
    release: (): void => {
      inProgress--
      startNext()
    }
  }
}
