/**
 * Measures several variants of one operation in the same run.
 *
 * Variants run in rounds, each for about the same CPU time, in a rotating order. The result is the
 * median and the quartiles of the ratio of CPU times to the floor in the same round.
 */
import * as ProgressLine from "@pawl/webhook/internal/ProgressLine"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { setImmediate } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"

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
  const { system, user } = synchronous ? process.threadCpuUsage() : process.cpuUsage()
  return system + user
}

/** The benchmarks that are done and left, for the line of progress. */
export const place = { text: "" }

/** Shows the progress, and lets a signal in: a synchronous benchmark would delay it to its end. */
const pass = async (doing: string): Promise<void> => {
  ProgressLine.show(`${place.text}: ${doing}`)
  await setImmediate()
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
  const of = new Map(variants.map(({ name }): [string, Array<number>] => [name, []]))
  for (let round = 0; round < rounds; round++) {
    await pass(`round ${round + 1} of ${rounds}`)
    for (let turn = 0; turn < variants.length; turn++) {
      const variant = variants[(round + turn) % variants.length]!
      const times = counts.get(variant)!
      of.get(variant.name)?.push((await time(variant, times)) / times)
    }
  }
  return { unit: "CPU time", of }
}

/** Returns the next message of a process. Rejects if the process ends before it. */
export const nextMessage = async (child: ChildProcess): Promise<unknown> => {
  const received = new AbortController()
  const { signal } = received
  const ended = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.slice(1).join(" ")} ended with ${String(code)}`)
  })
  try {
    return await Promise.race([once(child, "message", { signal }).then(([first]) => first), ended])
  } finally {
    received.abort()
  }
}

/** Makes a variant that runs in its own process, which answers with `answerWithCost`. */
export const inOwnProcess = (
  name: string,
  file: URL,
  args: ReadonlyArray<string>
): Variant & { readonly close: () => void } => {
  const child = fork(file, args)
  const run = async (times: number): Promise<number> => {
    child.send(times)
    return (await nextMessage(child)) as number
  }
  const close = () => {
    if (child.connected) child.disconnect()
  }
  return { name, check: async () => void (await run(1)), run, close }
}

export const answerWithCost = (run: (times: number) => Promise<void>): void => {
  process.on("message", async (times: number) => {
    const start = cpuTime(false)
    await run(times)
    process.send?.(cpuTime(false) - start)
  })
  process.on("disconnect", () => process.exit())
}

export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
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
