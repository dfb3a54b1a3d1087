/**
 * Runs tests once for every mutant, inside one worker of Vitest. A time-out ends the session,
 * because its fibers may still run.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { type RunnerTask, TestRunner } from "vitest"
import { startTests } from "vitest/internal/browser"
import { type Coverage, type CoveredTest, candidatesOf, type Job, question } from "./Job.ts"

const job = JSON.parse(readFileSync(process.env["PAWL_MUTANTS"] ?? "", "utf8")) as Job

const say = (line: object): void => {
  appendFileSync(job.results, `${JSON.stringify({ ...line, pid: process.pid })}\n`)
}

let reached = new Set<number>()
const hits = new Float64Array(job.files.length)
const note = (id: number): boolean => {
  hits[id]!++
  reached.add(id)
  return false
}

let [active, left] = [-1, 0]
const isActive = (id: number): boolean => {
  if (id !== active) return false
  if (--left < 0) throw new Error("the mutant loops")
  return true
}

let ask = note
Object.assign(globalThis, { [question]: (id: number) => ask(id) })

class InnerRunner extends TestRunner {
  isOver = false
  onCollected?: () => void
  onBegin?: (suite: string) => void
  readonly onEnd: (test: RunnerTask) => void

  constructor(outer: SessionRunner, testTimeout: number, onEnd: (test: RunnerTask) => void) {
    super({ ...outer.config, testTimeout, hookTimeout: testTimeout })
    const _otel: unknown = Reflect.get(outer, "_otel")
    Object.assign(this, { moduleRunner: outer["moduleRunner"], _otel })
    this.onEnd = onEnd
  }

  override async onBeforeRunSuite(suite: Parameters<TestRunner["onBeforeRunSuite"]>[0]) {
    this.onBegin?.(suite.id)
    // The hooks of a suite may take longer than its tests.
    if (this.isOver) suite.mode = "skip"
    await super.onBeforeRunSuite(suite)
  }

  override async onBeforeRunTask(test: Parameters<TestRunner["onBeforeRunTask"]>[0]) {
    this.onBegin?.(test.suite?.id ?? test.file.id)
    if (this.isOver) test.mode = "skip"
    await super.onBeforeRunTask(test)
  }

  override onAfterRunTask(test: Parameters<TestRunner["onAfterRunTask"]>[0]) {
    super.onAfterRunTask(test)
    this.onEnd(test)
  }
}

export default class SessionRunner extends TestRunner {
  readonly loaded = new Set<string>()

  async onBeforeRunFiles() {
    if (!existsSync(job.coverage)) await this.cover()
    const coverage = JSON.parse(readFileSync(job.coverage, "utf8")) as Coverage
    ask = isActive
    for (const id of job.ids) {
      if (Date.now() > job.until || (await this.statusOf(id, coverage)) === "late") return
    }
  }

  async cover(): Promise<void> {
    const tests: Array<CoveredTest> = []
    const loads: Record<string, ReadonlyArray<number>> = {}
    for (const path of job.tests) {
      let since = performance.now()
      const next = () => {
        const part = { milliseconds: Math.round(performance.now() - since), ids: [...reached] }
        reached = new Set()
        since = performance.now()
        return part
      }
      const suites = new Map<string, ReturnType<typeof next>>()
      let suite = ""
      next()
      const runner = new InnerRunner(this, 120_000, ({ id, name, result }) => {
        const { ids, milliseconds } = next()
        const around = [...suites].filter(([suite]) => id.startsWith(`${suite}_`))
        const hooks = around.map(([id, { milliseconds }]) => ({ id, milliseconds }))
        const all = new Set([...ids, ...around.flatMap(([, { ids }]) => ids)])
        if (result?.state === "pass") tests.push({ path, id, milliseconds, ids: [...all], hooks })
        else if (result?.state === "fail") say({ failed: `${path}: ${name}` })
      })
      this.loaded.add(path)
      runner.onCollected = () => {
        loads[path] = next().ids
      }
      runner.onBegin = (id) => {
        // This is the work of the hooks of the last suite.
        const hooks = next()
        if (hooks.milliseconds > 0 || hooks.ids.length > 0) suites.set(suite, hooks)
        suite = id
      }
      const [task] = await startTests([{ filepath: path }], runner)
      say(task?.result?.state === "fail" ? { failed: path } : { covered: path })
      this.reset(job.sources)
    }
    writeFileSync(job.coverage, JSON.stringify({ tests, loads, hits: [...hits] }))
  }

  async statusOf(id: number, coverage: Coverage): Promise<string> {
    const candidates = candidatesOf(coverage, job, id)
    active = id
    left = 100_000 + 10 * (coverage.hits[id] ?? 0)
    let status = candidates.length > 0 ? "alive" : "unseen"
    let by: string | undefined
    for (const { ids, milliseconds, path } of candidates) {
      // The first load of a file takes seconds, which are not those of a mutant that hangs.
      const load = this.loaded.has(path) ? 10_000 : 60_000
      say({ begin: id, limit: load + 4 * milliseconds })
      this.loaded.add(path)
      this.reset([job.files[id] ?? ""])
      const check = ({ name, result }: RunnerTask): void => {
        if (result?.state !== "fail") return
        by ??= `${path}: ${name}`
        const isLate = result.errors?.some(({ message }) => message.includes("timed out"))
        if (status !== "late") status = isLate === true ? "late" : "killed"
        runner.isOver = true
      }
      const runner: InnerRunner = new InnerRunner(this, 5000 + 10 * milliseconds, check)
      for (const task of await startTests([{ filepath: path, testIds: ids }], runner)) check(task)
      if (runner.isOver) break
    }
    say({ end: id, status, by })
    return status
  }

  /** Makes the sources, and every module that imports one of them, load again. */
  reset(sources: ReadonlyArray<string>): void {
    const { idToModuleMap } = this["workerState"].evaluatedModules
    const found = new Set(
      [...idToModuleMap.values()].filter(({ file }) =>
        sources.includes(file.slice(job.root.length + 1))
      )
    )
    // A set yields what is added while it is read.
    for (const node of found) {
      for (const importer of node.importers) {
        const module = idToModuleMap.get(importer)
        if (module !== undefined) found.add(module)
      }
      Object.assign(node, { promise: undefined, exports: undefined, evaluated: false })
      node.importers.clear()
    }
  }
}
