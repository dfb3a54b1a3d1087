/**
 * Replays the stories in a store, and compares them with the application's calls.
 */
import { Ledger } from "@pawl/webhook/Ledger"
import * as Replay from "@pawl/receiver/internal/story/Replay"
import * as Effect from "effect/Effect"
import type { Call } from "./Application.ts"
import type { Miss } from "./Run.ts"
import * as Stores from "./Stores.ts"

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
        const { scope, transactionId } = story.row
        const replayed = Replay.replay(story)
        for (const difference of replayed.differences) miss(`${id} does not replay: ${difference}`)
        if (!story.complete) miss(`${id} has no complete story`)
        const nameOf = (call: { readonly sequence: number; readonly to: string }) =>
          `${scope}:${transactionId}:${call.sequence}:${call.to}`
        const made = new Set(calls.map((call) => call.id))
        // A process killed between the write of a call and the call has made none.
        const called = replayed.calls.map(nameOf).filter((name) => made.has(name))
        if (called.join() !== [...made].join()) {
          miss(`${id} replays to ${called.join()}, and the application got ${[...made].join()}`)
        }
        const told = replayed.calls.filter(({ told }) => told).map(nameOf)
        if (!told.every((name) => made.has(name))) miss(`${id} tells of a call that was not made`)
      }
      if (stories.length !== 1) miss(`${id} has ${stories.length} rows`)
    }
    return figures
  }).pipe(Effect.provide(Stores.layerLedger(store)), Effect.orDie)
