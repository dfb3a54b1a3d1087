/** The state of a sandbox, whose changes are published. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StateStore } from "@pawl/testkit/internal/state/StateStore"
import { EventFeed } from "./EventFeed.ts"
import { isShown } from "./PublicForms.ts"

/**
 * Makes a store that also reports each change to `changed`. `stored` returns the items saved
 * earlier. A name has one collection.
 */
export const make = (
  options: {
    readonly changed?: (change: Change) => void
    readonly stored?: (name: string) => ReadonlyArray<readonly [id: string, value: unknown]>
    readonly save?: Effect.Effect<void>
  } = {}
): Effect.Effect<StateStore, never, EventFeed> =>
  Effect.map(EventFeed, ({ publish }) => {
    const collections = new Map<string, Map<string, unknown>>()
    const collect = (name: string) => {
      const collection = new WatchedMap<unknown>((id, value) => {
        options.changed?.({ name, id, value })
        if (value !== undefined && isShown(name)) publish(name, value)
      })
      collection.fill(options.stored?.(name) ?? [])
      collections.set(name, collection)
      return collection
    }
    return {
      // A name is opened and saved with one type of value.
      open: <A>(name: string) => (collections.get(name) ?? collect(name)) as Map<string, A>,
      save: options.save ?? Effect.void
    }
  })

export const layer: Layer.Layer<never, never, EventFeed> = Layer.effect(StateStore, make())

/** Change of one item; `value` is undefined if the item was removed. */
export interface Change {
  readonly name: string
  readonly id: string
  readonly value: unknown
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
