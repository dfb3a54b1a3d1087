/** Program of one session, whose argument is the path of the job. */
import { readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { startVitest } from "vitest/node"
import { instrument } from "./Instrument.ts"
import type { Job } from "./Job.ts"
import { numbered } from "./Mutant.ts"

const root = join(import.meta.dirname, "../../..")
const [, , jobPath = ""] = process.argv
const job = JSON.parse(readFileSync(jobPath, "utf8")) as Job
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const mutants = Map.groupBy(numbered(job.sources, read), ({ file }) => file)

const vitest = await startVitest(
  [],
  {
    config: false,
    root,
    watch: false,
    include: ["proof/src/mutants/session.spec.ts"],
    runner: join(import.meta.dirname, "SessionRunner.ts"),
    setupFiles: [join(root, "scripts/vitest/setup.ts")],
    globalSetup: [join(root, "scripts/vitest/seed.ts")],
    isolate: false,
    // The cache would keep this session's mutants for the next one.
    fsModuleCache: false,
    maxWorkers: 1,
    env: { PAWL_MUTANTS: jobPath },
    reporters: [{}],
    silent: true
  },
  {
    plugins: [
      {
        name: "mutants",
        enforce: "pre",
        transform: (source, id) => {
          const found = mutants.get(relative(root, id))
          return found === undefined ? null : { code: instrument(source, found), map: null }
        }
      }
    ]
  }
)
await vitest.close()
