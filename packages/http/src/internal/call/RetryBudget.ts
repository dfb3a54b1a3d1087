/**
 * Limits the retries of a client in proportion to its calls, so that an outage does not multiply its traffic.
 */

/** The retries that all calls of a client share. */
export interface RetryBudget {
  /** Adds the share of one call. */
  readonly earn: () => void
  /** Takes one retry. Returns false if there is none. */
  readonly spend: () => boolean
}

/** Retries of a client that has made no call, and the most that calls without retries leave. */
const [firstRetries, maxRetries] = [10, 100]

/** Makes a budget to which each call adds a ratio of a retry. */
export const make = (ratio: number): RetryBudget => {
  let retries = firstRetries
  return {
    earn: () => {
      retries = Math.min(retries + ratio, Math.max(maxRetries, ratio))
    },
    spend: () => {
      if (retries < 1) return false
      retries--
      return true
    }
  }
}
