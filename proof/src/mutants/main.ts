/**
 * Command:
 * `pnpm mutants [PATH…] [--changed BASE] [--sample N] [--seed N] [--minutes N] [--tests PATTERN]`.
 *
 * A path is the beginning of a source's path, or a source with lines (`Amount.ts:40-60`).
 * `docs/proof.md` explains the rest.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Numbers from "../Numbers.ts"
import { type Mutant, mutantsOf } from "./Mutant.ts"
import * as Report from "./Report.ts"
import * as Session from "./Session.ts"
import * as Sources from "./Sources.ts"
import * as Types from "./Types.ts"

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
Object.assign(process.env, { CI: "true", NODE_ENV: "test", PAWL_SEED: `${seed}` })

const mutants = mutantsOf(Sources.sources, Sources.read)
const paths = positionals.length === 0 ? [""] : positionals
const changed = values.changed === undefined ? [""] : Sources.changed(values.changed)
const chosen = mutants.filter((each) => Sources.isIn(each, paths) && Sources.isIn(each, changed))
const ofPaths = paths.map((path) => chosen.filter((each) => Sources.isIn(each, [path])))
const sample = [...new Set(ofPaths.flatMap((some) => Sources.drawn(some, size, seed)))]
console.error(`${sample.length} of ${chosen.length} mutants`)

const equal = JSON.parse(Sources.read("proof/mutants/equal.json")) as Report.Equal
for (const mutant of sample) {
  if (Date.now() > until) break
  const source = Sources.read(mutant.file)
  if (Report.isEqual(equal, mutant, source)) mutant.status = "equal"
  else if (Types.isRefused(mutant, source)) mutant.status = "invalid"
}

const folder = mkdtempSync(join(tmpdir(), "mutants-"))
const isLeft = (mutant: Mutant) => mutant.status === undefined || Report.isAlive(mutant)
for (const [name, own] of Map.groupBy(sample, ({ file }) => Sources.packageOf(file)))
  for (const testers of Sources.testers[name] ?? []) {
    const tests = Sources.testsOf(testers, new RegExp(values.tests, "u"))
    const ids = own.filter(isLeft).map(({ id }) => id)
    const log = join(folder, `${name} with the tests of ${testers.join(" and ")}`)
    if (tests.length > 0 && ids.length > 0 && Date.now() < until)
      await Session.run({ tests, ids, until, log }, mutants)
  }

console.log(Report.print(sample, Sources.read))
const isOver = Date.now() > until
process.exitCode = sample.some((each) => (isOver ? Report.isAlive(each) : isLeft(each))) ? 1 : 0
