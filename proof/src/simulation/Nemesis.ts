/**
 * What is wrong now, by the plan.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Fault, type Plan, type Process, processes } from "./Plan.ts"
import type { Trace } from "./Trace.ts"

/**
 * Something that meets with faults: a link, named for who sends or for what it carries, or the store.
 *
 * @category models
 * @since 0.1.0
 */
export type Target = Exclude<Fault["on"], "service">

type WhatOn<T extends Target> = Exclude<
  Extract<Fault, { readonly on: T }>["what"],
  "crash" | "jump"
>

/**
 * Says what is wrong now.
 *
 * - `strike`: the fault that something meets, and when that is over; asking counts as meeting it.
 * - `clock`: the clock of a process, skewed, and wrong where it jumped. What it measures is right.
 *
 * @category models
 * @since 0.1.0
 */
export interface Nemesis {
  readonly strike: <T extends Target>(
    on: T
  ) => { readonly what: WhatOn<T>; readonly until: number } | undefined
  readonly clock: (process: Process) => Clock.Clock
}

/**
 * Makes the nemesis of a plan.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (
  { faults, skews }: Plan,
  trace: Trace
): Effect.fn.Return<Nemesis> {
  const base = yield* Clock.Clock
  const by = Map.groupBy(faults, ({ on }) => on)
  const jumps = new Map(
    processes.map((process) => [
      process,
      (by.get(process) ?? []).filter(({ what }) => what === "jump")
    ])
  )
  const strikes = new Map(
    [...by].map(([on, all]) => [on, all.filter(({ what }) => what !== "jump" && what !== "crash")])
  )
  const met = new Set<Fault>()
  const isNow = ({ at, lasts }: Fault) => at <= trace.now() && trace.now() < at + lasts

  const aheadOf = (process: Process): number => {
    let ahead = skews[process]
    for (const each of jumps.get(process) ?? []) if (isNow(each)) ahead += each.jump
    if (ahead !== skews[process]) trace.mark("a clock was wrong")
    return ahead
  }

  return {
    strike: <T extends Target>(on: T) => {
      const fault = strikes.get(on)?.find(isNow)
      if (fault === undefined) return undefined
      if (!met.has(fault)) {
        trace.mark(`${processes.some((each) => each === on) ? "exchange" : on}: ${fault.what}`)
      }
      met.add(fault)
      // The list is of faults on it alone.
      return { what: fault.what as WhatOn<T>, until: fault.at + fault.lasts }
    },
    clock: (process) => {
      const now = () => base.currentTimeMillisUnsafe() + aheadOf(process)
      const nanos = () => base.currentTimeNanosUnsafe() + BigInt(aheadOf(process)) * 1_000_000n
      return {
        currentTimeMillisUnsafe: now,
        currentTimeMillis: Effect.sync(now),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: base.monotonicTimeNanos,
        // A clock shows whole milliseconds, whatever a jitter makes of a wait.
        sleep: (duration) => base.sleep(Duration.millis(Math.ceil(Duration.toMillis(duration))))
      }
    }
  }
})
