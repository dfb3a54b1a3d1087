/**
 * Runs core's checks in other runtimes, from one bundle that needs no built-in of any of them:
 * `pnpm runtimes [node22 node24 node26 bun deno workerd chromium]`.
 *
 * A runtime that cannot be had on this machine is skipped, and its line says why. The exit code is 1
 * if a check failed in any runtime, or if there was none to run in.
 */
import { build } from "esbuild"
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Report } from "./entry.ts"

interface Runtime {
  readonly name: string
  readonly program: string
  /** Runs what `prepare` wrote, from the folder it is in. */
  readonly args: ReadonlyArray<string>
}

const installed = (path: string): string => join(import.meta.dirname, "node_modules", path)

const runtimes: ReadonlyArray<Runtime> = [
  { name: "node22", program: installed("node22/bin/node"), args: ["bundle.mjs"] },
  { name: "node24", program: installed("node24/bin/node"), args: ["bundle.mjs"] },
  { name: "node26", program: installed("node26/bin/node"), args: ["bundle.mjs"] },
  { name: "bun", program: installed(".bin/bun"), args: ["run", "bundle.mjs"] },
  { name: "deno", program: installed(".bin/deno"), args: ["run", "bundle.mjs"] },
  { name: "workerd", program: installed(".bin/workerd"), args: ["test", "workerd.capnp"] },
  {
    // The one that is not on npm; Debian's package is called so.
    name: "chromium",
    program: "chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--user-data-dir=profile",
      "--dump-dom",
      "page.html"
    ]
  }
]

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "main", esModule = embed "bundle.mjs")], compatibilityDate = "2026-11-01"
))]);
`

/** Writes the bundle, and what workerd and a browser need around it. */
const prepare = async (place: string): Promise<void> => {
  await build({
    entryPoints: [join(import.meta.dirname, "entry.ts")],
    outfile: join(place, "bundle.mjs"),
    bundle: true,
    format: "esm",
    platform: "neutral"
  })
  const bundle = await readFile(join(place, "bundle.mjs"), "utf8")
  await writeFile(join(place, "workerd.capnp"), config)
  await writeFile(
    join(place, "page.html"),
    `<script>console.log = (line) => { document.documentElement.textContent = line }</script>
<script type="module">${bundle.replaceAll("</script", String.raw`<\/script`)}</script>`
  )
}

const output = async (program: string, args: ReadonlyArray<string>, cwd: string) =>
  (await promisify(execFile)(program, args, { cwd, timeout: 60_000 })).stdout

/** What was run, and the first line of what it had to say. */
const why = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 2).join(": ")

interface Outcome {
  readonly name: string
  readonly verdict: "passed" | "failed" | "skipped"
  readonly report?: Report
}

/** Runs the checks in one runtime, and prints its line. */
const run = async ({ args, name, program }: Runtime, place: string): Promise<Outcome> => {
  const say = (version: string, words: string): void =>
    console.log(`${name.padEnd(10)}${version.padEnd(16)}${words}`)
  const versions = await output(program, ["--version"], place).catch((error: unknown) => {
    say("", `skipped: ${why(error)}`)
  })
  if (versions === undefined) return { name, verdict: "skipped" }
  const version = /\d[\d.-]*/.exec(versions)?.[0] ?? "?"
  const start = performance.now()
  const text = await output(program, args, place).catch(String)
  const took = `${Math.round(performance.now() - start)} ms`
  const line = /report:([^\s<]+)/.exec(text)?.[1]
  if (line === undefined) {
    say(version, `FAILED without a report, ${took}\n${text}`)
    return { name, verdict: "failed" }
  }
  const report = JSON.parse(decodeURIComponent(line)) as Report
  const { failed, passed } = report
  say(
    version,
    `${passed} checks passed, ${failed.length === 0 ? "" : `${failed.length} FAILED, `}${took}`
  )
  for (const each of failed) console.log(`  ${each}`)
  return { name, verdict: failed.length === 0 ? "passed" : "failed", report }
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !runtimes.some((runtime) => runtime.name === name))
if (unknown.length > 0) {
  const names = runtimes.map(({ name }) => name).join(", ")
  console.error(`there is no runtime ${unknown.join(", ")}, only ${names}`)
  process.exit(1)
}

const place = await mkdtemp(join(tmpdir(), "pawl-runtimes-"))
try {
  await prepare(place)
  const outcomes: Array<Outcome> = []
  for (const runtime of runtimes) {
    if (wanted.length === 0 || wanted.includes(runtime.name))
      outcomes.push(await run(runtime, place))
  }
  const where = (holds: (report: Report) => boolean): string =>
    outcomes.flatMap(({ name, report }) => (report && holds(report) ? [name] : [])).join(", ") ||
    "nowhere"
  console.log(`JSON lacks source text access: ${where(({ hasSource }) => !hasSource)}`)
  console.log(`JSON lacks rawJSON: ${where(({ hasRawJson }) => !hasRawJson)}`)
  console.log(`JSON.parse misreads escaped keys (a bug of V8): ${where((it) => it.misreadsKeys)}`)
  const failed = outcomes.some(({ verdict }) => verdict === "failed")
  const ran = outcomes.some(({ verdict }) => verdict !== "skipped")
  process.exitCode = ran && !failed ? 0 : 1
} finally {
  await rm(place, { recursive: true, force: true })
}
