/** Sorted values in pages of at most 256. */

/** True for each value before a place. */
type IsBefore<A> = (value: A) => boolean

/** Index of values, no two of which have the same place. */
export interface OrderedIndex<A> {
  readonly add: (value: A) => void
  readonly remove: (value: A) => void
  readonly size: () => number
  readonly from: (isBefore?: IsBefore<A>) => Iterable<A>
  readonly backFrom: (isBefore: IsBefore<A>) => Iterable<A>
}

const pageSize = 256

export const make = <A extends object>(compare: (one: A, two: A) => number): OrderedIndex<A> => {
  /** Only a single page may be empty. */
  const pages: Array<Array<A>> = [[]]
  let size = 0

  const find = (isBefore: IsBefore<A>) => {
    const endsBefore = (page: ReadonlyArray<A>) => {
      const last = page.at(-1)
      return last !== undefined && isBefore(last)
    }
    const number = Math.min(countFirst(pages, endsBefore), pages.length - 1)
    const page = pages[number] ?? []
    return { number, page, position: countFirst(page, isBefore) }
  }

  /** Most new values belong at the end, because ids and times rise. */
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

/** Takes values until the first one that fails the condition. */
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
