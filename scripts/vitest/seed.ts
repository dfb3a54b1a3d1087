/**
 * Sets the seeds of a run and prints them, so that a failure can be repeated.
 *
 * **Details**
 *
 * `seed` is that of every property, so that only a change turns a green test red. `freshSeed` is new
 * in every run; tests that use it say so. The workflow `nightly` runs all tests under a new seed.
 * PAWL_SEED replaces both.
 */
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly seed: number
    readonly freshSeed: number
  }
}

const fixedSeed = 20_261_125

const given = (text: string): number => {
  // fast-check uses 32 bits and would cut any other number silently.
  const seed = /^-?\d+$/u.test(text) ? Number(text) : Number.NaN
  if ((seed | 0) !== seed) throw new Error(`PAWL_SEED must be a 32-bit integer, got "${text}"`)
  return seed
}

export const setup = (project: TestProject): void => {
  const text = process.env.PAWL_SEED ?? ""
  const seed = text === "" ? fixedSeed : given(text)
  const freshSeed = text === "" ? Math.floor(Math.random() * 2 ** 31) : seed
  project.provide("seed", seed)
  project.provide("freshSeed", freshSeed)
  console.log(`seed ${seed}, fresh seed ${freshSeed} (PAWL_SEED=${freshSeed} to repeat with it)`)
}
