import fc from "fast-check"
import { execFile, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { committed } from "../../src/vectors/committed.ts"
import { draw } from "../../src/vectors/drawn.ts"
import { print, vectorsOf } from "../../src/vectors/Vectors.ts"

const folder = resolve(import.meta.dirname, "../../../vectors")
const file = readFileSync(resolve(folder, "vectors.json"), "utf8")
const script = readFileSync(resolve(folder, "check.py"), "utf8")

it("the committed vectors are those that the packages compute", () => {
  expect(print(vectorsOf(committed)) === file).toBe(true)
})

const hasPython = spawnSync("python3", ["--version"]).status === 0
if (!hasPython) console.warn("There is no python3: vectors/check.py is not tested")

const check = (vectors: string, program = script) =>
  new Promise<{ readonly code: number; readonly stdout: string }>((resolve) => {
    const { stdin } = execFile("python3", ["-c", program, "-"], (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout })
    )
    stdin?.end(vectors)
  })

describe.runIf(hasPython).concurrent("the implementation in Python", () => {
  it("agrees with the committed vectors", async () => {
    const count = Object.values(vectorsOf(committed)).flat().length
    const { code, stdout } = await check(file)
    expect(stdout).toContain(`${count} vectors, 0 differ`)
    expect(code).toBe(0)
  })

  it("agrees with random vectors", async () => {
    const { code, stdout } = await check(
      print(vectorsOf(draw(2000, fc.readConfigureGlobal().seed ?? 1)))
    )
    expect(stdout).toContain(" vectors, 0 differ")
    expect(code).toBe(0)
  })

  it("agrees with nothing if a group has no vector", async () => {
    expect((await check(print(vectorsOf({ ...committed, joins: [] })))).code).toBe(1)
  })

  it("names the group of a result that differs", async () => {
    const changed = script.replace('left["evidence"] | right', 'left["evidence"] + right')
    const { code, stdout } = await check(file, changed)
    expect(stdout).toMatch(/^joins: /u)
    expect(code).toBe(1)
  })
})
