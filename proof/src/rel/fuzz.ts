/**
 * Fuzzes the code that reads text of strangers: it neither throws, hangs, nor takes quadratic time, and accepts what
 * was sent.
 */
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Fuzzer from "../fuzz/Fuzzer.ts"
import { targets } from "../fuzz/Targets.ts"
import * as WorkCounter from "../fuzz/WorkCounter.ts"
import { report, type Run, type RunOptions } from "./Run.ts"

const turnSize = 128

export const fuzz = Effect.fnUntraced(function* (
  { log, seed }: Pick<RunOptions, "log" | "seed">,
  goesOn: () => boolean,
  all: Readonly<Record<string, Fuzzer.Target>> = targets
) {
  const counter = yield* WorkCounter.make
  const fuzzers = Object.entries(all).map(
    ([name, target]) => [name, Fuzzer.make(target, counter, seed)] as const
  )
  const corpora: Record<string, ReadonlyArray<string>> = {}
  const reported = yield* report(function* (miss) {
    for (let turn = 0; turn < fuzzers.length || goesOn(); turn++) {
      fuzzers[turn % fuzzers.length]?.[1].next(turnSize)
      yield* Effect.sleep(0)
    }
    const figures: Record<string, number> = {}
    for (const [name, { outcome }] of fuzzers) {
      const { blocks, corpus, findings, inputs } = outcome()
      log(`${name}: ${inputs} inputs, ${blocks} blocks, ${corpus.length} inputs kept`)
      Object.assign(figures, { [`${name}.inputs`]: inputs, [`${name}.blocks`]: blocks })
      corpora[name] = corpus.map(Fuzzer.toText)
      for (const { input, problem } of findings) {
        miss(`${name}: ${problem}, with ${JSON.stringify(Fuzzer.toText(input).slice(0, 500))}`)
      }
    }
    return figures
  })
  return { ...reported, corpora }
})

export const fuzzing: Run = {
  summary:
    "inputs of strangers, drawn by coverage: no reader of them throws, hangs, or takes quadratic time",
  unit: "minutes",
  count: { memory: 10 },
  make: Effect.fnUntraced(function* (options: RunOptions) {
    const end = performance.now() + options.count * 60_000
    const { corpora, ...report } = yield* fuzz(options, () => performance.now() < end)
    const file = join(tmpdir(), `fuzz-${options.seed}.json`)
    writeFileSync(file, JSON.stringify(corpora))
    options.log(`the inputs that reached something new are in ${file}`)
    return report
  })
}
