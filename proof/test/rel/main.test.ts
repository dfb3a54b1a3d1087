import * as Program from "@pawl/test-support/Program"
import { live } from "@pawl/test-support/Tests"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { expect } from "vitest"

const main = new URL("../../src/main.ts", import.meta.url).pathname

const rel = (...args: ReadonlyArray<string>) => Program.run(process.execPath, [main, ...args])

live("prints one line of JSON with the seed and the verdict", function* () {
  const { code, stdout } = yield* rel("poll", "--count", "100", "--seed", "7")
  expect(stdout.trimEnd().split("\n")).toHaveLength(1)
  expect(JSON.parse(stdout)).toMatchObject({
    name: "poll",
    seed: 7,
    operations: 100,
    verdict: "held",
    misses: []
  })
  expect(code).toBe(0)
})

live("reports what was done and exits with 130 when it is interrupted", function* () {
  const args = [main, "kill", "--store", "sqlite", "--seed", "7"]
  const running = yield* Program.start(process.execPath, args)
  const { child, errorLine, exited, stderr, stdout } = running
  yield* errorLine(/^kill: 2000 cycles/mu)
  yield* Effect.sleep("2 seconds")
  child.kill("SIGINT")
  const { code } = yield* exited
  expect(stderr()).toMatch(
    /^kill: 2000 cycles on sqlite, seed 7\nInterrupted: .*\d+ of 2000 cycles.*\n$/u
  )
  expect(JSON.parse(stdout())).toMatchObject({ name: "kill", seed: 7, verdict: "interrupted" })
  expect(code).toBe(130)
})

live(
  "prints for --help the runs that docs/proof.md names, with their counts and stores",
  function* () {
    const { code, stderr, stdout } = yield* rel("--help")
    const line = (name: string) => stdout.split("\n").find((each) => each.startsWith(`${name} `))
    expect(line("deploy")).toMatch(/ 60 restarts +sqlite postgres +rolling restarts/u)
    expect(line("kill")).toMatch(/ 2000 cycles \(postgres: 300\) +sqlite \(postgres\) +SIGKILL/u)
    for (const option of ["--count", "--seed", "--store"]) expect(stdout).toContain(option)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const page = readFileSync(new URL("../../../docs/proof.md", import.meta.url), "utf8")
    const names = Array.from(stdout.matchAll(/^([a-z-]+) +\d+ \w+/gmu), ([, name = ""]) => name)
    const named = Array.from(page.matchAll(/`rel ([a-z][a-z-]*)`/gu), ([, name]) => name)
    expect(new Set(named)).toEqual(new Set(names))
  }
)

live.each<[string, ReadonlyArray<string>, RegExp]>([
  ["that a run is unknown, before the table", ["all"], /^Name one run\.\n\nrel NAME[^]*\nkill /u],
  [
    "which option is unknown, before the table",
    ["kill", "--fast"],
    /^Unknown option '--fast'\n\nrel NAME/u
  ],
  ["which number is not valid", ["poll", "--seed", "12x"], /^--seed must be .*, and not "12x"\n$/u]
])("says in one sentence %s, and exits 1", function* (_, args, sentence) {
  const { code, stderr, stdout } = yield* rel(...args)
  expect(stderr).toMatch(sentence)
  expect(stderr).not.toMatch(/\n\s+at /u)
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
})
