/**
 * Sequences of members of a table. `fc.array` shrinks one member at a time, so a counterexample
 * would be longer.
 */
import * as fc from "fast-check"

/**
 * Makes the arbitrary of sequences of up to `maxLength` members of a table. Members are compared by
 * identity: list none twice, and freeze objects.
 */
export const sequence = <A>(
  table: ReadonlyArray<A>,
  maxLength: number
): fc.Arbitrary<ReadonlyArray<A>> => new Sequence(table, maxLength)

class Sequence<A> extends fc.Arbitrary<ReadonlyArray<A>> {
  readonly table: ReadonlyArray<A>
  readonly maxLength: number
  readonly drawn: fc.Arbitrary<ReadonlyArray<A>>

  constructor(table: ReadonlyArray<A>, maxLength: number) {
    super()
    this.table = table
    this.maxLength = maxLength
    this.drawn = fc.array(fc.constantFrom(...table), { maxLength })
  }

  override generate(random: fc.Random): fc.Value<ReadonlyArray<A>> {
    return this.drawn.generate(random, undefined)
  }

  override canShrinkWithoutContext(value: unknown): value is ReadonlyArray<A> {
    return (
      Array.isArray(value) &&
      value.length <= this.maxLength &&
      value.every((member) => this.table.includes(member))
    )
  }

  override shrink(value: ReadonlyArray<A>): fc.Stream<fc.Value<ReadonlyArray<A>>> {
    return fc.stream(this.simpler(value)).map((simpler) => new fc.Value(simpler, undefined))
  }

  *simpler(members: ReadonlyArray<A>): IterableIterator<ReadonlyArray<A>> {
    for (let size = members.length; size >= 1; size = Math.floor(size / 2)) {
      for (let from = 0; from < members.length; from += size) yield members.toSpliced(from, size)
    }
    // All copies of a member change together first.
    for (const member of new Set(members)) {
      for (const simpler of this.below(member)) {
        yield members.map((each) => (each === member ? simpler : each))
      }
    }
    for (const [index, member] of members.entries()) {
      if (members.indexOf(member) === members.lastIndexOf(member)) continue
      for (const simpler of this.below(member)) yield members.with(index, simpler)
    }
    if (members.length <= short) return
    for (let index = 0; index < members.length; index++) {
      const rest = members.toSpliced(index, 1)
      for (const member of new Set(rest)) {
        for (const other of this.table) yield rest.map((each) => (each === member ? other : each))
      }
    }
  }

  /** Of very many members, the result has those at ever smaller distances. */
  below(member: A): ReadonlyArray<A> {
    const index = this.table.indexOf(member)
    if (index <= 128) return this.table.slice(0, index)
    const found: Array<A> = []
    for (let gap = index; gap >= 1; gap = Math.floor(gap / 2)) {
      found.push(this.table[index - gap] as A)
    }
    return found
  }
}

/** Longer sequences also shrink by leaving one member out and changing another. */
const short = 3
