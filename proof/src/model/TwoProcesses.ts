/** Two processes in virtual time, which random faults restart. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SeededRandom } from "../rel/SeededRandom.ts"
import * as Process from "../simulation/Process.ts"
import { sleepUntil } from "../VirtualTime.ts"
import type { Index } from "./Checker.ts"

const restartGap = 60_000

/** Starts both; `boot` starts one of them. */
export const start = Effect.fnUntraced(function* <A>(
  random: SeededRandom,
  boot: (by: Index, instance: Process.Instance) => Effect.Effect<A, unknown, Scope.Scope>
) {
  const processes = ([0, 1] as const).map((by) =>
    Process.make((instance) => Effect.orDie(boot(by, instance)))
  )
  const open = new Set(processes)
  yield* Effect.forEach(processes, (process) => process.start)
  const at = (time: number, effect: Effect.Effect<unknown, unknown>) =>
    Effect.forkScoped(Effect.andThen(sleepUntil(time), Effect.orDie(effect)), {
      startImmediately: true
    })
  return {
    at,
    running: (): A | undefined =>
      [random.pick(processes), ...processes].find((process) => open.has(process))?.running(),
    /** Restarts one of them every minute after `before`, killed with a probability. */
    restart: Effect.fnUntraced(function* (
      until: number,
      killed: number,
      before: Effect.Effect<void> = Effect.void
    ) {
      for (let time = restartGap; time < until; time += restartGap) {
        const process = random.pick(processes)
        const restarted = Effect.gen(function* () {
          if (!open.delete(process)) return
          yield* before
          yield* random.isTrue(killed) ? process.kill : process.stop
          yield* Effect.sleep(random.below(5000))
          yield* process.start
          open.add(process)
        })
        yield* at(time + random.below(restartGap / 2), restarted)
      }
    }),
    kill: Effect.forEach(processes, (process) => process.kill, { discard: true })
  }
})
