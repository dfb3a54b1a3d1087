/**
 * The vectors catch every change of a line of the implementation in Python that changes a result.
 */
import { execFile, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"

const folder = resolve(import.meta.dirname, "../../../vectors")

const hasPython = spawnSync("python3", ["--version"]).status === 0
if (!hasPython) console.warn("There is no python3: vectors/mutants.py is not tested")

/** Tries the changes in a copy of the folder without some vectors. */
const mutants = async (keep: (vector: string) => boolean) => {
  const copy = mkdtempSync(join(tmpdir(), "vectors-"))
  try {
    cpSync(folder, copy, { recursive: true })
    const groups = Object.entries<ReadonlyArray<object>>(
      JSON.parse(readFileSync(join(copy, "vectors.json"), "utf8"))
    ).map(([name, group]) => [name, group.filter((each) => keep(JSON.stringify(each)))])
    writeFileSync(join(copy, "vectors.json"), JSON.stringify(Object.fromEntries(groups)))
    return await new Promise<{ readonly code: number; readonly stdout: string }>((resolve) => {
      execFile("python3", [join(copy, "mutants.py")], (error, stdout) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout })
      )
    })
  } finally {
    rmSync(copy, { recursive: true })
  }
}

// Each test runs 3,425 changed programs, a minute of an idle core.
const options = { concurrent: true, timeout: 600_000 }

describe.runIf(hasPython)("the changes of the implementation in Python", options, () => {
  it("are caught by the committed vectors, apart from the listed equal ones", async () => {
    const { code, stdout } = await mutants(() => true)
    expect(stdout).toMatch(/^[0-9]{4} changes, ([0-9]+) pass the vectors, \1 of them are equal\n$/u)
    expect(code).toBe(0)
  })

  it("are told if no vector catches them", async () => {
    const { code, stdout } = await mutants((vector) => !vector.includes("u007f"))
    expect(stdout).toContain("no vector catches module: '[|\\x00-\\x1f\\x7f-")
    expect(code).toBe(1)
  })
})
