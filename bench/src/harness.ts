/**
 * Measures several variants of one operation in the same run.
 *
 * Variants run in rounds, each for about the same CPU time, in a rotating order. The result has the
 * median and quartiles of the ratio to the floor in the same round.
 */
import * as ProgressLine from "@pawl/webhook/internal/ProgressLine"
import { setImmediate } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import * as Processes from "./processes.ts"

export interface Variant {
  readonly name: string
  /** Throws unless the result is correct. */
  readonly check: () => void | Promise<void>
  /** Makes a number of runs; returns the CPU time in µs if they ran in another process. */
  readonly run: (times: number) => void | Promise<void | number>
}

/** Costs of all variants: one number a round. */
export interface Costs {
  readonly unit: string
  readonly of: ReadonlyMap<string, ReadonlyArray<number>>
}

/** An upper bound on the ratio of two variants, or on the cost itself without `against`. */
export interface Goal {
  readonly variant: string
  readonly against?: string
  readonly atMost: number
}

export interface Bench {
  readonly what: string
  /** Variant by which all others are divided. Without a floor the costs themselves are printed. */
  readonly floor?: string
  readonly goals: ReadonlyArray<Goal>
  readonly run: () => Promise<Costs>
}

export interface Pace {
  /** Whether `run` does all its work synchronously on this thread. */
  readonly synchronous: boolean
  readonly rounds?: number
  /** CPU time of a variant in a round, in milliseconds. */
  readonly slice?: number
  /** The number of runs in a round, in place of `slice`. */
  readonly times?: number
  /** CPU time of a variant before the first round, in milliseconds. */
  readonly warmUp?: number
}

setFlagsFromString("--no-flush-bytecode")

const cpuTime = (synchronous: boolean): number => {
  if (!synchronous) return Processes.cpuTime()
  const { system, user } = process.threadCpuUsage()
  return system + user
}

/** The benchmarks that are done and left, for the line of progress. */
export const place = { text: "" }

/** Shows the progress, and lets a signal in: a synchronous benchmark would delay it to its end. */
const pass = async (doing: string): Promise<void> => {
  ProgressLine.show(`${place.text}: ${doing}`)
  await setImmediate()
}

/** Takes the cost of each variant once a round, in a rotating order. Warm-up rounds do not count. */
export const inRounds = async <V extends { readonly name: string }>(
  variants: ReadonlyArray<V>,
  { rounds, warmUps = 0 }: { readonly rounds: number; readonly warmUps?: number },
  costOf: (variant: V) => number | Promise<number>
): Promise<Costs["of"]> => {
  const of = new Map(variants.map(({ name }): [string, Array<number>] => [name, []]))
  for (let round = 0; round < warmUps + rounds; round++) {
    await pass(`round ${round + 1} of ${warmUps + rounds}`)
    for (let turn = 0; turn < variants.length; turn++) {
      const variant = variants[(round + turn) % variants.length]!
      const cost = await costOf(variant)
      if (round >= warmUps) of.get(variant.name)?.push(cost)
    }
  }
  return of
}

export const measure = async (variants: ReadonlyArray<Variant>, pace: Pace): Promise<Costs> => {
  const { rounds = 15, slice = 60, synchronous, warmUp = 1000 } = pace
  const time = async ({ run }: Variant, times: number): Promise<number> => {
    const start = cpuTime(synchronous)
    const running = run(times)
    const reported = running === undefined ? undefined : await running
    return reported ?? cpuTime(synchronous) - start
  }
  const counts = new Map<Variant, number>()
  for (const [index, variant] of variants.entries()) {
    await variant.check()
    let times = 64
    for (let cost = 0; ;) {
      cost = await time(variant, times)
      if (cost > (slice * 1000) / 2) break
      times *= 2
    }
    let cost = 0
    for (let warm = 0; warm < warmUp * 1000; warm += cost) {
      await pass(`warms up variant ${index + 1} of ${variants.length}`)
      cost = await time(variant, times)
      times = Math.max(64, Math.round((times * slice * 1000) / cost))
    }
    counts.set(variant, pace.times ?? times)
  }
  const of = await inRounds(variants, { rounds }, async (variant) => {
    const times = counts.get(variant)!
    return (await time(variant, times)) / times
  })
  return { unit: "CPU time", of }
}

/** Makes a variant that runs in its own process, which answers with `answerWithCost`. */
export const inOwnProcess = (
  name: string,
  file: URL,
  args: ReadonlyArray<string>
): Variant & { readonly close: () => void } => {
  const { ask, close } = Processes.start(file, args)
  return { name, check: async () => void (await ask(1)), run: ask, close }
}

export const answerWithCost = (run: (times: number) => Promise<void>): void =>
  Processes.answer(async (times) => {
    const start = Processes.cpuTime()
    await run(times)
    return Processes.cpuTime() - start
  })

export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

export const digits = (number: number): string => {
  if (!Number.isFinite(number)) return "–"
  return number >= 100 ? number.toFixed(0) : number.toPrecision(3)
}

const spread = (numbers: ReadonlyArray<number>): Spread => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (part: number): number => {
    const index = (sorted.length - 1) * part
    const below = sorted[Math.floor(index)] ?? Number.NaN
    return below + ((sorted[Math.ceil(index)] ?? below) - below) * (index % 1)
  }
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

/**
 * The spread is that of the cost of a variant, or of its ratio to another variant in the same
 * round.
 */
export const compare = ({ of }: Costs, variant: string, against: string | undefined): Spread => {
  const costs = of.get(variant) ?? []
  const others = against === undefined ? undefined : (of.get(against) ?? [])
  return spread(costs.map((cost, round) => cost / (others?.[round] ?? 1)))
}
