/**
 * The state of the gateway and its courier: named collections, which are maps by identifier. An
 * item is replaced, never mutated.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface StateStore {
  /** Returns the collection of a name, with all its items. */
  readonly open: <A>(name: string) => Map<string, A>
  /** Returns once every change so far outlives the process, where the store is durable. */
  readonly save: Effect.Effect<void>
}

/** The default is a store of its own in memory. */
export const StateStore = Context.Reference<StateStore>("@pawl/testkit/internal/state/StateStore", {
  defaultValue: () => ({ open: () => new Map(), save: Effect.void })
})
