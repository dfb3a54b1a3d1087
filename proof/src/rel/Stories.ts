/**
 * Replays the stories in a store, and compares them with the application's calls.
 */
import { Ledger } from "@pawl/webhook/Ledger"
import * as Replay from "@pawl/receiver/internal/story/Replay"
import * as Effect from "effect/Effect"
import type { Story } from "@pawl/webhook/internal/rule/StoredRow"
import type { Call } from "./Application.ts"
import type { Miss } from "./Run.ts"
import * as Stores from "./Stores.ts"

/** Returns how a story differs from its row and from the handler's calls, of which `made` has the ids. */
export const differencesOf = (story: Story, made: ReadonlySet<string>): ReadonlyArray<string> => {
  const { calls, differences } = Replay.replay(story)
  const { scope, transactionId } = story.row
  const nameOf = (call: { readonly sequence: number; readonly to: string }) =>
    `${scope}:${transactionId}:${call.sequence}:${call.to}`
  // A process killed between the write of a call and the call has made none.
  const called = calls.map(nameOf).filter((name) => made.has(name))
  const isSame = called.join() === [...made].join()
  const wrong = calls.filter((call) => call.told && !made.has(nameOf(call)))
  return [
    ...differences.map((difference) => `does not replay: ${difference}`),
    ...(isSame ? [] : [`replays to ${called.join()}, and the application got ${[...made].join()}`]),
    ...wrong.map((call) => `tells of the call ${nameOf(call)}, which was not made`)
  ]
}

export const check = (
  store: Stores.SqlStore,
  callsOf: ReadonlyMap<string, ReadonlyArray<Call>>,
  miss: Miss
) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const figures = { replayed: 0, facts: 0 }
    for (const [id, calls] of callsOf) {
      const stories = [...(yield* ledger.story("apm", id)), ...(yield* ledger.story("card", id))]
      for (const story of stories) {
        figures.replayed++
        figures.facts += story.facts.length
        if (!story.complete) miss(`${id} has no complete story`)
        const made = new Set(calls.map((call) => call.id))
        for (const difference of differencesOf(story, made)) miss(`${id} ${difference}`)
      }
      if (stories.length !== 1) miss(`${id} has ${stories.length} rows`)
    }
    return figures
  }).pipe(Effect.provide(Stores.layerLedger(store)), Effect.orDie)
