import { expect, it } from "vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"

const main = new URL("../../src/main.ts", import.meta.url).pathname

const rel = async (...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const exited = once(child, "close")
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await exited
  return { out, err, code }
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
  for (const name of ["kill", "store-down", "forge", "race", "dup", "poll", "sim", "reducer"]) {
    expect(err).toContain(`\n${name} `)
  }
  expect({ code, out }).toEqual({ code: 1, out: "" })
})

it("lists the stores of a run for a store that it does not have, and exits 1", async () => {
  const { code, err, out } = await rel("kill", "--store", "memory")
  expect(err).toContain("sqlite, postgres")
  expect({ code, out }).toEqual({ code: 1, out: "" })
})
