/**
 * The vectors catch every change of a line of the implementation in Python that changes a result.
 */
import { run } from "@pawl/test-support/Program"
import { repeats } from "@pawl/test-support/Repeats"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"

const folder = resolve(import.meta.dirname, "../../../vectors")

const hasPython = spawnSync("python3", ["--version"]).status === 0
if (!hasPython) console.warn("There is no python3: vectors/mutants.py is not tested")

const { seed = 1 } = fc.readConfigureGlobal()
/** All changes take a minute of a core, so the suite tries a seeded tenth. */
const part = repeats(10, 10) === 10 ? "0/1" : `${Math.abs(seed)}/10`

/** Tries changes in a copy of the folder, with or without its vectors. */
const mutants = async (part: string, hasVectors: boolean) => {
  using copy = mkdtempDisposableSync(join(tmpdir(), "vectors-"))
  cpSync(folder, copy.path, { recursive: true })
  const vectors = join(copy.path, "vectors.json")
  const groups = Object.entries<ReadonlyArray<object>>(
    JSON.parse(readFileSync(vectors, "utf8"))
  ).map(([name, group]) => [name, hasVectors ? group : []])
  writeFileSync(vectors, JSON.stringify(Object.fromEntries(groups)))
  return await Effect.runPromise(run("python3", [join(copy.path, "mutants.py"), part]))
}

describe.runIf(hasPython)("the changes of the implementation in Python", () => {
  it("are caught by the committed vectors, apart from the listed equal ones", async () => {
    const { code, stdout } = await mutants(part, true)
    expect(stdout).toMatch(
      /^[0-9]{3,4} changes, ([0-9]+) pass the vectors, \1 of them are equal\n$/u
    )
    expect(code).toBe(0)
  })

  it("are told if no vector catches them", async () => {
    const { code, stdout } = await mutants("0/50", false)
    expect(stdout).toContain("no vector catches module: ")
    expect(code).toBe(1)
  })
})
