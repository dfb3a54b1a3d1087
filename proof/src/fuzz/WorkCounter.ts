/**
 * Counts executed blocks by V8's precise coverage, so that the load of the machine does not matter.
 */
import { type Profiler, Session } from "node:inspector"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export type Work = ReadonlyMap<string, number>

export interface WorkCounter {
  readonly take: () => Work
}

const counted = /\/(?:packages|proof|effect)\//u

export const make: Effect.Effect<WorkCounter, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const session = new Session()
      session.connect()
      session.post("Profiler.enable")
      session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
      return session
    }),
    (session) =>
      Effect.sync(() => {
        session.post("Profiler.stopPreciseCoverage")
        session.disconnect()
      })
  ),
  (session) => ({ take: () => workOf(takeCoverage(session)) })
)

/** A session of the same thread calls back before `post` returns. */
const takeCoverage = (session: Session): ReadonlyArray<Profiler.ScriptCoverage> => {
  let scripts: ReadonlyArray<Profiler.ScriptCoverage> = []
  session.post("Profiler.takePreciseCoverage", (_, { result }) => {
    scripts = result
  })
  return scripts
}

const workOf = (scripts: ReadonlyArray<Profiler.ScriptCoverage>): Work => {
  const work = new Map<string, number>()
  for (const { functions, scriptId, url } of scripts) {
    if (!counted.test(url)) continue
    for (const { ranges } of functions) {
      for (const { count, endOffset, startOffset } of ranges) {
        if (count > 0) work.set(`${scriptId} ${startOffset} ${endOffset}`, count)
      }
    }
  }
  return work
}

export const total = (work: Work): number => {
  let sum = 0
  for (const count of work.values()) sum += count
  return sum
}
