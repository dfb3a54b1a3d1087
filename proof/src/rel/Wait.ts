/** Waits for a state of other processes. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Miss } from "./Run.ts"

/** The longest wait of a run that promises no time, in milliseconds. */
export const longest = 240_000

type Holds = () => boolean | Promise<boolean>

/** Looks every `gap` milliseconds. Returns whether the state came within `timeout` milliseconds. */
export const until = async (holds: Holds, timeout = longest, gap = 5): Promise<boolean> => {
  const end = performance.now() + timeout
  while (!(await holds())) {
    if (performance.now() > end) return false
    await sleep(gap)
  }
  return true
}

/** Gives up when `count` has not changed for `timeout` milliseconds. */
export const whileMoving = async (holds: Holds, count: () => number, timeout: number) => {
  for (;;) {
    const before = count()
    if (await until(async () => (await holds()) || count() !== before, timeout, 100)) {
      if (await holds()) return true
    } else return false
  }
}

/** Makes a wait that returns its milliseconds, and notes a miss after `timeout` milliseconds. */
export const within =
  (timeout: number, miss: Miss, gap = 50) =>
  async (what: string, holds: Holds): Promise<number> => {
    const startedAt = performance.now()
    if (!(await until(holds, timeout, gap))) miss(`not within ${timeout} ms: ${what}`)
    return Math.round(performance.now() - startedAt)
  }
