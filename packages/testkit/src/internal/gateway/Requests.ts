/**
 * The requests that change something: one after the other, and a create once
 * (`spec.md`, "Conventions").
 */
import * as Effect from "effect/Effect"
import { PreventSchedulerYield } from "effect/Scheduler"
import * as Semaphore from "effect/Semaphore"
import { Shelves } from "./Shelves.ts"

/**
 * Carries out what changes something.
 *
 * - `turn`: one at a time and to its end, so what was checked still holds when it is acted on.
 * - `once`: the same, unless the endpoint succeeded under that requestId before; then its answer is that
 *   one again. What was refused may be asked anew.
 */
export interface Requests {
  readonly turn: <A, E>(act: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly once: <A, E>(
    endpoint: string,
    requestId: string,
    act: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  readonly reset: Effect.Effect<void>
}

/** Makes the requests of a service, with the answers that are on the shelf. */
export const make: Effect.Effect<Requests> = Effect.gen(function* () {
  const turns = yield* Semaphore.make(1)
  const { open, save } = yield* Shelves
  const answers = open<unknown>("answer")
  // Without a yield in it, nothing of an act is saved apart from the rest of it.
  const turn: Requests["turn"] = (act) =>
    Effect.tap(act, save).pipe(
      Effect.provideService(PreventSchedulerYield, true),
      Effect.uninterruptible,
      turns.withPermit
    )
  return {
    turn,
    once: <A, E>(endpoint: string, requestId: string, act: Effect.Effect<A, E>) => {
      const key = `${endpoint} ${requestId}`
      return turn(
        Effect.suspend(() =>
          answers.has(key)
            ? // The key names the endpoint, so this is what it answers with.
              Effect.succeed(answers.get(key) as A)
            : Effect.tap(act, (answer) => Effect.sync(() => answers.set(key, answer)))
        )
      )
    },
    reset: Effect.sync(() => answers.clear())
  }
})
