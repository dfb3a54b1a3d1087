/**
 * The nemesis applies the faults of the plan; the term is from Jepsen.
 */
import * as World from "@pawl/test-support/World"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Fault, type Plan, type Process, processes } from "./Plan.ts"
import type { Trace } from "./Trace.ts"

export type Target = Exclude<Fault["target"], "service">

type KindOn<T extends Target> = Exclude<
  Extract<Fault, { readonly target: T }>["kind"],
  "crash" | "restart" | "jump"
>

/**
 * Source of the faults: `strike` returns the current fault of a target and marks it as met; `clock`
 * returns a process's clock.
 */
export type Nemesis = Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* ({ faults, skews }: Plan, trace: Trace) {
  const base = yield* Clock.Clock
  const byTarget = Map.groupBy(faults, ({ target }) => target)
  const jumps = new Map(
    processes.map((process) => [
      process,
      (byTarget.get(process) ?? []).filter(({ kind }) => kind === "jump")
    ])
  )
  const strikes = new Map(
    [...byTarget].map(([target, all]) => [
      target,
      all.filter(({ kind }) => kind !== "jump" && kind !== "crash" && kind !== "restart")
    ])
  )
  const met = new Set<Fault>()
  const isNow = ({ at, duration }: Fault) => at <= trace.now() && trace.now() < at + duration

  const aheadOf = (process: Process): number => {
    let ahead = skews[process]
    for (const fault of jumps.get(process) ?? []) if (isNow(fault)) ahead += fault.jump
    if (ahead !== skews[process]) trace.mark("a clock was wrong")
    return ahead
  }

  return {
    strike: <T extends Target>(target: T) => {
      const fault = strikes.get(target)?.find(isNow)
      if (fault === undefined) return undefined
      if (!met.has(fault)) {
        const link = processes.some((process) => process === target) ? "exchange" : target
        trace.mark(`${link}: ${fault.kind}`)
      }
      met.add(fault)
      return { kind: fault.kind as KindOn<T>, until: fault.at + fault.duration }
    },
    clock: (process: Process): Clock.Clock => ({
      ...World.aheadOf(base, () => aheadOf(process)),
      sleep: (duration) => base.sleep(Duration.millis(Math.ceil(Duration.toMillis(duration))))
    })
  }
})
