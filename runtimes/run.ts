/**
 * Runs the checks in other runtimes, from bundles without built-in modules: `pnpm runtimes [--kills
 * N] [node22 node24 node26 bun deno workerd chromium]`. One bundle has core's checks, the other
 * those of the client and the receiver, which call a service on this machine. A page may not call
 * it, so Chromium runs core's only. workerd also checks the store of a Durable Object: its laws,
 * and a run that kills workerd `--kills` times (20).
 *
 * A runtime that is not installed is skipped with a reason. The exit code is 1 when a check fails,
 * or when no runtime is installed.
 */
import { build } from "esbuild"
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import * as DurableKills from "./durableKills.ts"
import type { Report } from "./entry.ts"
import { startService } from "./service.ts"

interface Runtime {
  readonly name: string
  readonly program: string
  /** The arguments of the program, which runs in the directory of `prepare`. */
  readonly args: ReadonlyArray<string>
  readonly clientArgs?: (service: string) => ReadonlyArray<string>
}

const installed = (path: string): string => join(import.meta.dirname, "node_modules", path)

const runtimes: ReadonlyArray<Runtime> = [
  ...["node22", "node24", "node26"].map((name) => ({
    name,
    program: installed(`${name}/bin/node`),
    args: ["bundle.mjs"],
    clientArgs: (service: string) => ["client.mjs", service]
  })),
  {
    name: "bun",
    program: installed(".bin/bun"),
    args: ["run", "bundle.mjs"],
    clientArgs: (service) => ["run", "client.mjs", service]
  },
  {
    name: "deno",
    program: installed(".bin/deno"),
    args: ["run", "bundle.mjs"],
    clientArgs: (service) => ["run", "--allow-net=127.0.0.1", "client.mjs", service]
  },
  {
    name: "workerd",
    program: installed(".bin/workerd"),
    args: ["test", "workerd.capnp"],
    clientArgs: () => ["test", "client.capnp"]
  },
  {
    // Not on npm. `chromium` is the name of the Debian package.
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

/**
 * The checks of the client may call services on this machine, and send requests to their own
 * worker.
 */
const clientConfig = (service: string) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "main", worker = (
    modules = [(name = "main", esModule = embed "client.mjs")], compatibilityDate = "2026-11-01",
    bindings = [(name = "service", text = "${service}"), (name = "self", service = "main")]
  )),
  (name = "internet", network = (allow = ["private", "local"]))
]);
`

const prepare = async (directory: string, service: string): Promise<void> => {
  for (const [entry, bundle] of [
    ["entry.ts", "bundle.mjs"],
    ["client.ts", "client.mjs"],
    ["durableObject.ts", "durable.mjs"]
  ] as const) {
    await build({
      entryPoints: [join(import.meta.dirname, entry)],
      outfile: join(directory, bundle),
      bundle: true,
      format: "esm",
      platform: "neutral"
    })
  }
  await writeFile(join(directory, "client.capnp"), clientConfig(service))
  const bundle = await readFile(join(directory, "bundle.mjs"), "utf8")
  await writeFile(join(directory, "workerd.capnp"), config)
  await writeFile(
    join(directory, "page.html"),
    `<script>console.log = (line) => { document.documentElement.textContent = line }</script>
