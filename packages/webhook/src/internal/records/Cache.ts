/** Cache of at least the last `size` values. */
interface Cache<A> {
  readonly get: (key: string) => A | undefined
  readonly set: (key: string, value: A | undefined) => void
}

export const makeCache = <A>(size: number): Cache<A> => {
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
