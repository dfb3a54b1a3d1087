/**
 * How a bench measures: several ways to do one thing, beside each other, in one process.
 *
 * Every way is first checked for a right answer. Then, round after round, each runs for about the same
 * time, in an order that is rotated every round, so that a busy machine, a warm cache or a late
 * compiler meets them all alike. What is taken is CPU time, not time by the clock, and what is told is
 * the ratio to the floor of the same round: its median, and the quartiles beside it. No absolute time
 * is claimed.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { setFlagsFromString } from "node:v8"

/** One way to do the thing. */
export interface Variant {
  readonly name: string
  /** Throws unless the answer is right. */
  readonly check: () => void | Promise<void>
  /** Does it so often, and says what that cost where it is done in another process. */
  readonly run: (times: number) => void | Promise<void | number>
}

/** What every variant cost: one number a round, the rounds in the same order for all. */
export interface Costs {
  /** What is counted, as a table says it. */
  readonly unit: string
  readonly of: ReadonlyMap<string, ReadonlyArray<number>>
}

/** A bound: on the ratio of two variants, or on the cost itself where `against` is left out. */
export interface Goal {
  readonly variant: string
  readonly against?: string
  readonly atMost: number
}

/** One bench: what is compared, with what, and how good it is to be. */
export interface Bench {
  readonly what: string
  /** The variant all others are compared with; without one the costs themselves are shown. */
  readonly floor?: string
  readonly goals: ReadonlyArray<Goal>
  readonly run: () => Promise<Costs>
}

/** How long, and how often, a variant runs. */
export interface Pace {
  /** Whether all of the work is done by the time `run` returns, on this thread. */
  readonly synchronous: boolean
  readonly rounds?: number
  /** The CPU time of one variant in one round, in milliseconds. */
  readonly slice?: number
  /** The CPU time that a variant runs before the first round, in milliseconds. */
  readonly warmUp?: number
}

// What waits for its turn is not to be thrown away and compiled again.
setFlagsFromString("--no-flush-bytecode")

const cpuTime = (synchronous: boolean): number => {
  const { system, user } = synchronous ? process.threadCpuUsage() : process.cpuUsage()
  return system + user
}

/** Checks the variants, warms them up, and runs them in turns. */
export const measure = async (variants: ReadonlyArray<Variant>, pace: Pace): Promise<Costs> => {
  const { rounds = 15, slice = 60, synchronous, warmUp = 1000 } = pace
  /** Costs in microseconds of CPU time, all of them and each. */
  const time = async ({ run }: Variant, times: number): Promise<number> => {
    const start = cpuTime(synchronous)
    const running = run(times)
    const told = running === undefined ? undefined : await running
    return told ?? cpuTime(synchronous) - start
  }
  const counts = new Map<Variant, number>()
  for (const variant of variants) {
    await variant.check()
    let times = 64
    for (let cost = 0; ;) {
      cost = await time(variant, times)
      if (cost > (slice * 1000) / 2) break
      times *= 2
    }
    // Until what it runs is compiled and optimized, and the cost with it.
    let cost = 0
    for (let warm = 0; warm < warmUp * 1000; warm += cost) {
      cost = await time(variant, times)
      times = Math.max(64, Math.round((times * slice * 1000) / cost))
    }
    counts.set(variant, times)
  }
  const of = new Map(variants.map(({ name }): [string, Array<number>] => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const variant = variants[(round + turn) % variants.length]!
      const times = counts.get(variant)!
      of.get(variant.name)?.push((await time(variant, times)) / times)
    }
  }
  return { unit: "CPU time", of }
}

/** A variant in a process of its own, which neither slows the others down nor is slowed by them. */
export const apart = (
  name: string,
  file: URL,
  args: ReadonlyArray<string>
): Variant & { readonly close: () => void } => {
  const child = fork(file, args)
  const run = async (times: number): Promise<number> => {
    child.send(times)
    return (await once(child, "message"))[0] as number
  }
  return { name, check: async () => void (await run(1)), run, close: () => child.disconnect() }
}

/** The other side of `apart`: does what it is asked for so often, and answers with its CPU time. */
export const answerWithCost = (run: (times: number) => Promise<void>): void => {
  process.on("message", async (times: number) => {
    const start = cpuTime(false)
    await run(times)
    process.send?.(cpuTime(false) - start)
  })
  process.on("disconnect", () => process.exit())
}

/** The median of some numbers, and the quartiles. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

const spread = (numbers: ReadonlyArray<number>): Spread => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (part: number): number => {
    const place = (sorted.length - 1) * part
    const below = sorted[Math.floor(place)] ?? Number.NaN
    return below + ((sorted[Math.ceil(place)] ?? below) - below) * (place % 1)
  }
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

/** The cost of a variant, or its ratio to another's, round by round. */
export const compare = ({ of }: Costs, variant: string, against: string | undefined): Spread => {
  const costs = of.get(variant) ?? []
  const others = against === undefined ? undefined : (of.get(against) ?? [])
  return spread(costs.map((cost, round) => cost / (others?.[round] ?? 1)))
}
