import type { SeededRandom } from "../rel/SeededRandom.ts"

/** The most bytes of an input; a callback has 64 KiB at most. */
export const maxLength = 70_000

const change = (bytes: Uint8Array, start: number, end: number, insert: Uint8Array): Uint8Array => {
  const changed = new Uint8Array(bytes.length - (end - start) + insert.length)
  changed.set(bytes.subarray(0, start))
  changed.set(insert, start)
  changed.set(bytes.subarray(end), start + insert.length)
  return changed
}

export const changed = (
  random: SeededRandom,
  input: Uint8Array,
  other: Uint8Array,
  words: ReadonlyArray<Uint8Array>
): Uint8Array => {
  let bytes = input
  for (let times = 1 + random.below(4); times > 0; times--) {
    const start = random.below(bytes.length + 1)
    const end = Math.min(bytes.length, start + random.below(random.isTrue(0.7) ? 8 : 200))
    bytes = random.pick(kinds)({ random, bytes, other, words, start, end })
  }
  return bytes.subarray(0, maxLength)
}

interface Place {
  readonly random: SeededRandom
  readonly bytes: Uint8Array
  readonly other: Uint8Array
  readonly words: ReadonlyArray<Uint8Array>
  readonly start: number
  readonly end: number
}

const kinds: ReadonlyArray<(place: Place) => Uint8Array> = [
  ({ bytes, end, start }) => change(bytes, start, end, new Uint8Array()),
  ({ bytes, random, start }) => change(bytes, start, start, Uint8Array.of(random.below(256))),
  ({ bytes, random, start }) => {
    const changed = bytes.slice()
    if (start < bytes.length) changed[start] = (bytes[start] ?? 0) ^ (1 << random.below(8))
    return changed
  },
  ({ bytes, end, random, start, words }) =>
    change(bytes, start, random.isTrue(0.5) ? start : end, random.pick(words)),
  ({ bytes, end, start }) => change(bytes, end, end, bytes.subarray(start, end)),
  ({ bytes, end, random, start }) => repeated(bytes, start, end, 2 ** random.below(8)),
  ({ bytes, end, other, random, start }) => {
    const from = random.below(other.length + 1)
    return change(bytes, start, end, other.subarray(from, from + random.below(64)))
  }
]

export const repeated = (bytes: Uint8Array, start: number, end: number, times: number) => {
  const part = bytes.subarray(start, end)
  const most = Math.floor((maxLength - bytes.length) / Math.max(1, part.length))
  const count = Math.max(0, Math.min(times - 1, most))
  const insert = new Uint8Array(count * part.length)
  for (let at = 0; at < count; at++) insert.set(part, at * part.length)
  return change(bytes, end, end, insert)
}
