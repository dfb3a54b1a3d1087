/** Lists every sequence of up to `maxLength` members of a table, the shortest first. */
export function* shortSequences<A>(
  table: ReadonlyArray<A>,
  maxLength: number
): IterableIterator<ReadonlyArray<A>> {
  let longest: ReadonlyArray<ReadonlyArray<A>> = [[]]
  yield []
  for (let length = 1; length <= maxLength; length++) {
    longest = longest.flatMap((sequence) => table.map((member) => [...sequence, member]))
    yield* longest
  }
}
