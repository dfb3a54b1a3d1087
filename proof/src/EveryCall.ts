import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"

/** Changes a call, which has a name and arguments. */
type Change = <A, E, R>(
  call: Effect.Effect<A, E, R>,
  name: string,
  of: ReadonlyArray<unknown>
) => Effect.Effect<A, E | StoreUnavailable, R>

/** Changes every call of a store, except the wait for work. */
export const everyCall = <Store extends object>(store: Store, change: Change): Store => {
  const changed = (name: string, call: unknown, of: ReadonlyArray<unknown>) =>
    Effect.isEffect(call) && name !== "awaitWork" ? change(call, name, of) : call
  return Object.fromEntries(
    Object.entries(store).map(([name, call]: readonly [string, unknown]) => [
      name,
      typeof call === "function" && !Effect.isEffect(call)
        ? (...of: ReadonlyArray<unknown>) => changed(name, call(...of), of)
        : changed(name, call, [])
    ])
  ) as Store
}
