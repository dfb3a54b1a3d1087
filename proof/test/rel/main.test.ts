import { run } from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"

const main = new URL("../../src/main.ts", import.meta.url).pathname

const rel = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await Effect.runPromise(run(process.execPath, [main, ...args]))
  return { out: stdout, err: stderr, code }
}

it("prints one line of JSON with the seed and the verdict", async () => {
  const { code, out } = await rel("poll", "--count", "100", "--seed", "7")
  expect(out.trimEnd().split("\n")).toHaveLength(1)
  expect(JSON.parse(out)).toMatchObject({
    name: "poll",
    seed: 7,
    operations: 100,
    verdict: "held",
    misses: []
  })
  expect(code).toBe(0)
})

it("lists the runs for an unknown name, and exits 1", async () => {
  const { code, err, out } = await rel("everything")
  for (const name of [
    "kill",
    "store-down",
    "stores",
    "forge",
    "race",
    "dup",
    "poll",
    "sim",
    "reducer"
  ]) {
    expect(err).toContain(`\n${name} `)
  }
  expect({ code, out }).toEqual({ code: 1, out: "" })
})

it("lists the stores of a run for a store that it does not have, and exits 1", async () => {
  const { code, err, out } = await rel("kill", "--store", "memory")
  expect(err).toContain("sqlite, postgres")
  expect({ code, out }).toEqual({ code: 1, out: "" })
})
