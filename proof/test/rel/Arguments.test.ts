import { forAll } from "@pawl/test-support/Properties"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as Numbers from "../../src/Numbers.ts"
import * as Arguments from "../../src/rel/Arguments.ts"
import type { Run } from "../../src/rel/Run.ts"

const poll: Run = {
  summary: "",
  unit: "operations",
  count: { memory: 100, sqlite: 10 },
  stores: ["memory"],
  make: () => Effect.succeed({ figures: {}, misses: [] })
}
const parse = (...args: ReadonlyArray<string>) =>
  Arguments.parse(["poll", ...args], new Map([["poll", poll]]))

it.for([
  ["--seed", "12x", "--seed must be a 32-bit integer"],
  ["--seed", "1e6", "--seed must be a 32-bit integer"],
  ["--seed", "2147483648", "--seed must be a 32-bit integer"],
  ["--seed", "", "--seed must be a 32-bit integer"],
  ["--count", "0", "--count must be an integer from 1 to 999999999"],
  ["--count", "1.5", "--count must be an integer from 1 to 999999999"],
  ["--years", "many", "--years must be an integer from 1 to 999999999"],
  ["--loss", "1", "--loss must be a probability"],
  ["--loss", "", "--loss must be a probability"],
  ["--store", "disk", "--store must be memory, sqlite or postgres"]
] as const)("an argument that is not valid is an error: %s %s", ([name, text, start]) => {
  const { hasTable, sentence } = Result.getOrThrow(Result.flip(parse(name, text)))
  expect(sentence.slice(0, start.length)).toBe(start)
  expect(sentence).toContain(`"${text}"`)
  expect(hasTable).toBe(false)
})

it("a store that the run does not have is an error, also beside one that it has", () => {
  expect(parse("--store", "sqlite", "--store", "postgres")).toMatchObject({
    failure: { sentence: "poll runs on memory, sqlite, and not on postgres" }
  })
})

it("the count is given once, and is that of the first store by default", () => {
  expect(parse("--count", "1", "--n", "2")).toMatchObject({
    failure: { sentence: "Give one of --count and --n" }
  })
  expect(parse()).toMatchObject({ success: { count: 100, stores: ["memory"] } })
  expect(parse("--store", "sqlite")).toMatchObject({ success: { count: 10, stores: ["sqlite"] } })
  expect(parse("--n", "1e6")).toMatchObject({ success: { count: 1_000_000 } })
})

it("every seed that is drawn, printed or passed on can be given again", () => {
  const isTaken = (seed: number) =>
    expect(parse(`--seed=${seed}`)).toMatchObject({ success: { seed } })
  isTaken(1_409_933_470)
  return forAll([fc.integer(), fc.nat({ max: 1000 })], (seed, part) => {
    isTaken(seed)
    isTaken(Numbers.seedOfPart(seed, part))
    isTaken(Numbers.newSeed())
  })
})
