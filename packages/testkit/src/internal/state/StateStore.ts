/**
 * The state of the gateway and its courier: named collections, opened in one place.
 *
 * **Details**
 *
 * A collection is a map by identifier. By default it is only that map; a sandbox watches its changes, and may write them to
 * a file. An item of a collection is replaced, never mutated.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * Service that opens collections.
 *
 * - `open` returns the collection of a name, with all its items.
 * - `save` returns once every change so far outlives the process, where the store is durable.
 */
export interface StateStore {
  readonly open: <A>(name: string) => Map<string, A>
  readonly save: Effect.Effect<void>
}

/** Reference to the state store of a service; the default is a store of its own in memory. */
export const StateStore = Context.Reference<StateStore>("@pawl/testkit/internal/state/StateStore", {
  defaultValue: () => ({ open: () => new Map(), save: Effect.void })
})
