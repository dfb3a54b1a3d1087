/**
 * The limits of a worker: how much it does at a time, and for how long a lease lasts.
 */
import * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"

/**
 * The limits of the work of one process.
 *
 * - `calls`: the most calls of the handler at a time: 64 by default. A quarter of them are for retries.
 * - `reads`: the most reads at a time: 32 by default. Half of them are for first reads of claims, a quarter for other open
 *   transactions, and a quarter for the watch of those that have ended.
 * - `readsPerSecond`: the most reads in a second that all processes of the store send together: 100 by default, which the
 *   long run uses up to 71 of; `Infinity` is no limit. Each of several shards gets an equal share.
 * - `lease`: the time of a lease in milliseconds: 30 seconds by default. The rows of a process that ends without a word
 *   are worked on again after it.
 */
export interface WorkLimits {
  readonly calls: number
  readonly reads: number
  readonly readsPerSecond: number
  readonly lease: number
  /** When a handler that failed is called again (`Receiver.Options`). */
  readonly retrySchedule: Schedule.Schedule<unknown>
}

export const defaults: WorkLimits = {
  calls: 64,
  reads: 32,
  readsPerSecond: 100,
  lease: Duration.toMillis(Duration.seconds(30)),
  retrySchedule: /* @__PURE__ */ Schedule.min([
    /* @__PURE__ */ Schedule.exponential("1 second"),
    /* @__PURE__ */ Schedule.spaced("5 minutes")
  ]).pipe(/* @__PURE__ */ Schedule.upTo({ duration: "24 hours" }))
}

/**
 * Returns the limits of one of several shards. The shares of all shards together are the limits; only a process with fewer
 * calls, reads, or reads in a second than shards has one for each.
 */
export const shareOf = (
  { calls, reads, readsPerSecond, ...limits }: WorkLimits,
  position: number,
  count: number
): WorkLimits => {
  const share = (all: number) =>
    all === Infinity ? all : Math.max(1, Math.floor((all + position) / count))
  return {
    ...limits,
    calls: share(calls),
    reads: share(reads),
    readsPerSecond: share(readsPerSecond)
  }
}
