/**
 * Runs the tests of the whole workspace. Without a mode these are the tests of each package. `--mode all` adds what takes long:
 * killed processes, planted bugs, the stores crossed with shards, browsers and `proof`. `--mode rest` runs only that.
 */
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const root = import.meta.dirname

/** `.ci/run` reads the counts of the tests from this file. */
const report = process.env["PAWL_REPORT"] ?? "node_modules/.cache/vitest/report.json"

// Programs that the tests start load faster from a bundle, and with a cache of compiled code.
process.env["PAWL_BUNDLES"] = join(root, "node_modules/.cache/programs")
process.env["NODE_COMPILE_CACHE"] ??= join(root, "node_modules/.cache/node")

/** Files that take a minute or more. They start first, so that no such file is left alone at the end. */
const slowest = /\/(?:Simulation|Ledger\.long|pawl-conform\.long|silent)\.test/

/** Files that mostly wait for programs or a browser. */
const slow =
  /\.browser\.test|\.long\.test|\/rel\/|laws\.test|Laws\.test|docs\.test|readme\.test|\/(Ledger|\w*Outage|Worker|Requests|Erase|Doctor)\.test/

/**
 * Runs the files of a project one after the other, because a worker is ended, with all modules that it has loaded and compiled,
 * when the next file is of another project.
 */
class SlowFirst extends BaseSequencer {
  override sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const order = ({ moduleId, project }: TestSpecification): number =>
      3 * names.indexOf(project.name) +
      [slowest, slow, /$/].findIndex((each) => each.test(moduleId))
    return Promise.resolve(files.toSorted((one, two) => order(one) - order(two)))
  }
}

/** The files of a project share a worker and the modules that it has loaded, unless they need a process of their own. */
const project = (
  name: string,
  include: ReadonlyArray<string>,
  { exclude = [], isolate = false }: { exclude?: ReadonlyArray<string>; isolate?: boolean } = {}
) => ({
  test: {
    name,
    root,
    isolate,
    // Ends a test that hangs. A busy machine takes ten times as long as an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    include: [...include],
    exclude: ["**/node_modules/**", ...exclude],
    setupFiles: [join(root, "scripts/vitest/setup.ts")]
  }
})

const long = "**/*.long.test.ts"
/** This test measures a heap of its own. */
const heap = "packages/sandbox/test/Memory.test.ts"
const browser = "packages/*/test/*.browser.test.ts"

const own = project("tests", ["{packages/*,examples,scripts}/test/**/*.test.ts"], {
  exclude: [long, heap, browser]
})
const rest = [
  project("long", [long, "proof/test/**/*.test.ts"]),
  project("browser", [browser]),
  project("heap", [heap], { isolate: true })
]
const names = ["tests", ...rest.map(({ test }) => test.name)]

export default defineConfig(({ mode }) => ({
  test: {
    // Many files wait for programs, a browser or a time-out, and leave a core to another worker: 142 s with 2 workers a core, 173 s with 1.5.
    maxWorkers: Math.ceil(availableParallelism() * 2),
    globalSetup: ["scripts/vitest/seed.ts", "scripts/vitest/programs.ts"],
    sequence: { sequencer: SlowFirst },
    reporters:
      process.env["CI"] === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: mode === "all" ? [own, ...rest] : mode === "rest" ? rest : [own]
  }
}))
