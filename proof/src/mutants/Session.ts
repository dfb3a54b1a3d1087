/** Runs a session: a job in one worker of Vitest, which is ended when it hangs. */
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { startVitest } from "vitest/node"
import type { Job } from "./Job.ts"
import { instrument, type Mutant } from "./Mutant.ts"

/** A line of the results. */
interface Line {
  readonly pid?: number
  readonly begin?: number
  /** The most milliseconds until the next line. */
  readonly limit?: number
  readonly end?: number
  readonly status?: "killed" | "late" | "alive" | "unseen"
  readonly failed?: string
}

const coverLimit = 1_200_000

export const linesOf = (path: string): ReadonlyArray<Line> =>
  Array.from(readFileSync(path, "utf8").matchAll(/^.*\}$/gmu), ([line]) => JSON.parse(line) as Line)

export const run = async (job: Job, mutants: ReadonlyArray<Mutant>): Promise<void> => {
  const { results, root } = job
  const jobPath = `${results}.job`
  writeFileSync(jobPath, JSON.stringify(job))
  // The last line of a session before is no sign of life of this one.
  appendFileSync(results, "{}\n")
  const ofFile = Map.groupBy(mutants, ({ file }) => file)
  const watch = setInterval(() => {
    const { limit = coverLimit, pid } = linesOf(results).at(-1) ?? {}
    if (pid === undefined || Date.now() - statSync(results).mtimeMs < limit) return
    clearInterval(watch)
    process.kill(pid, "SIGKILL")
  }, 1000)
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
            const found = ofFile.get(relative(root, id))
            return found === undefined ? null : { code: instrument(source, found), map: null }
          }
        }
      ]
    }
  )
  clearInterval(watch)
  await vitest.close()
}
