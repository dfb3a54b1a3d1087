import { start } from "@pawl/test-support/Program"
import { live } from "@pawl/test-support/Tests"
import { Faults } from "@pawl/testkit/Faults"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { globSync } from "node:fs"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { freePort, nodeAheadBy, sandboxed, settings, temporary } from "./processes.ts"

const root = new URL("../../", import.meta.url)
const program = new URL("examples/src/pay.ts", root)

const startIn = (
  directory: string,
  words: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
) => start("sh", ["-c", 'cd "$0" && exec "$@"', directory, ...words], env)

/** A file from which `pawl` can be imported. */
const plain = Effect.gen(function* () {
  const readme = yield* Effect.promise(() => readFile(new URL("README.md", root), "utf8"))
  const [, code = ""] = /```js\n(.+?)```/su.exec(readme) ?? []
  const port = yield* freePort
  const path = new URL(`examples/node_modules/.cache/readme-${port}.mjs`, root)
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      await mkdir(new URL(".", path), { recursive: true })
      await writeFile(path, code.replace("port: 3000", `port: ${port}`))
    }),
    () => Effect.promise(() => rm(path))
  )
  return { code, path: path.pathname, port }
})

it("has the tested program, of at most ten lines beside an empty one", async () => {
  const source = await readFile(program, "utf8")
  for (const page of ["README.md", "docs/guides/quick-start-effect.md"]) {
    const text = await readFile(new URL(page, root), "utf8")
    expect(text).toContain(`\`\`\`ts\n${source}\`\`\``)
  }
  expect(source.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(10)
})

it("shows in docs/effect.md only lines of the files that the page links", async () => {
  const page = await readFile(new URL("docs/effect.md", root), "utf8")
  const paths = Array.from(page.matchAll(/\(\.\.\/(examples\/\S+?)\)/gu), ([, path = ""]) => path)
  const files = await Promise.all(paths.map((path) => readFile(new URL(path, root), "utf8")))
  const flat = (text: string) => text.replaceAll(/^ +/gmu, "").trim()
  const blocks = Array.from(page.matchAll(/```typescript\n(.+?)```/gsu), ([, block = ""]) => block)
  expect(blocks.length).toBeGreaterThan(3)
  // A line `// …` stands for lines that a block leaves out.
  for (const part of blocks.flatMap((block) => block.split(/^ *\/\/ …$/mu))) {
    expect(files.map(flat).filter((file) => file.includes(flat(part)))).not.toEqual([])
  }
})

/** Starts a program that pays, and kills it after the service made the payment, before it has the response. */
const killed = Effect.fnUntraced(function* (pay: ReturnType<typeof start>) {
  const { transactions } = yield* Gateway
  const { add, clear } = yield* Faults
  // Late by 5 seconds.
  yield* add({ endpoint: "POST /v1/payments/apm", fault: "delay" })
  const { child, exited, stdout } = yield* pay
  const [paid] = yield* Effect.repeat(transactions, {
    until: ({ length }) => length === 1,
    schedule: Schedule.spaced("10 millis")
  })
  child.kill("SIGKILL")
  expect((yield* exited).signal).toBe("SIGKILL")
  expect(stdout()).toBe("")
  yield* clear
  return paid?.transactionId
})

live("has a program in plain JavaScript of ten lines, which is the quick start", function* () {
  const { code } = yield* plain
  const guide = yield* Effect.promise(() =>
    readFile(new URL("docs/guides/quick-start.md", root), "utf8")
  )
  expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(10)
  expect(guide).toContain(code)
})

sandboxed(
  "C03 in plain JavaScript makes its payment once when it is killed before the response, and tells its end",
  function* () {
    const { transactions } = yield* Gateway
    const directory = yield* temporary
    const { path, port } = yield* plain
    const env = { ...(yield* settings), PAWL_PUBLIC_URL: `http://127.0.0.1:${port}` }
    const pay = (ahead: number) => startIn(directory, [...nodeAheadBy(ahead), path], env)
    yield* killed(pay(0))
    // The lease of the killed process ends after 30 seconds.
    const restarted = yield* pay(31_000)
    yield* restarted.line(/^order-17 is \w+$/mu)
    yield* Effect.repeat(transactions, {
      until: ([paid]) => paid?.status === "SUCCEED",
      schedule: Schedule.spaced("10 millis")
    })
    restarted.child.kill("SIGKILL")
    yield* restarted.exited
    // A callback that came while no process ran is replaced by the first read, 5 minutes later.
    if (!restarted.stdout().includes("SUCCEED")) {
      yield* (yield* pay(600_000)).line(/^order-17 is SUCCEED$/mu)
    }
    expect(yield* transactions).toHaveLength(1)
  }
)

sandboxed(
  "C03 makes its payment once when it is killed before the response, and says so",
  function* () {
    const { transactions } = yield* Gateway
    const { add } = yield* Faults
    const directory = yield* temporary
    const env = { ...(yield* settings), PAWL_STORE: "sqlite:orders.db" }
    const pay = (ahead: number) =>
      startIn(directory, [...nodeAheadBy(ahead), program.pathname], env)
    const id = yield* killed(pay(0))
    const restarted = yield* pay(31_000)
    yield* restarted.line(new RegExp(`transactionId: '${id}'`, "u"))
    restarted.child.kill("SIGTERM")
    yield* restarted.exited
    expect(yield* transactions).toHaveLength(1)

    // The outcome is in the database: a service that does not work is not asked.
    yield* add({ endpoint: "POST /v1/payments/apm", fault: "500" })
    const again = yield* pay(31_000)
    yield* again.line(new RegExp(`transactionId: '${id}'`, "u"))
    again.child.kill("SIGTERM")
    yield* again.exited
  }
)

const quickStart = Effect.fnUntraced(function* (path: string, port: string) {
  const command = new URL("packages/sandbox/src/bin/pawl-sandbox.ts", root).pathname
  const sandbox = [process.execPath, command, "--port", "0", "--pace", "10ms"]
  const words = [...sandbox, "--", process.execPath, path]
  const program = yield* startIn(yield* temporary, words, { PORT: port })
  const origin = yield* program.line(/^ready (\S+)\/api$/mu)
  // A machine under load may answer a callback with 503: the service repeats it 2 minutes later.
  const advance = Effect.promise(() =>
    fetch(`${origin}/sandbox/clock`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ advance: "2 minutes" })
    })
  )
  yield* Effect.raceFirst(
    program.line(/(?: is|\):) SUCCEED/u),
    Effect.forever(Effect.delay(advance, "5 seconds"))
  )
  const statuses = Array.from(
    program.stdout().matchAll(/(?: is|\):) ([A-Z]{3,})/gu),
    ([, status]) => status
  )
  // A later status replaces one whose handler was not called yet.
  const moves = ["NEW", "PENDING", "PROCESSING", "SUCCEED"]
  expect(statuses).toEqual(moves.filter((status) => statuses.includes(status)))
  program.child.kill("SIGTERM")
  yield* program.exited
})

live("pays with one command, which starts the service too", function* () {
  const { path, port } = yield* plain
  yield* quickStart(path, port)
  yield* quickStart(program.pathname, yield* freePort)
})

it("lists every example in the table of the README", async () => {
  const table = await readFile(new URL("examples/README.md", root), "utf8")
  const cwd = new URL("examples", root).pathname
  const files = globSync("{src,python}/*.{ts,py}", { cwd })
  expect(files.length).toBeGreaterThan(10)
  for (const file of files) expect(table).toContain(`](${file})`)
})
