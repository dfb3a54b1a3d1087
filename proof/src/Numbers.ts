import * as Result from "effect/Result"

const refused = (name: string, kind: string, text: string) =>
  Result.fail(`${name} must be ${kind}, and not "${text}"`)

/** Reads a seed of 32 bits: fast-check would cut any other. */
export const seedOf = (name: string, text: string): Result.Result<number, string> => {
  const seed = /^-?\d+$/u.test(text) ? Number(text) : Number.NaN
  return (seed | 0) === seed ? Result.succeed(seed) : refused(name, "a 32-bit integer", text)
}

export const countOf = (name: string, text: string): Result.Result<number, string> => {
  const count = /^(?:\d{1,9}|\de[1-8])$/u.test(text) ? Number(text) : 0
  return count > 0 ? Result.succeed(count) : refused(name, "an integer from 1 to 999999999", text)
}

export const probabilityOf = (name: string, text: string): Result.Result<number, string> => {
  const probability = /^\d*\.?\d+$/u.test(text) ? Number(text) : 1
  return probability < 1
    ? Result.succeed(probability)
    : refused(name, "a probability of 0 or more and less than 1", text)
}

export const newSeed = (): number => Math.floor(Math.random() * 2 ** 31)

export const seedOfPart = (seed: number, part: number): number => (seed + part) % 2 ** 31

export const orExit = (read: Result.Result<number, string>): number => {
  if (Result.isSuccess(read)) return read.success
  process.stderr.write(`${read.failure}\n`)
  process.exit(1)
}
