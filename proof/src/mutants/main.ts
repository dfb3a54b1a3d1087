/**
 * Command:
 * `pnpm mutants [PATH…] [--changed BASE] [--sample N] [--seed N] [--minutes N] [--tests PATTERN]`.
 *
 * A path is the beginning of a source's path, or a source with lines (`Amount.ts:40-60`). A sample
 * is drawn of each path. The exit code is 1 if a mutant is alive that `proof/mutants/equal.json`
 * does not list.
 */
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Numbers from "../Numbers.ts"
import { type Mutant, mutantsOf } from "./Mutant.ts"
import * as Report from "./Report.ts"
import * as Session from "./Session.ts"
import * as Sources from "./Sources.ts"
import * as Types from "./Types.ts"

const root = join(import.meta.dirname, "../../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: "string" },
    sample: { type: "string", default: "999999999" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "600" },
    tests: { type: "string", default: "" }
  }
})
const seed = Numbers.orExit(Numbers.seedOf("--seed", values.seed))
const size = Numbers.orExit(Numbers.countOf("--sample", values.sample))
const until = Date.now() + 60_000 * Numbers.orExit(Numbers.countOf("--minutes", values.minutes))
const groups = [
  positionals.length === 0 ? [Sources.partOf("")] : positionals.map(Sources.partOf),
  values.changed === undefined ? [Sources.partOf("")] : Sources.changedParts(root, values.changed)
] as const
Object.assign(process.env, { CI: "true", PAWL_SEED: `${seed}` })
const cache = join(root, "node_modules/.cache/mutants")
mkdirSync(cache, { recursive: true })
const folder = mkdtempSync(join(cache, "run-"))

/** The milliseconds of tests of one mutant: of each at first, and of those that are alive then. */
const [firstBudget, budget] = [1500, 30_000]

const all = [...Map.groupBy(Sources.sourcesOf(root), Sources.packageOf)].map(([name, paths]) => {
  const sources = paths.filter((path) =>
    groups.every((parts) => parts.some((part) => path.startsWith(part.path)))
  )
  return { name, sources, mutants: mutantsOf(sources, read) }
})
const chosen = all
  .flatMap(({ mutants }) => mutants)
  .filter((mutant) => groups.every((parts) => Sources.isIn(parts, mutant)))
const ofPart = (part: Sources.Part) => chosen.filter((mutant) => Sources.isIn([part], mutant))
const sample = new Set(groups[0].flatMap((part) => Sources.drawn(ofPart(part), size, seed)))
console.error(`${sample.size} of ${chosen.length} mutants`)
const equal = JSON.parse(read("proof/mutants/equal.json")) as Report.Equal
const results = new Map<Mutant, Report.Status>()

for (const { mutants, name, sources } of all) {
  const files = mutants.map(({ file }) => file)
  const isLeft = (mutant: Mutant) =>
    sample.has(mutant) && Report.isAlive(results.get(mutant) ?? "unseen")
  const [own = "", ...others] = Sources.testers[name] ?? []
  const rounds = [
    [own, firstBudget],
    ...[own, ...others].map((tester) => [tester, budget] as const)
  ] as const
  for (const [round, [tester, budget]] of rounds.entries()) {
    const tests = Sources.testsOf(root, tester, new RegExp(values.tests, "u"))
    const path = join(folder, `${name}-${round}-${tester}.jsonl`)
    const coverage = join(folder, `${name}-${tester}.json`)
    const waiting = new Set(mutants.filter(isLeft).map(({ id }) => id))
    const total = waiting.size
    for (let before = Infinity; waiting.size < before && waiting.size > 0 && tests.length > 0;) {
      before = waiting.size
      const job = { root, sources, tests, files, ids: [...waiting], budget, until, results: path }
      await Session.run({ ...job, coverage }, mutants)
      const lines = Session.linesOf(path)
      const hung = lines.at(-1)?.begin
      for (const { end, status } of [...lines, { end: hung, status: "late" as const }]) {
        const mutant = mutants[end ?? -1]
        if (mutant === undefined || status === undefined || !waiting.delete(mutant.id)) continue
        // A test that passes says more than the absence of a test.
        if (results.get(mutant) !== "alive" || status !== "unseen") results.set(mutant, status)
      }
      for (const { failed } of round === 1 ? [] : lines)
        if (failed !== undefined) console.error(`${failed} fails without a mutant`)
      console.error(`${name} with the tests of ${tester}: ${total - waiting.size} of ${total}`)
    }
    if (round > 0) continue
    const alive = mutants.filter((mutant) => results.has(mutant) && isLeft(mutant))
    for (const mutant of Types.refused(root, name, alive, read)) results.set(mutant, "invalid")
    for (const mutant of alive)
      if (isLeft(mutant) && Report.isEqual(equal, mutant, read(mutant.file)))
        results.set(mutant, "equal")
  }
}

console.log(Report.print(results, read))
if (results.size < sample.size) console.log(`\n${sample.size - results.size} were not tried`)
process.exitCode = [...results.values()].some(Report.isAlive) ? 1 : 0
