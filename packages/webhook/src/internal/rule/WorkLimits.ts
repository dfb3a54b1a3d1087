import * as Defaults from "@pawl/core/internal/Defaults"
import * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"

export interface Options {
  /** Concurrent handler calls, 64 by default. A quarter are for retries. */
  readonly calls?: number
  /**
   * Concurrent reads, 32 by default: half for first reads of claims, a quarter for other open
   * transactions, a quarter for ended ones.
   */
  readonly reads?: number
  /**
   * Reads a second of all processes of the store, 100 by default; `Infinity` is no limit. Several
   * shards share it equally.
   */
  readonly readsPerSecond?: number
  /**
   * The time of a lease in milliseconds, 30,000 by default and at least 1,000. Rows of a crashed
   * process are worked on again after it.
   */
  readonly lease?: number
  /** When a failed handler is called again (`Receiver.Options`). */
  readonly retrySchedule?: Schedule.Schedule<unknown>
}

export type WorkLimits = Required<Options>

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

/** The least value of each limit; that of reads a second may have a fraction or be infinite. */
const leasts = [
  ["calls", 1],
  ["reads", 1],
  ["readsPerSecond", 1],
  ["lease", 1000]
] as const

/** Throws if a limit would stop or repeat the work. */
export const make = (options: { readonly [Name in keyof Options]?: unknown }): WorkLimits => {
  const limits = Defaults.changed(defaults, options)
  for (const [name, least] of leasts) {
    const limit = limits[name]
    const isRate = name === "readsPerSecond"
    // A text would be compared as a number, and then joined with one.
    const isNumber = isRate ? typeof limit === "number" : Number.isSafeInteger(limit)
    if (isNumber && limit >= least) continue
    const kind = isRate ? "number" : "whole number"
    throw new RangeError(`limits.${name} cannot be used: give a ${kind} of ${least} or more`)
  }
  return limits
}

/** Returns an equal share, at least one, for one of several shards. */
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
