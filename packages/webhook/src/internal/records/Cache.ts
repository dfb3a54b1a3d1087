/**
 * A cache of the values that were used last, at least `size` and less than twice as many.
 */

/** A cache. `set` with undefined removes a value. */
export interface Cache<A> {
  readonly get: (key: string) => A | undefined
  readonly set: (key: string, value: A | undefined) => void
}

/** Makes an empty cache. */
export const make = <A>(size: number): Cache<A> => {
  let recent = new Map<string, A>()
  let older = new Map<string, A>()

  const set = (key: string, value: A | undefined): void => {
    if (value === undefined) {
      recent.delete(key)
      older.delete(key)
      return
    }
    recent.set(key, value)
    if (recent.size > size) [older, recent] = [recent, new Map()]
  }

  return {
    get: (key) => {
      const value = recent.get(key)
      if (value !== undefined) return value
      const old = older.get(key)
      if (old !== undefined) set(key, old)
      return old
    },
    set
  }
}
