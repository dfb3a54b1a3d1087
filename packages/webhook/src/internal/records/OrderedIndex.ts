/**
 * An index in memory: values in an order of their own. A search looks at few of them.
 *
 * The values are in pages of at most 256, as in an index of a database. A search halves the list of pages, and then one
 * page. A page that grows too long is split in two, and an empty one is removed.
 */

/** Names a place: true for each value before it, and false for each one behind it. */
type IsBefore<A> = (value: A) => boolean

/** Values in their order. No two of them have the same place in it. */
export interface OrderedIndex<A> {
  readonly add: (value: A) => void
  readonly remove: (value: A) => void
  readonly size: () => number
  /** Returns the values behind a place, or all values, in their order. */
  readonly from: (isBefore?: IsBefore<A>) => Iterable<A>
  /** Returns the values before a place in the reverse order. */
  readonly backFrom: (isBefore: IsBefore<A>) => Iterable<A>
}

/** The most values of a page. */
const pageSize = 256

/** Makes an empty index. `compare` is below 0 if the first value comes before the second one. */
export const make = <A extends object>(compare: (one: A, two: A) => number): OrderedIndex<A> => {
  /** There is always a page, and only a single page is ever empty. */
  const pages: Array<Array<A>> = [[]]
  let size = 0

  /** Finds a place: the number of its page, the page, and the position in it. */
  const find = (isBefore: IsBefore<A>) => {
    const endsBefore = (page: ReadonlyArray<A>) => {
      const last = page.at(-1)
      return last !== undefined && isBefore(last)
    }
    const number = Math.min(countFirst(pages, endsBefore), pages.length - 1)
    const page = pages[number] ?? []
    return { number, page, position: countFirst(page, isBefore) }
  }

  /** Most new values belong at the end, because ids and times rise: one comparison takes the place of a search. */
  const findValue = (value: A) => {
    const number = pages.length - 1
    const page = pages[number] ?? []
    const last = page.at(-1)
    return last !== undefined && compare(last, value) < 0
      ? { number, page, position: page.length }
      : find((other) => compare(other, value) < 0)
  }

  return {
    add: (value) => {
      const { number, page, position } = findValue(value)
      page.splice(position, 0, value)
      if (page.length > pageSize) pages.splice(number + 1, 0, page.splice(pageSize / 2))
      size++
    },
    remove: (value) => {
      const { number, page, position } = findValue(value)
      page.splice(position, 1)
      if (page.length === 0 && pages.length > 1) pages.splice(number, 1)
      size--
    },
    size: () => size,
    *from(isBefore = () => false) {
      const { number, page, position } = find(isBefore)
      yield* page.slice(position)
      for (let next = number + 1; next < pages.length; next++) yield* pages[next] ?? []
    },
    *backFrom(isBefore) {
      const { number, page, position } = find(isBefore)
      yield* page.slice(0, position).toReversed()
      for (let next = number - 1; next >= 0; next--) yield* pages[next]?.toReversed() ?? []
    }
  }
}

/** Returns the first values, at most `limit`, up to the first one for which a condition does not hold. */
export const take = <A>(
  values: Iterable<A>,
  limit: number,
  holds: (value: A) => boolean = () => true
): ReadonlyArray<A> => {
  const taken: Array<A> = []
  for (const value of values) {
    if (taken.length >= limit || !holds(value)) break
    taken.push(value)
  }
  return taken
}

/** Counts the values at the beginning of a list for which a condition holds. Behind them it holds for none. */
const countFirst = <A extends object>(
  values: ReadonlyArray<A>,
  holds: (value: A) => boolean
): number => {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const value = values[middle]
    if (value !== undefined && holds(value)) low = middle + 1
    else high = middle
  }
  return low
}
