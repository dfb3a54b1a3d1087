/**
 * The engine over a store that only this process uses: in memory, or one whose steps are synchronous.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Store } from "./Records.ts"
import { type Codecs, values } from "./Codecs.ts"
import * as Engine from "./Engine.ts"
import * as MemoryStore from "./MemoryStore.ts"

/** Makes the engine. */
export const make = <Stored>(
  store: Store<Stored>,
  codecs: Codecs<Stored>,
  drawVersion: () => number
): Effect.Effect<Engine.Records, never, Scope.Scope> =>
  Engine.make(store, {
    codecs: codecs as Codecs<unknown>,
    isLocal: true,
    drawVersion,
    pollInterval: Duration.infinity,
    compact: Effect.void,
    run: (step) => step,
    // No change waits for another one.
    groupOf: () => Effect.never,
    retire: () => Effect.void,
    isBlocked: () => false,
    fullSearchInterval: 0n
  })

/** The most changes of a document before its version would be that of another one. */
const span = 2 ** 24

/** Makes an empty engine in memory. It ends with its process. */
export const makeMemory: Effect.Effect<Engine.Records, never, Scope.Scope> = Effect.suspend(() => {
  let versions = 0
  return make(MemoryStore.make(), values, () => ++versions * span)
})
