/**
 * The real reducer against the laws: sequences drawn, shuffled and repeated, and then every evidence there is, with
 * every last read, under every policy (R14).
 */
import * as Evidence from "@pawl/core/Evidence"
import { statuses } from "@pawl/core/Status"
import type { Observation } from "@pawl/testkit/Generators"
import * as Reducer from "@pawl/testkit/Laws/Reducer"
import * as Effect from "effect/Effect"
import { type Run, tally, type Wanted } from "./Run.ts"

const policies: ReadonlyArray<Evidence.Policy> = ["final", "always", "never"]

/** All evidence: nine statuses claimed, nine confirmed. */
const whole = 2 ** (2 * statuses.length)

/** So many values are put to a law at once. */
const batch = 4096

/** What was observed, for every last read that some evidence may have had. */
const observed = (evidence: Evidence.Evidence): ReadonlyArray<ReadonlyArray<Observation>> => {
  const sure = Evidence.confirmedStatuses(evidence)
  const seen: ReadonlyArray<Observation> = [
    ...Evidence.claimedStatuses(evidence).map((status) => ({
      source: "callback" as const,
      status
    })),
    ...sure.map((status) => ({ source: "answer" as const, status }))
  ]
  return [seen, ...sure.map((status) => [...seen, { source: "read" as const, status, askedAt: 1 }])]
}

/** Puts a reducer to the laws, of every so-manieth evidence and of as many sequences as are asked for. */
export const judge = Effect.fnUntraced(function* (
  { count, say, seed }: Omit<Wanted, "stores">,
  every = 1,
  make: (policy: Evidence.Policy) => Reducer.Reducer = Reducer.evidenceReducer
) {
  const { miss, misses } = tally()
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
      for (let evidence = seed % every; evidence < whole; evidence += every) {
        examples.push(...observed(evidence))
        if (examples.length < batch && evidence + every < whole) continue
        if (!(yield* holds({ examples, numRuns: 1, seed }))) break
        figures.values += examples.length
        examples = []
      }
      say(`${policy}: ${law.name}`)
    }
  }
  return { figures, misses: misses() }
})

export const reducer: Run = {
  what: "the laws of the reducer, on a million sequences each and on all evidence there is",
  unit: "sequences",
  count: { memory: 1_000_000 },
  stores: ["memory"],
  make: (wanted) => judge(wanted)
}
