/**
 * Checks the laws of the reducer on random sequences, then on every possible evidence and last read, under every
 * policy (R14).
 */
import * as Evidence from "@pawl/core/Evidence"
import { statuses } from "@pawl/core/Status"
import type { Observation } from "@pawl/testkit/Generators"
import * as Reducer from "@pawl/testkit/Laws/Reducer"
import * as Effect from "effect/Effect"
import { report, type Run, type RunOptions } from "./Run.ts"

const policies: ReadonlyArray<Evidence.Policy> = ["final", "always", "never"]

/** The number of possible evidences: nine statuses can be claimed, and nine confirmed. */
const evidenceCount = 2 ** (2 * statuses.length)

const batchSize = 4096

const observationsOf = (evidence: Evidence.Evidence): ReadonlyArray<ReadonlyArray<Observation>> => {
  const confirmed = Evidence.confirmedStatuses(evidence)
  const observations: ReadonlyArray<Observation> = [
    ...Evidence.claimedStatuses(evidence).map((status) => ({
      source: "callback" as const,
      status
    })),
    ...confirmed.map((status) => ({ source: "response" as const, status }))
  ]
  return [
    observations,
    ...confirmed.map((status) => [...observations, { source: "read" as const, status, askedAt: 1 }])
  ]
}

export const checkReducer = (
  { count, progress, seed }: Omit<RunOptions, "stores">,
  step = 1,
  make: (policy: Evidence.Policy) => Reducer.Reducer = Reducer.evidenceReducer
) =>
  report(function* (miss) {
    const figures = { sequences: 0, values: 0 }
    for (const policy of policies) {
      for (const law of Reducer.laws(policy)) {
        const holds = (options: Parameters<typeof law.check>[1]) =>
          Effect.match(law.check(make(policy), options), {
            onFailure: ({ message }) => {
              miss(`under ${policy}: ${message}`)
              return false
            },
            onSuccess: () => true
          })
        if (!(yield* holds({ numRuns: count, seed }))) continue
        figures.sequences += count
        let examples: Array<ReadonlyArray<Observation>> = []
        for (let evidence = (seed >>> 0) % step; evidence < evidenceCount; evidence += step) {
          examples.push(...observationsOf(evidence))
          if (examples.length < batchSize && evidence + step < evidenceCount) continue
          if (!(yield* holds({ examples, numRuns: 1, seed }))) break
          figures.values += examples.length
          examples = []
        }
        progress(`${policy}: ${law.name}`)
      }
    }
    return figures
  })

export const reducer: Run = {
  summary: "the laws of the reducer, on a million sequences each and on every possible evidence",
  unit: "sequences",
  count: { memory: 1_000_000 },
  make: (options) => checkReducer(options)
}
