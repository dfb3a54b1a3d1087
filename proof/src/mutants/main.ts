/**
 * Command:
 * `pnpm mutants [PATH…] [--changed BASE] [--sample N] [--seed N] [--minutes N] [--tests PATTERN]`.
 *
 * A path is the beginning of a source's path, or a source with lines (`Amount.ts:40-60`). The exit
 * code is 1 if a mutant is alive that `proof/mutants/equal.json` does not list.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import * as Numbers from "../Numbers.ts"
import type { Job } from "./Job.ts"
import { numbered, type Numbered } from "./Mutant.ts"
import { type Equal, isAlive, print, type Result, type Status } from "./Report.ts"
import * as Report from "./Report.ts"
import * as Sources from "./Sources.ts"

const root = join(import.meta.dirname, "../../..")
const texts = new Map<string, string>()
const read = (path: string): string => {
  const text = texts.get(path) ?? readFileSync(join(root, path), "utf8")
  texts.set(path, text)
  return text
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: "string" },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "600" },
    tests: { type: "string", default: "" },
    list: { type: "boolean", default: false }
  }
})

const minutes = Numbers.orExit(Numbers.countOf("--minutes", values.minutes))
const seed = Numbers.orExit(Numbers.seedOf("--seed", values.seed))
const sampleSize =
  values.sample === undefined
    ? undefined
    : Numbers.orExit(Numbers.countOf("--sample", values.sample))
const until = Date.now() + minutes * 60_000
const changed =
  values.changed === undefined ? undefined : Sources.changedLines(root, values.changed)
const parts = positionals.map(Sources.partOf)
const sources = Sources.sourcesOf(
  root,
  parts.map(({ path }) => path)
).filter((path) => changed === undefined || changed.has(path))
const cache = join(root, "node_modules/.cache/mutants")
mkdirSync(cache, { recursive: true })
const folder = mkdtempSync(join(cache, "run-"))

interface Line {
  readonly begin?: number
  readonly limit?: number
  readonly end?: number
  readonly status?: Status
  readonly by?: string
  readonly covered?: string
  readonly failed?: ReadonlyArray<string>
}

const linesOf = (path: string): ReadonlyArray<Line> =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"))
        .map((line) => JSON.parse(line) as Line)
    : []

/** The most milliseconds without a new line. */
const coverLimit = 1_200_000

/** A session that hangs is ended, and its mutant counts as timed out. */
const session = async (job: Job): Promise<void> => {
  const path = join(folder, "job.json")
  writeFileSync(path, JSON.stringify(job))
  const child = spawn(process.execPath, [join(import.meta.dirname, "session.ts"), path], {
    cwd: root,
    detached: true,
    env: { ...process.env, CI: "true", PAWL_SEED: String(seed) },
    stdio: ["ignore", "ignore", "inherit"]
  })
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      resolve()
    })
  })
  const startedAt = Date.now()
  const known = linesOf(job.results).length
  for (;;) {
    const isOver = await Promise.race([ended.then(() => true), sleep(1000, false)])
    if (isOver) return
    const lines = linesOf(job.results)
    const last = lines.length === known ? undefined : lines.at(-1)
    const since = Date.now() - (last === undefined ? startedAt : statSync(job.results).mtimeMs)
    if (since > (last?.limit ?? coverLimit)) {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
      await ended
      return
    }
  }
}

const tryWith = async (
  name: string,
  tester: Sources.Tester,
  chosen: ReadonlyArray<Numbered>,
  files: ReadonlyArray<string>
): Promise<ReadonlyArray<Result>> => {
  const ofPackage = sources.filter((path) => Sources.packageOf(path) === name)
  const results = join(folder, `${name}-${tester.name}.jsonl`)
  const done = new Map<number, Result>()
  const pattern = new RegExp(values.tests, "u")
  const tests = Sources.testsOf(root, tester, pattern).map((path) => join(root, path))
  if (tests.length === 0) return []
  let isOver = false
  while (!isOver && Date.now() < until) {
    const ids = chosen.filter(({ id }) => !done.has(id)).map(({ id }) => id)
    const before = done.size
    const coverage = join(folder, `${name}-${tester.name}.json`)
    await session({ root, sources: ofPackage, tests, files, ids, until, results, coverage })
    const lines = linesOf(results)
    for (const { covered, failed = [] } of before === 0 ? lines : []) {
      if (failed.length > 0)
        console.error(`${covered} fails without a mutant: ${failed.join(", ")}`)
    }
    for (const { by, end, status } of lines) {
      const mutant = chosen.find(({ id }) => id === end)
      if (mutant !== undefined && status !== undefined) done.set(mutant.id, { mutant, status, by })
    }
    const hung = chosen.find(({ id }) => id === lines.at(-1)?.begin)
    if (hung !== undefined)
      done.set(hung.id, { mutant: hung, status: "timed out", by: "the session hung" })
    isOver = done.size === chosen.length || done.size === before
    console.error(
      `${name} with the tests of ${tester.name}: ${done.size} of ${chosen.length} mutants`
    )
  }
  return [...done.values()]
}

const tryPackage = async (
  name: string,
  chosen: ReadonlyArray<Numbered>,
  files: ReadonlyArray<string>
) => {
  const found = new Map<Numbered, Result>()
  for (const tester of Sources.testersOf(name)) {
    const left = chosen.filter((mutant) => {
      const result = found.get(mutant)
      return result === undefined || isAlive(result)
    })
    for (const result of await tryWith(name, tester, left, files)) {
      const before = found.get(result.mutant as Numbered)
      // A test that passes says more than the absence of a test.
      if (before?.status !== "survived" || !isAlive(result))
        found.set(result.mutant as Numbered, result)
    }
  }
  return [...found.values()]
}

const results: Array<Result> = []
const candidates: Array<{ readonly name: string; readonly mutants: ReadonlyArray<Numbered> }> = []
for (const [name, paths] of Map.groupBy(sources, Sources.packageOf)) {
  candidates.push({ name, mutants: numbered(paths, read) })
}
const isChosen = ({ file, line }: Numbered): boolean =>
  changed?.get(file)?.has(line) !== false &&
  (parts.length === 0 ||
    parts.some(({ first, last, path }) => file.startsWith(path) && line >= first && line <= last))
const all = candidates.flatMap(({ mutants }) => mutants.filter(isChosen))
const sample = new Set(Sources.drawn(all, sampleSize ?? all.length, seed))
console.error(`${sample.size} of ${all.length} mutants in ${sources.length} files`)
for (const { mutants, name } of values.list ? [] : candidates) {
  const chosen = mutants.filter((mutant) => sample.has(mutant))
  const files = mutants.map(({ file }) => file)
  if (chosen.length > 0) results.push(...(await tryPackage(name, chosen, files)))
}

const equal = JSON.parse(
  readFileSync(join(root, "proof/mutants/equal.json"), "utf8")
) as ReadonlyArray<Equal>
writeFileSync(join(folder, "results.json"), JSON.stringify(results))
console.log(values.list ? Report.list([...sample], read) : print(results, equal, read))
if (results.length < sample.size && !values.list)
  console.log(`\n${sample.size - results.length} mutants were not tried`)
process.exitCode = results.some(
  (result) => isAlive(result) && !Report.isListed(equal, result.mutant, read(result.mutant.file))
)
  ? 1
  : 0
