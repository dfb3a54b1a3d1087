/** Runs tests once for each mutant, in a worker of Vitest that the session ends when it hangs. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import * as fc from "fast-check"
import { inject, type RunnerTask, TestRunner, vi } from "vitest"
import { startTests } from "vitest/internal/browser"
import { type Coverage, planOf } from "./Plan.ts"

const job = inject("job")
const coveragePath = `${job.log}.json`

/** The mutant that is switched on; there is none during the coverage. */
let active = -1
const tests: Coverage["tests"] = []

const say = (status: string, limit = Infinity): void =>
  appendFileSync(job.log, `${active} ${status} ${Date.now() + limit} ${process.pid}\n`)

const stepsOf = (task: RunnerTask): ReadonlyArray<string> => [
  ...(task.suite === undefined ? [task.file.id] : stepsOf(task.suite)),
  task.id
]

class InnerRunner extends TestRunner {
  override onAfterRunTask(test: RunnerTask) {
    super.onAfterRunTask(test)
    const { duration = 0, state } = test.result ?? {}
    if (active >= 0 && state === "fail") this.cancel("test-failure")
    if (active < 0 && state === "pass")
      tests.push({ path: test.file.filepath, steps: stepsOf(test), milliseconds: duration })
  }
}

export default class SessionRunner extends TestRunner {
  async onBeforeRunFiles() {
    const reached = job.files.map(() => new Set<string>())
    const isOn = (id: number): boolean => {
      if (active < 0) reached[id]?.add(this["workerState"].current?.id ?? "")
      return id === active
    }
    Object.assign(globalThis, { __pawlMutant: isOn })
    if (!existsSync(coveragePath)) {
      for (const path of job.tests)
        if (await this.fails(path, 240_000))
          process.stderr.write(`${path} fails without a mutant\n`)
      const steps = reached.map((each) => [...each])
      writeFileSync(coveragePath, JSON.stringify({ tests, reached: steps }))
    }
    const coverage = JSON.parse(readFileSync(coveragePath, "utf8")) as Coverage
    // A mutant is found by the first counterexample, and nobody reads the shrunk one.
    fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
    const finds = new Map<string, number>()
    for (active of job.ids) {
      if (Date.now() > job.until) return
      const keyOf = (path: string) => `${job.files[active]} ${path}`
      const foundBy = (path: string) => finds.get(keyOf(path)) ?? 0
      const plan = planOf(coverage, job.files, active, foundBy)
      let status = plan.length > 0 ? "alive" : "unseen"
      for (const { milliseconds, path, testIds } of plan)
        if (status === "alive" && (await this.fails(path, milliseconds, testIds))) {
          status = "killed"
          finds.set(keyOf(path), foundBy(path) + 1)
        }
      say(status)
    }
  }

  /** Runs the tests of a file until one fails. */
  async fails(path: string, milliseconds: number, testIds?: Array<string>): Promise<boolean> {
    say("late", 20_000 + 5 * milliseconds)
    vi.resetModules()
    const runner = new InnerRunner(this.config)
    Object.assign(runner, { importFile: this.importFile.bind(this), trace: this.trace })
    const [file] = await startTests([{ filepath: path, testIds }], runner)
    return file?.result?.state === "fail"
  }
}
