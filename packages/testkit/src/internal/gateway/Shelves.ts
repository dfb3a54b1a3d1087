/**
 * Where the service keeps its state: maps with names, written in one place.
 *
 * **Details**
 *
 * Whatever changes is put on a shelf, a map by identifier. By itself a shelf is just that map. A sandbox
 * has shelves that tell what was put there (`Feed`), and may write it to a file (`ShelvesSql`).
 *
 * What is on a shelf is replaced, never mutated.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Feed } from "../sandbox/Feed.ts"

/**
 * What hands out shelves.
 *
 * - `open` returns the shelf of a name, with everything on it. `listed` is how what is on it is shown to
 *   people; without it, it is not.
 * - `list` returns what is on a shelf as it is shown, in the order it came there.
 * - `save` returns once everything that is on the shelves outlives the process, if it is to.
 */
export interface Shelves {
  readonly open: <A>(name: string, listed?: (kept: A) => unknown) => Map<string, A>
  readonly list: (name: string) => ReadonlyArray<unknown>
  readonly save: Effect.Effect<void>
}

/** Reference to the shelves of a service; without any it has some of its own, in memory. */
export const Shelves = Context.Reference<Shelves>("@pawl/testkit/internal/Shelves", {
  defaultValue: () => ({ open: () => new Map(), list: () => [], save: Effect.void })
})

/**
 * Makes shelves that say of each change what it was; `undefined` was taken away. `stored` is what was
 * there before.
 */
export const make = (options: {
  readonly changed: (change: Change) => void
  readonly stored?: (name: string) => ReadonlyArray<readonly [id: string, kept: unknown]>
  readonly save?: Effect.Effect<void>
}): Shelves => {
  const lists = new Map<string, () => ReadonlyArray<unknown>>()
  return {
    open: <A>(name: string, listed?: (kept: A) => unknown) => {
      const shelf = new Watched<A>((id, kept) => {
        const shown = kept === undefined ? undefined : listed?.(kept)
        options.changed({ name, id, kept, shown })
      })
      // What a shelf of this name was given before is what it gives back.
      shelf.fill((options.stored?.(name) ?? []) as ReadonlyArray<readonly [string, A]>)
      if (listed !== undefined) lists.set(name, () => Array.from(shelf.values(), listed))
      return shelf
    },
    list: (name) => lists.get(name)?.() ?? [],
    save: options.save ?? Effect.void
  }
}

/** Layer that keeps the shelves of one sandbox in memory, and tells the feed of every change. */
export const layer: Layer.Layer<never, never, Feed> = Layer.effect(
  Shelves,
  Effect.map(Feed, ({ tell }) =>
    make({
      changed: ({ name, shown }) => {
        if (shown !== undefined) tell(name, shown)
      }
    })
  )
)

/** What changed on a shelf. `shown` is undefined too where nobody is shown it. */
export interface Change {
  readonly name: string
  readonly id: string
  readonly kept: unknown
  readonly shown: unknown
}

class Watched<A> extends Map<string, A> {
  readonly #changed: (id: string, kept: A | undefined) => void

  constructor(changed: (id: string, kept: A | undefined) => void) {
    super()
    this.#changed = changed
  }

  fill(entries: ReadonlyArray<readonly [string, A]>): void {
    for (const [id, kept] of entries) super.set(id, kept)
  }

  override set(id: string, kept: A): this {
    super.set(id, kept)
    this.#changed(id, kept)
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
