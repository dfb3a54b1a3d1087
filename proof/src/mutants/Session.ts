/** Runs a job in a worker of Vitest, which is ended at a mutant that hangs and begun again. */
import { appendFileSync, readFileSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { createVitest } from "vitest/node"
import { instrument, type Mutant, type Status } from "./Mutant.ts"
import type { Job } from "./Plan.ts"
import { root } from "./Sources.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly job: Job
  }
}

/** Gives mutants their statuses. All mutants of their sources are put into these. */
export const run = async (job: Omit<Job, "files">, mutants: ReadonlyArray<Mutant>) => {
  const files = mutants.map(({ file }) => file)
  const chosen = new Set(job.ids.map((id) => files[id]))
  const transform = (source: string, path: string) => {
    const some = mutants.filter(({ file }) => chosen.has(file) && file === relative(root, path))
    return some.length === 0 ? null : { code: instrument(source, some), map: null }
  }
  const runner = join(import.meta.dirname, "SessionRunner.ts")
  const vitest = await createVitest(
    {
      config: false,
      root,
      watch: false,
      // Nothing but the runner is run, which has no tests of its own.
      include: [runner],
      runner,
      setupFiles: [join(root, "scripts/vitest/setup.ts")],
      globalSetup: [join(root, "scripts/vitest/seed.ts")],
      // The cache would keep this session's mutants for the next one.
      fsModuleCache: false,
      // The session ends a test that hangs.
      testTimeout: 0,
      hookTimeout: 0,
      reporters: [{}]
    },
    { plugins: [{ name: "mutants", enforce: "pre", transform }] }
  )
  const lines = () =>
    Array.from(readFileSync(job.log, "utf8").matchAll(/^.+$/gmu), ([line]) => line.split(" "))
  const done = new Set<number>()
  for (let before = -1; before < done.size && done.size < job.ids.length;) {
    before = done.size
    vitest.provide("job", { ...job, files, ids: job.ids.filter((id) => !done.has(id)) })
    // The last line of a session before has a process that is over.
    appendFileSync(job.log, "-1 begins\n")
    const watch = setInterval(() => {
      const [, , limit = Infinity, pid] = lines().at(-1) ?? []
      if (Date.now() < Number(limit)) return
      clearInterval(watch)
      process.kill(Number(pid), "SIGKILL")
    }, 1000)
    await vitest.runTestSpecifications(await vitest.globTestSpecifications())
    clearInterval(watch)
    for (const [id, status] of lines()) {
      const mutant = mutants[Number(id)]
      if (mutant === undefined) continue
      done.add(mutant.id)
      // A test that passes says more than the absence of a test.
      if (status !== "unseen" || mutant.status === undefined) mutant.status = status as Status
    }
    console.error(`${basename(job.log)}: ${done.size} of ${job.ids.length}`)
  }
  await vitest.close()
}
