/**
 * Runs the tests of the whole workspace, one project per package.
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

/**
 * Files whose tests take long, mostly waiting for programs or a browser. They start first in their project, so that no such
 * file is left alone at the end.
 */
const slow =
  /\.browser\.test|\/bin\/|\/rel\/|Durability|Commit\.test|machines|naive|pawl-|\.prop\.test|laws\.test|Laws\.test|\/Ledger\.test|Contract|Simulation|docs\.test|NodeReceiver/

/**
 * Runs the files of a project one after the other, because a worker is ended, with all modules that it has loaded and compiled,
 * when the next file is of another project. The projects are in the order of their list: those with the longest files are first.
 */
class SlowFirst extends BaseSequencer {
  override sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const order = ({ moduleId, project }: TestSpecification): number =>
      2 * names.indexOf(project.name) + (slow.test(moduleId) ? 0 : 1)
    return Promise.resolve(files.toSorted((one, two) => order(one) - order(two)))
  }
}

const project = (
  name: string,
  folder: string,
  options: {
    readonly exclude?: ReadonlyArray<string>
    readonly include?: string
    readonly isolate?: boolean
    readonly testTimeout?: number
  } = {}
) => {
  const { exclude, include = "test/**/*.test.ts", isolate = true, testTimeout = 60_000 } = options
  return {
    test: {
      name,
      root: folder,
      isolate,
      testTimeout,
      hookTimeout: testTimeout,
      include: [include],
      ...(exclude !== undefined && { exclude: [...exclude] }),
      setupFiles: [join(root, "scripts/vitest/setup.ts")]
    }
  }
}

const heap = "test/Memory.test.ts"
const pages = "test/*.browser.test.ts"

const projects = [
  // These start whole programs.
  project("@pawl/proof", "proof", { isolate: false, testTimeout: 120_000 }),
  project("@pawl/examples", "examples", { isolate: false, testTimeout: 120_000 }),
  // The tests of these change nothing of their own process, so their files share a worker and the modules that it has
  // loaded.
  project("@pawl/testkit", "packages/testkit", { isolate: false }),
  project("@pawl/sandbox", "packages/sandbox", { isolate: false, exclude: [heap, pages] }),
  project("browser", "packages/sandbox", { isolate: false, include: pages }),
  project("@pawl/receiver", "packages/receiver", { isolate: false }),
  project("@pawl/webhook", "packages/webhook", { isolate: false }),
  project("scripts", "scripts", { isolate: false }),
  // The test of memory measures a heap of its own.
  project("@pawl/sandbox heap", "packages/sandbox", { include: heap }),
  project("pawl", "packages/pawl", { isolate: false }),
  project("@pawl/http", "packages/http", { isolate: false }),
  project("@pawl/core", "packages/core", { isolate: false })
]
const names = projects.map(({ test }) => test.name)

export default defineConfig({
  test: {
    // Many files wait for programs, a browser or a time-out, and leave a core to another worker.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    globalSetup: ["scripts/vitest/seed.ts", "scripts/vitest/programs.ts"],
    sequence: { sequencer: SlowFirst },
    reporters:
      process.env["CI"] === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects
  }
})
