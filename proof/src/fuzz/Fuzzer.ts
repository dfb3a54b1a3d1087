/**
 * Fuzzes by coverage: an input that runs a new block, or a block a new number of times, joins the
 * corpus.
 */
import * as SeededRandom from "../rel/SeededRandom.ts"
import * as Changes from "./Changes.ts"
import { total, type Work, type WorkCounter } from "./WorkCounter.ts"

export interface Target {
  readonly run: (input: Uint8Array) => void
  readonly words: ReadonlyArray<string>
  readonly corpus: ReadonlyArray<string>
}

interface Finding {
  readonly problem: string
  readonly input: Uint8Array
}

/** The most milliseconds of an input. */
const timeLimit = 5000
/** Linear work doubles when the input doubles, and quadratic work grows four times. */
const maxGrowth = 3
const minWork = 20_000
const batchSize = 64
const grownLength = 8192
const maxFindings = 5
const growthShare = 0.5

export const toBytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0))
export const toText = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")

const keysOf = (work: Work): ReadonlyArray<string> =>
  Array.from(work, ([block, count]) => `${block} ${Math.min(8, 32 - Math.clz32(count))}`)

export const make = (target: Target, counter: WorkCounter, seed: number) => {
  const random = SeededRandom.make(seed, "fuzzing")
  const words = target.words.map((word) => new TextEncoder().encode(word))
  const corpus: Array<Uint8Array> = []
  const findings: Array<Finding> = []
  const seen = new Set<string>()
  let inputs = 0

  const find = (problem: string, input: Uint8Array): void => {
    const begins = problem.slice(0, 40)
    if (findings.every((finding) => !finding.problem.startsWith(begins))) {
      findings.push({ problem, input })
    }
  }

  const tryOne = (input: Uint8Array): void => {
    inputs++
    const start = performance.now()
    try {
      target.run(input)
    } catch (error) {
      find(error instanceof Error ? `${error.name}: ${error.message}` : String(error), input)
    }
    if (performance.now() - start > timeLimit) find(`it takes more than ${timeLimit} ms`, input)
  }

  /** Tells whether work is new, and remembers it. Counts are compared by powers of two. */
  const isNew = (work: Work): boolean => {
    const before = seen.size
    for (const key of keysOf(work)) seen.add(key)
    return seen.size > before
  }

  const workOf = (input: Uint8Array): Work => {
    counter.take()
    tryOne(input)
    return counter.take()
  }

  const draw = (): Uint8Array =>
    Changes.changed(random, random.pick(corpus), random.pick(corpus), words)

  const measureGrowth = (): void => {
    const input = random.pick(corpus)
    const start = random.below(input.length + 1)
    const end = Math.min(input.length, start + 1 + random.below(24))
    const times = Math.floor(grownLength / Math.max(1, end - start))
    const work = [1, 2, 4].map((factor) =>
      total(workOf(Changes.repeated(input, start, end, Math.floor((times * factor) / 4))))
    )
    const [once = 0, twice = 0, four = 0] = work
    const [first, second] = [twice - once, four - twice]
    if (first > minWork && second > maxGrowth * first) {
      const text = JSON.stringify(toText(input.subarray(start, end)))
      find(`the work grows faster than the number of ${text}: ${work.join(", ")} blocks`, input)
    }
  }

  for (const text of target.corpus) {
    const input = toBytes(text)
    isNew(workOf(input))
    corpus.push(input)
  }

  return {
    next: (count: number): void => {
      for (let left = count; left > 0 && findings.length < maxFindings; left -= batchSize) {
        const batch = Array.from({ length: Math.min(left, batchSize) }, draw)
        counter.take()
        for (const input of batch) tryOne(input)
        if (keysOf(counter.take()).some((key) => !seen.has(key))) {
          for (const input of batch) if (isNew(workOf(input))) corpus.push(input)
        }
        if (random.isTrue(growthShare)) measureGrowth()
      }
    },
    outcome: () => ({
      inputs,
      blocks: new Set(Array.from(seen, (key) => key.slice(0, key.lastIndexOf(" ")))).size,
      corpus,
      findings
    })
  }
}
