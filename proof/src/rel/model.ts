/**
 * Checks the model of the protocol, its mutants, and traces of the real pipeline (`docs/proof.md`).
 */
import * as Effect from "effect/Effect"
import { seedOfPart } from "../Numbers.ts"
import { models, mutants } from "../model/Models.ts"
import { type Source, sources } from "../model/Sources.ts"
import { inSequence, report, type Run, type RunOptions } from "./Run.ts"

type Options = Pick<RunOptions, "count" | "log" | "seed">

const maxTraces = 300

type SourceName = keyof typeof sources

const checkModels = ({ log }: Options) =>
  report(function* (miss) {
    const figures = { states: 0, transitions: 0, steps: 0 }
    const all = new Set<string>()
    for (const { check, name } of models) {
      yield* Effect.yieldNow
      const { broken, states, stepNames, transitions } = check()
      log(`${name}: ${states} states, ${transitions} transitions`)
      figures.states += states
      figures.transitions += transitions
      for (const step of stepNames) all.add(step)
      if (broken !== undefined)
        miss(`${name}: ${broken.name} does not hold after: ${broken.path.join("; ")}`)
    }
    return { ...figures, steps: all.size }
  })

const checkMutants = ({ log }: Options) =>
  report(function* (miss) {
    const figures = { mutants: 0, caught: 0 }
    for (const { breaks, check, name } of mutants) {
      yield* Effect.yieldNow
      const { broken } = check()
      log(`${name}: ${broken?.name} is broken after ${broken?.path.length} steps`)
      figures.mutants++
      if (broken?.name === breaks) figures.caught++
      else miss(`the mutant was not caught: ${name}`)
    }
    return figures
  })

/** The check of a planted bug ends at the first refusal. */
const checkRecorded = (
  { missOf, record }: Source,
  { count, seed }: Pick<Options, "count" | "seed">,
  bug?: string
) =>
  report(function* (miss) {
    const figures = { traces: 0, events: 0, accepted: 0, refused: 0 }
    for (let index = 0; figures.traces < count && figures.refused === 0; index++) {
      const partSeed = seedOfPart(seed, index)
      for (const trace of yield* record(partSeed, count - figures.traces, bug)) {
        const reason = missOf(trace.events)
        figures.traces++
        figures.events += trace.events.length
        if (reason === undefined) figures.accepted++
        else {
          figures.refused++
          miss(`seed ${partSeed}, ${trace.id}, ${reason}`)
        }
      }
    }
    return figures
  })

export const checkTraces = Effect.fnUntraced(function* (
  { count, log, seed }: Options,
  name: SourceName
) {
  const { figures, misses } = yield* checkRecorded(sources[name], { count, seed })
  const { accepted, events, traces } = figures
  log(`${name}: ${accepted} of ${traces} traces with ${events} events accepted`)
  const isEmptyRefused = sources[name].missOf([]) !== undefined
  return { figures, misses: isEmptyRefused ? misses : [...misses, "an empty trace is accepted"] }
})

export const checkBugs = (
  { log, seed }: Options,
  name: SourceName,
  bugs: ReadonlyArray<string> = sources[name].bugs
) =>
  report(function* (miss) {
    const figures = { bugs: 0, caught: 0 }
    for (const bug of bugs) {
      const checked = yield* checkRecorded(sources[name], { count: maxTraces, seed }, bug)
      log(`${name}, ${bug}: ${checked.misses[0] ?? "not caught"}`)
      figures.bugs++
      if (checked.figures.refused > 0) figures.caught++
      else miss(`the bug was not caught: ${bug}`)
    }
    return figures
  })

const isSource = (name: string): name is SourceName => Object.hasOwn(sources, name)

export const model: Run = {
  summary:
    "the model of the protocol and its mutants, and traces of the real pipeline that must be steps of the model",
  unit: "traces",
  count: { memory: 1000, sqlite: 1000, postgres: 1000 },
  make: (options) => {
    const names = ["requests", ...options.stores, "simulation", "killed"].filter(isSource)
    return inSequence([
      ["model", checkModels(options)],
      ["mutants", checkMutants(options)],
      ...names.flatMap((name) => {
        const count = Math.ceil(options.count * sources[name].share)
        return [
          [name, checkTraces({ ...options, count }, name)] as const,
          [`${name}.planted`, checkBugs(options, name)] as const
        ]
      })
    ])
  }
}