<script type="module">${bundle.replaceAll("</script", String.raw`<\/script`)}</script>`
  )
}

const output = async (program: string, args: ReadonlyArray<string>, cwd: string) =>
  (await promisify(execFile)(program, args, { cwd, timeout: 180_000 })).stdout

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 2).join(": ")

interface Outcome {
  readonly name: string
  readonly verdict: "passed" | "failed" | "skipped"
  readonly report?: Report
}

type Print = (version: string, text: string) => void

const runBundle = async (
  { name, program }: Runtime,
  args: ReadonlyArray<string>,
  directory: string,
  print: (text: string) => void
): Promise<Report | undefined> => {
  const start = performance.now()
  const text = await output(program, args, directory).catch(String)
  const took = `${Math.round(performance.now() - start)} ms`
  const line = /report:([^\s<]+)/.exec(text)?.[1]
  if (line === undefined) {
    print(`${name} FAILED without a report, ${took}\n${text}`)
    return undefined
  }
  const report = JSON.parse(decodeURIComponent(line)) as Report
  const { failed, passed } = report
  print(`${passed} checks passed, ${failed.length === 0 ? "" : `${failed.length} FAILED, `}${took}`)
  for (const each of failed) console.log(`  ${each}`)
  return report
}

const checkDurable = async (
  runtime: Runtime,
  directory: string,
  print: (text: string) => void
): Promise<boolean> => {
  await DurableKills.prepare(directory)
  const laws = await runBundle(runtime, ["test", "durable.capnp"], directory, (text) =>
    print(`laws of a store in a Durable Object: ${text}`)
  )
  const { answered, lost, wrong } = await DurableKills.run(runtime.program, directory, kills)
  print(
    `Durable Object: ${kills} kills, ${answered} callbacks answered 200, ${lost} lost, ${wrong} told wrongly`
  )
  return laws?.failed.length === 0 && answered > 0 && lost + wrong === 0
}

const run = async (runtime: Runtime, directory: string, service: string): Promise<Outcome> => {
  const { args, clientArgs, name, program } = runtime
  const print: Print = (version, text) =>
    console.log(`${name.padEnd(10)}${version.padEnd(16)}${text}`)
  const versions = await output(program, ["--version"], directory).catch((error: unknown) => {
    print("", `skipped: ${reasonOf(error)}`)
  })
  if (versions === undefined) return { name, verdict: "skipped" }
  const version = /\d[\d.-]*/.exec(versions)?.[0] ?? "?"
  const core = await runBundle(runtime, args, directory, (text) => print(version, `core: ${text}`))
  const client =
    clientArgs &&
    (await runBundle(runtime, clientArgs(service), directory, (text) =>
      print(version, `client and receiver: ${text}`)
    ))
  const hasPassed = (report: Report | undefined) => report?.failed.length === 0
  const isDurable =
    name !== "workerd" || (await checkDurable(runtime, directory, (text) => print(version, text)))
  const verdict =
    hasPassed(core) && (clientArgs === undefined || hasPassed(client)) && isDurable
      ? "passed"
      : "failed"
  return { name, verdict, ...(core === undefined ? {} : { report: core }) }
}

const { positionals: selected, values } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: "string", default: "20" } }
})
const kills = Number(values.kills)
const unknown = selected.filter((name) => !runtimes.some((runtime) => runtime.name === name))
if (unknown.length > 0) {
  const names = runtimes.map(({ name }) => name).join(", ")
  console.error(`Unknown runtime ${unknown.join(", ")}. Known: ${names}`)
  process.exit(1)
}

const directory = await mkdtemp(join(tmpdir(), "pawl-runtimes-"))
const service = await startService()
try {
  await prepare(directory, service.url)
  const outcomes: Array<Outcome> = []
  for (const runtime of runtimes) {
    if (selected.length === 0 || selected.includes(runtime.name))
      outcomes.push(await run(runtime, directory, service.url))
  }
  const runtimesWhere = (holds: (report: Report) => boolean): string =>
    outcomes.flatMap(({ name, report }) => (report && holds(report) ? [name] : [])).join(", ") ||
    "no runtime"
  console.log(`JSON lacks source text access: ${runtimesWhere(({ hasSource }) => !hasSource)}`)
  console.log(`JSON lacks rawJSON: ${runtimesWhere(({ hasRawJson }) => !hasRawJson)}`)
  console.log(
    `JSON.parse misreads escaped keys (a bug of V8): ${runtimesWhere((it) => it.misreadsKeys)}`
  )
  const failed = outcomes.some(({ verdict }) => verdict === "failed")
  const ran = outcomes.some(({ verdict }) => verdict !== "skipped")
  process.exitCode = ran && !failed ? 0 : 1
} finally {
  service.close()
  await rm(directory, { recursive: true, force: true })
}
