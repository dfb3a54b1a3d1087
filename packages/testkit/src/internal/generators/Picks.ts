/**
 * Members of a table, and sequences of them: cheap to draw and quick to shrink.
 *
 * **Details**
 *
 * fast-check's own array of records draws and wraps every field of every element. Here a sequence is a few
 * random integers, cut into bytes that point into a table made once
 * (`docs/decisions/0051-a-sequence-is-drawn-from-a-table.md`).
 *
 * @since 0.1.0
 */
import * as fc from "fast-check"

/**
 * Makes the arbitrary of sequences of up to `maxLength` members of a table.
 *
 * **Details**
 *
 * The members are told apart by identity, so none is in the table twice; objects are shared by all
 * sequences and have to be frozen. A sequence shrinks by leaving out, and each member towards the front of
 * the table: what is simplest comes first there.
 *
 * @category constructors
 * @since 0.1.0
 */
export const picks = <A>(
  table: ReadonlyArray<A>,
  maxLength: number
): fc.Arbitrary<ReadonlyArray<A>> => new Picks(table, maxLength)

/**
 * Makes the arbitrary of the members of a table, which shrinks to those that are simpler and come earlier.
 *
 * @category constructors
 * @since 0.1.0
 */
export const pick = <A>(
  table: ReadonlyArray<A>,
  isSimpler: (one: A, than: A) => boolean
): fc.Arbitrary<A> => new Pick(table, isSimpler)

class Pick<A> extends fc.Arbitrary<A> {
  readonly table: ReadonlyArray<A>
  readonly isSimpler: (one: A, than: A) => boolean

  constructor(table: ReadonlyArray<A>, isSimpler: (one: A, than: A) => boolean) {
    super()
    this.table = table
    this.isSimpler = isSimpler
  }

  override generate(random: fc.Random): fc.Value<A> {
    return new fc.Value(this.table[random.nextInt(0, this.table.length - 1)] as A, undefined)
  }

  override canShrinkWithoutContext(value: unknown): value is A {
    return this.table.some((member) => member === value)
  }

  override shrink(value: A): fc.Stream<fc.Value<A>> {
    const earlier = this.table.slice(0, this.table.indexOf(value))
    const simpler = earlier.filter((member) => this.isSimpler(member, value))
    return fc.Stream.of(...simpler.map((member) => new fc.Value(member, undefined)))
  }
}

class Picks<A> extends fc.Arbitrary<ReadonlyArray<A>> {
  readonly table: ReadonlyArray<A>
  readonly maxLength: number
  readonly width: 8 | 16
  readonly codes: ReadonlyMap<unknown, number>

  constructor(table: ReadonlyArray<A>, maxLength: number) {
    super()
    this.table = table
    this.maxLength = maxLength
    this.width = table.length <= 256 ? 8 : 16
    this.codes = new Map(table.map((member, code) => [member, code]))
  }

  override generate(random: fc.Random): fc.Value<ReadonlyArray<A>> {
    const { maxLength, table, width } = this
    const size = table.length
    const most = (1 << width) - 1
    const length = random.nextInt(0, maxLength)
    const picked: Array<A> = []
    let bits = 0
    for (let at = 0; at < length; at++) {
      bits = at % (32 / width) === 0 ? random.nextInt(-0x80000000, 0x7fffffff) : bits >>> width
      picked.push(table[((bits & most) * size) >>> width] as A)
    }
    return new fc.Value(picked, undefined)
  }

  override canShrinkWithoutContext(value: unknown): value is ReadonlyArray<A> {
    return (
      Array.isArray(value) &&
      value.length <= this.maxLength &&
      value.every((member) => this.codes.has(member))
    )
  }

  override shrink(value: ReadonlyArray<A>): fc.Stream<fc.Value<ReadonlyArray<A>>> {
    return fc.stream(this.simpler(value)).map((picked) => new fc.Value(picked, undefined))
  }

  *simpler(picked: ReadonlyArray<A>): IterableIterator<ReadonlyArray<A>> {
    for (let size = picked.length; size >= 1; size = Math.floor(size / 2)) {
      for (let from = 0; from < picked.length; from += size) {
        yield picked.toSpliced(from, size)
      }
    }
    // A repeat may be the point, so it is made simpler wherever it stands, too.
    for (const member of new Set(picked)) {
      for (const simpler of this.below(member)) {
        yield picked.map((each) => (each === member ? simpler : each))
      }
    }
    for (const [at, member] of picked.entries()) {
      if (picked.indexOf(member) === picked.lastIndexOf(member)) continue
      for (const simpler of this.below(member)) yield picked.with(at, simpler)
    }
    // What is still long may need one to change before another can go.
    if (picked.length <= short) return
    for (let at = 0; at < picked.length; at++) {
      const rest = picked.toSpliced(at, 1)
      for (const member of new Set(rest)) {
        for (const other of this.table) {
          yield rest.map((each) => (each === member ? other : each))
        }
      }
    }
  }

  below(member: A): ReadonlyArray<A> {
    return lower(this.codes.get(member) ?? 0).map((code) => this.table[code] as A)
  }
}

/** So many are read at a glance. */
const short = 3

/** Every lower code, or of very many those that lie closer and closer. */
const lower = (code: number): ReadonlyArray<number> => {
  if (code <= 128) return Array.from({ length: code }, (_, each) => each)
  const found: Array<number> = []
  for (let gap = code; gap >= 1; gap = Math.floor(gap / 2)) found.push(code - gap)
  return found
}
