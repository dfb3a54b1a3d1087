/**
 * The engine in memory. It ends with its process.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Codecs from "./Codecs.ts"
import * as Engine from "./Engine.ts"
import * as MemoryStore from "./MemoryStore.ts"

/** The most changes of a document before its version would be that of another one. */
const span = 2 ** 24

/** Makes an empty engine. */
export const make: Effect.Effect<Engine.Records, never, Scope.Scope> = Effect.suspend(() => {
  let versions = 0
  return Engine.make(MemoryStore.make(), {
    codecs: Codecs.values,
    isLocal: true,
    drawVersion: () => ++versions * span,
    pollInterval: Duration.infinity,
    compact: Effect.void,
    run: (step) => step,
    // No change waits for another one.
    groupOf: () => Effect.never,
    retire: () => Effect.void,
    isBlocked: () => false,
    fullSearchInterval: 0n
  })
})
