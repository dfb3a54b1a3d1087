/**
 * Numbers in the arguments of commands. A text that is not such a number is an error in one sentence, because a default in its
 * place would hide which numbers a run had.
 */
import * as Result from "effect/Result"

const refused = (name: string, kind: string, text: string) =>
  Result.fail(`${name} must be ${kind}, and not "${text}"`)

/** Reads a seed, an integer of 32 bits: fast-check would cut any other number. */
export const seedOf = (name: string, text: string): Result.Result<number, string> => {
  const seed = /^-?\d+$/u.test(text) ? Number(text) : Number.NaN
  return (seed | 0) === seed ? Result.succeed(seed) : refused(name, "a 32-bit integer", text)
}

/** Reads a count; `1e6` is one too. */
export const countOf = (name: string, text: string): Result.Result<number, string> => {
  const count = /^(?:\d{1,9}|\de[1-8])$/u.test(text) ? Number(text) : 0
  return count > 0 ? Result.succeed(count) : refused(name, "an integer from 1 to 999999999", text)
}

/** Reads the probability of a fault that something survives: 0 or more, and less than 1. */
export const probabilityOf = (name: string, text: string): Result.Result<number, string> => {
  const probability = /^\d*\.?\d+$/u.test(text) ? Number(text) : 1
  return probability < 1
    ? Result.succeed(probability)
    : refused(name, "a probability of 0 or more and less than 1", text)
}

/** Returns a new seed, as `seedOf` reads it. */
export const newSeed = (): number => Math.floor(Math.random() * 2 ** 31)

/** Returns the seed of one of several parts of a run; it is a seed that `seedOf` reads. */
export const seedOfPart = (seed: number, part: number): number => (seed + part) % 2 ** 31

/** Returns a number that was read. Ends the command with the sentence of the error instead. */
export const orExit = (read: Result.Result<number, string>): number => {
  if (Result.isSuccess(read)) return read.success
  process.stderr.write(`${read.failure}\n`)
  process.exit(1)
}
