import { run, start } from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
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

it("reports what was done and exits with 130 when it is interrupted", async () => {
  const { code, stderr, stdout } = await Effect.gen(function* () {
    const { child, errorLine, exited, stderr, stdout } = yield* start(process.execPath, [
      main,
      "kill",
      "--store",
      "sqlite",
      "--seed",
      "7"
    ])
    yield* errorLine(/^kill: 2000 cycles/mu)
    yield* Effect.sleep("2 seconds")
    child.kill("SIGINT")
    return { ...(yield* exited), stderr: stderr(), stdout: stdout() }
  }).pipe(Effect.scoped, Effect.runPromise)
  expect(stderr).toMatch(
    /^kill: 2000 cycles on sqlite, seed 7\nInterrupted: .*\d+ of 2000 cycles.*\n$/u
  )
  expect(JSON.parse(stdout)).toMatchObject({ name: "kill", seed: 7, verdict: "interrupted" })
  expect(code).toBe(130)
})

it("lists the runs for an unknown name, and exits 1", async () => {
  const { code, err, out } = await rel("everything")
  expect(err).toContain("\nkill ")
  expect({ code, out }).toEqual({ code: 1, out: "" })
})

it("prints a table of the runs with their counts and stores for --help", async () => {
  const { code, err, out } = await rel("--help")
  const line = (name: string) => out.split("\n").find((each) => each.startsWith(`${name} `))
  expect(line("deploy")).toMatch(/ 60 restarts +sqlite postgres +rolling restarts/u)
  expect(line("kill")).toMatch(/ 2000 cycles \(postgres: 300\) +sqlite \(postgres\) +SIGKILL/u)
  for (const option of ["--count", "--seed", "--store"]) expect(out).toContain(option)
  expect({ code, err }).toEqual({ code: 0, err: "" })
})

it("says in one sentence which option is unknown, prints the table, and exits 1", async () => {
  const { code, err, out } = await rel("kill", "--fast")
  expect(err).toMatch(/^Unknown option '--fast'\n\nrel NAME/u)
  expect(err).not.toMatch(/\n\s+at /u)
  expect({ code, out }).toEqual({ code: 1, out: "" })
})

it("says in one sentence which number is not valid, and exits 1", async () => {
  const { code, err, out } = await rel("poll", "--seed", "12x")
  expect({ code, err, out }).toEqual({
    code: 1,
    err: '--seed must be a 32-bit integer, and not "12x"\n',
    out: ""
  })
})

it("has the runs that docs/proof.md names, and no other", async () => {
  const page = readFileSync(new URL("../../../docs/proof.md", import.meta.url), "utf8")
  const { out } = await rel("--help")
  const names = Array.from(out.matchAll(/^([a-z-]+) +\d+ \w+/gmu), ([, name = ""]) => name)
  const named = Array.from(page.matchAll(/`rel ([a-z][a-z-]*)`/gu), ([, name]) => name)
  expect(new Set(named)).toEqual(new Set(names))
})
