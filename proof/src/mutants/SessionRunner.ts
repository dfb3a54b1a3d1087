/**
 * Runs tests once for every mutant, inside one worker of Vitest. A time-out ends the session,
 * because its fibers may still run.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { type RunnerTask, type RunnerTestFile, TestRunner } from "vitest"
import { startTests } from "vitest/internal/browser"
import { question } from "./Instrument.ts"
import { type Coverage, type CoveredFile, candidatesOf, type Job } from "./Job.ts"

const jobPath = process.env["PAWL_MUTANTS"] ?? ""

const limitOf = (milliseconds: number): number => 5000 + 10 * milliseconds

const switches = {
  active: -1,
  hits: 0,
  maxHits: 0,
  current: 0,
  noted: new Uint32Array(0),
  counts: new Float64Array(0),
  reached: [] as Array<number>
}

const isOn = (id: number): boolean => {
  if (id !== switches.active) return false
  if (++switches.hits > switches.maxHits) throw new Error("the mutant loops")
  return true
}

const note = (id: number): boolean => {
  switches.counts[id]!++
  if (switches.noted[id] !== switches.current) {
    switches.noted[id] = switches.current
    switches.reached.push(id)
  }
  return false
}

const nextNotes = (): ReadonlyArray<number> => {
  const { reached } = switches
  switches.reached = []
  switches.current++
  return reached
}

const ask: { question: (id: number) => boolean } = { question: note }
Object.assign(globalThis, { [question]: (id: number) => ask.question(id) })

class InnerRunner extends TestRunner {
  failure: string | undefined
  isTimeout = false
  onCollected?: () => void
  onBegin?: (id: string) => void
  readonly after: (test: RunnerTask) => void

  constructor(outer: SessionRunner, testTimeout: number, after: (test: RunnerTask) => void) {
    super({ ...outer.config, testTimeout, hookTimeout: testTimeout })
    Object.assign(this, {
      moduleRunner: outer["moduleRunner"],
      _otel: Reflect.get(outer, "_otel")
    })
    this.after = after
  }

  fail(name: string, message = ""): void {
    this.failure ??= name
    if (/timed out/u.test(message)) this.isTimeout = true
  }

  override async onBeforeRunSuite(suite: Parameters<TestRunner["onBeforeRunSuite"]>[0]) {
    this.onBegin?.(suite.id)
    // The hooks of a suite may take longer than its tests.
    if (this.failure !== undefined) suite.mode = "skip"
    await super.onBeforeRunSuite(suite)
  }

  override async onBeforeRunTask(test: Parameters<TestRunner["onBeforeRunTask"]>[0]) {
    this.onBegin?.(test.suite?.id ?? test.file.id)
    if (this.failure !== undefined) test.mode = "skip"
    await super.onBeforeRunTask(test)
  }

  override onAfterRunTask(test: Parameters<TestRunner["onAfterRunTask"]>[0]) {
    super.onAfterRunTask(test)
    this.after(test)
  }
}

export default class SessionRunner extends TestRunner {
  async onBeforeRunFiles() {
    const job = JSON.parse(readFileSync(jobPath, "utf8")) as Job
    await new Session(this, job).run()
  }
}

class Session {
  readonly outer: SessionRunner
  readonly job: Job

  constructor(outer: SessionRunner, job: Job) {
    this.outer = outer
    this.job = job
  }

  say(line: object): void {
    appendFileSync(this.job.results, `${JSON.stringify(line)}\n`)
  }

  async run(): Promise<void> {
    const coverage = existsSync(this.job.coverage)
      ? (JSON.parse(readFileSync(this.job.coverage, "utf8")) as Coverage)
      : await this.cover()
    ask.question = isOn
    for (const id of this.job.ids) {
      if (Date.now() > this.job.until) return
      const candidates = candidatesOf(coverage, this.job, id)
      const expected = candidates.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
      this.say({ begin: id, limit: 10_000 + 4 * expected })
      const start = performance.now()
      const outcome = await this.tryOn(id, candidates, coverage.hits[id] ?? 0)
      this.say({ end: id, milliseconds: Math.round(performance.now() - start), ...outcome })
      if (outcome.status === "timed out") return
    }
  }

  async cover(): Promise<Coverage> {
    switches.noted = new Uint32Array(this.job.files.length)
    switches.counts = new Float64Array(this.job.files.length)
    const files: Array<CoveredFile> = []
    for (const path of this.job.tests) {
      const file: CoveredFile = { path, loads: [], hooks: [], tests: [], failed: [] }
      let [suite, since] = ["", performance.now()]
      const reach = (id: string) => {
        const milliseconds = Math.round(performance.now() - since)
        since = performance.now()
        return { id, milliseconds, ids: nextNotes() }
      }
      nextNotes()
      const runner = new InnerRunner(this.outer, 120_000, (test) => {
        const reached = reach(test.id)
        if (test.result?.state === "pass") file.tests.push(reached)
        else if (test.result?.state === "fail") file.failed.push(nameOf(test))
      })
      runner.onCollected = () => {
        file.loads.push(...reach("").ids)
      }
      runner.onBegin = (id) => {
        // This is the work of the hooks of the last suite.
        const hooks = reach(suite)
        if (suite !== "" && hooks.milliseconds > 0) file.hooks.push(hooks)
        suite = id
      }
      const [task] = await startTests([{ filepath: path }], runner)
      if (task?.result?.state === "fail" && file.failed.length === 0) file.failed.push("the file")
      files.push(file)
      this.say({ covered: path, tests: file.tests.length, failed: file.failed })
      this.reset(new Set(this.job.sources))
    }
    const coverage = { files, hits: [...switches.counts] }
    writeFileSync(this.job.coverage, JSON.stringify(coverage))
    return coverage
  }

  async tryOn(
    id: number,
    candidates: ReturnType<typeof candidatesOf>,
    hits: number
  ): Promise<{ readonly status: string; readonly by?: string; readonly tests?: number }> {
    if (candidates.length === 0) return { status: "not covered" }
    Object.assign(switches, { active: id, hits: 0, maxHits: 100_000 + 10 * hits })
    let tests = 0
    for (const { ids, milliseconds, path } of candidates) {
      this.reset(new Set([this.job.files[id] ?? ""]))
      const runner = new InnerRunner(this.outer, limitOf(milliseconds), (test) => {
        tests++
        if (test.result?.state === "fail") {
          runner.fail(nameOf(test), test.result.errors?.map(({ message }) => message).join())
        }
      })
      const spec = { filepath: path, testIds: [...ids] }
      const [task] = await startTests([spec], runner)
      if (task?.result?.state === "fail") {
        runner.fail(nameOf(task), task.result.errors?.map(({ message }) => message).join())
      }
      if (runner.failure !== undefined) {
        const status = runner.isTimeout ? "timed out" : "killed"
        return { status, by: `${path.slice(this.job.root.length + 1)}: ${runner.failure}`, tests }
      }
    }
    return { status: "survived", tests }
  }

  reset(sources: ReadonlySet<string>): void {
    const { idToModuleMap } = this.outer["workerState"].evaluatedModules
    const waiting = [...idToModuleMap.values()].filter(({ file }) =>
      sources.has(file.slice(this.job.root.length + 1))
    )
    const found = new Set(waiting)
    for (const node of waiting) {
      for (const importer of node.importers) {
        const module = idToModuleMap.get(importer)
        if (module === undefined || found.has(module)) continue
        found.add(module)
        waiting.push(module)
      }
    }
    for (const node of found) {
      Object.assign(node, { promise: undefined, exports: undefined, evaluated: false })
      node.importers.clear()
    }
  }
}

const nameOf = (task: RunnerTask | RunnerTestFile): string => {
  const names: Array<string> = []
  for (
    let each: RunnerTask | undefined = task;
    each !== undefined && each !== task.file;
    each = each.suite
  ) {
    names.unshift(each.name)
  }
  return names.join(" > ")
}
