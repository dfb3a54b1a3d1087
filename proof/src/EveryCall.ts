import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"

type Change = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreUnavailable, R>

/** Changes every call of a store, except the wait for work. */
export const everyCall = <Store extends object>(store: Store, change: Change): Store => {
  const changed = (call: unknown) => (Effect.isEffect(call) ? change(call) : call)
  return Object.fromEntries(
    Object.entries(store).map(([name, call]: readonly [string, unknown]) => {
      if (name === "awaitWork") return [name, call]
      return [
        name,
        typeof call === "function" && !Effect.isEffect(call)
          ? (...all: ReadonlyArray<unknown>) => changed(call(...all))
          : changed(call)
      ]
    })
  ) as Store
}
