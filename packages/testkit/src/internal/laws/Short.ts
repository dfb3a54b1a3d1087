/**
 * Every short sequence, for laws that can be tried on all of them.
 *
 * @since 0.1.0
 */

/**
 * Lists every sequence of up to `most` members of a table, the shorter first.
 *
 * @category constructors
 * @since 0.1.0
 */
export function* sequences<A>(
  table: ReadonlyArray<A>,
  most: number
): IterableIterator<ReadonlyArray<A>> {
  let longest: ReadonlyArray<ReadonlyArray<A>> = [[]]
  yield []
  for (let length = 1; length <= most; length++) {
    longest = longest.flatMap((sequence) => table.map((member) => [...sequence, member]))
    yield* longest
  }
}
