/**
 * The state of the gateway and its courier: named collections, opened in one place.
 *
 * **Details**
 *
 * A collection is a map by identifier. By default it is only that map. A sandbox also publishes each
 * change (`EventFeed`), and may write it to a file (`SqlStore`).
 *
 * An item of a collection is replaced, never mutated.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * Service that opens collections.
 *
 * - `open` returns the collection of a name, with all its items. `listed` converts an item to its public
 *   form; without it the items are not listed.
 * - `list` returns the public forms of a collection's items, in insertion order.
 * - `save` returns once every change so far outlives the process, where the store is durable.
 */
export interface StateStore {
  readonly open: <A>(name: string, listed?: (value: A) => unknown) => Map<string, A>
  readonly list: (name: string) => ReadonlyArray<unknown>
  readonly save: Effect.Effect<void>
}

/** Reference to the state store of a service; the default is a store of its own in memory. */
export const StateStore = Context.Reference<StateStore>("@pawl/testkit/internal/state/StateStore", {
  defaultValue: () => ({ open: () => new Map(), list: () => [], save: Effect.void })
})

/** Makes a store that reports each change. `stored` returns the items saved earlier. */
export const make = (options: {
  readonly changed: (change: Change) => void
  readonly stored?: (name: string) => ReadonlyArray<readonly [id: string, value: unknown]>
  readonly save?: Effect.Effect<void>
}): StateStore => {
  const lists = new Map<string, () => ReadonlyArray<unknown>>()
  return {
    open: <A>(name: string, listed?: (value: A) => unknown) => {
      const collection = new WatchedMap<A>((id, value) => {
        const shown = value === undefined ? undefined : listed?.(value)
        options.changed({ name, id, value, shown })
      })
      // The items saved under a name have the type they were saved with.
      collection.fill((options.stored?.(name) ?? []) as ReadonlyArray<readonly [string, A]>)
      if (listed !== undefined) lists.set(name, () => Array.from(collection.values(), listed))
      return collection
    },
    list: (name) => lists.get(name)?.() ?? [],
    save: options.save ?? Effect.void
  }
}

/**
 * A change of one item. `value` is undefined if the item was removed. `shown` is the public form of the
 * item, and undefined if it was removed or is not listed.
 */
export interface Change {
  readonly name: string
  readonly id: string
  readonly value: unknown
  readonly shown: unknown
}

class WatchedMap<A> extends Map<string, A> {
  readonly #changed: (id: string, value: A | undefined) => void

  constructor(changed: (id: string, value: A | undefined) => void) {
    super()
    this.#changed = changed
  }

  fill(entries: ReadonlyArray<readonly [string, A]>): void {
    for (const [id, value] of entries) super.set(id, value)
  }

  override set(id: string, value: A): this {
    super.set(id, value)
    this.#changed(id, value)
    return this
  }

  override delete(id: string): boolean {
    const was = super.delete(id)
    if (was) this.#changed(id, undefined)
    return was
  }

  override clear(): void {
    const ids = [...this.keys()]
    super.clear()
    for (const id of ids) this.#changed(id, undefined)
  }
}
