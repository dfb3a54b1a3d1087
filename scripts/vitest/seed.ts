/**
 * Sets the seed of every fast-check property of a run: a random one, or PAWL_SEED. The seed is printed, so
 * that a failure can be repeated.
 */
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly seed: number
  }
}

const given = (text: string): number => {
  // fast-check uses 32 bits and would cut any other number silently.
  const seed = /^-?\d+$/u.test(text) ? Number(text) : Number.NaN
  if ((seed | 0) !== seed) throw new Error(`PAWL_SEED must be a 32-bit integer, got "${text}"`)
  return seed
}

export const setup = (project: TestProject): void => {
  const text = process.env.PAWL_SEED ?? ""
  const seed = text === "" ? Math.floor(Math.random() * 2 ** 31) : given(text)
  project.provide("seed", seed)
  console.log(`fast-check seed ${seed} (PAWL_SEED=${seed} to repeat)`)
}
