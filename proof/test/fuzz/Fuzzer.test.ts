import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Changes from "../../src/fuzz/Changes.ts"
import * as Fuzzer from "../../src/fuzz/Fuzzer.ts"
import { targets } from "../../src/fuzz/Targets.ts"
import * as WorkCounter from "../../src/fuzz/WorkCounter.ts"
import * as SeededRandom from "../../src/rel/SeededRandom.ts"

describe("a planted fault is found:", () => {
  /**
   * Fuzzes code that counts its own blocks, which costs less than the coverage of the whole
   * process.
   */
  const fuzz = (run: (text: string, count: (block: string) => void) => void, inputs: number) => {
    let work = new Map<string, number>()
    const counter = {
      take: () => {
        const taken = work
        work = new Map()
        return taken
      }
    }
    const target: Fuzzer.Target = {
      run: (input) => {
        run(Fuzzer.toText(input), (block) => {
          work.set(block, (work.get(block) ?? 0) + 1)
        })
      },
      words: ["p", "a", "w", "l"],
      corpus: ["0000"]
    }
    const fuzzer = Fuzzer.make(target, counter, 1)
    fuzzer.next(inputs)
    return fuzzer.outcome()
  }

  it("one behind four characters, to which coverage leads", () => {
    const read = (text: string, count: (block: string) => void) => {
      const depth = [..."pawl"].findIndex((character, at) => text[at] !== character)
      for (let at = 0; at < depth; at++) count(`block ${at}`)
      if (depth < 0) throw new Error("planted")
    }
    const { findings } = fuzz(read, 20_000)
    expect(findings.map(({ problem }) => problem)).toEqual(["Error: planted"])
    expect(Fuzzer.toText(findings[0]?.input ?? new Uint8Array())).toMatch(/^pawl/u)
    expect(fuzz((text) => read(text, () => undefined), 20_000).findings).toEqual([])
  })

  it("quadratic work, and linear work is none", () => {
    const read = (exponent: number) => (text: string, count: (block: string) => void) => {
      for (let steps = Math.min(text.length, 9000) ** exponent / 50; steps > 0; steps--)
        count("loop")
    }
    expect(fuzz(read(1), 1280).findings).toEqual([])
    expect(fuzz(read(2), 1280).findings.map(({ problem }) => problem)).toEqual([
      expect.stringContaining("the work grows faster")
    ])
  })
})

it("a change repeats with its seed, and no input is longer than the limit", () => {
  const draw = (seed: number) => {
    const random = SeededRandom.make(seed, "test")
    const input = new Uint8Array(69_000).fill(48)
    return Array.from({ length: 50 }, () =>
      Changes.changed(random, input, input, [Fuzzer.toBytes("word")])
    )
  }
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
  const longest = Math.max(...draw(1).map(({ length }) => length))
  expect(longest).toBeGreaterThan(69_000)
  expect(longest).toBeLessThanOrEqual(Changes.maxLength)
})

it("the work of a loop is counted, in proportion to its length", () => {
  const loop = (length: number): number => {
    let sum = 0
    for (let at = 0; at < length; at++) sum += at
    return sum
  }
  const works = Effect.runSync(
    Effect.scoped(
      Effect.map(WorkCounter.make, ({ take }) =>
        [100_000, 200_000, 400_000].map((length) => {
          take()
          loop(length)
          return WorkCounter.total(take())
        })
      )
    )
  )
  const [once = 0, twice = 0, four = 0] = works
  expect(once).toBeGreaterThanOrEqual(100_000)
  expect((four - twice) / (twice - once)).toBeCloseTo(2, 1)
})

it("no reader of the packages throws or hangs on the inputs of a short run (A41)", () => {
  const outcomes = Effect.runSync(
    Effect.scoped(
      Effect.map(WorkCounter.make, (counter) =>
        Object.entries(targets).map(([name, target]) => {
          // To count the work of every kept input would take most of the time.
          for (const text of target.corpus) target.run(Fuzzer.toBytes(text))
          const corpus = target.corpus.slice(0, 2)
          const fuzzer = Fuzzer.make({ ...target, corpus }, counter, 1)
          fuzzer.next(16)
          return [name, fuzzer.outcome()] as const
        })
      )
    )
  )
  for (const [name, { findings, inputs }] of outcomes) {
    expect([name, findings]).toEqual([name, []])
    expect(inputs).toBeGreaterThanOrEqual(16)
  }
})
