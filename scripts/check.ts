/**
 * Checks the workspace without running it.
 *
 * `pnpm check` runs every step, `pnpm check lint types` the named ones. A step prints its output
 * only if it fails.
 */
import { spawn } from "node:child_process"
import { delimiter, relative, resolve } from "node:path"
import { find, root } from "./repository.ts"

interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly seconds: string
}

interface Step {
  readonly name: string
  readonly what: string
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly after?: string
  /** Returns the reason of a failure. Without it the exit code decides. */
  readonly read?: (outcome: Outcome) => string | undefined
}

interface Diagnostics {
  readonly diagnostics: ReadonlyArray<{
    readonly file: string
    readonly line: number
    readonly column: number
    readonly severity: string
    readonly name: string
    readonly message: string
  }>
  readonly files?: ReadonlyArray<{ readonly file: string }>
}

/**
 * Counts the checked files, because without its plugin in tsconfig.base.json the tool checks none
 * and succeeds.
 */
const effectDiagnostics = ({ code, stderr, stdout }: Outcome): string | undefined => {
  if (!stdout.startsWith("{")) return `${stdout}${stderr}no diagnostics were printed`
  const { diagnostics, files = [] } = JSON.parse(stdout) as Diagnostics
  const checked = new Set(files.map(({ file }) => relative(root, file)))
  const missed = find("{packages/*,examples,proof,test-support}/{src,test}/**/*.ts")
    .filter((file) => !checked.has(file))
    .map((file) => `${file} was not checked`)
  const found = diagnostics.map(
    ({ column, file, line, message, name, severity }) =>
      `${relative(root, file)}:${line}:${column} ${severity} ${name}: ${message}`
  )
  if (checked.size === 0) found.push("no file was checked")
  if (code !== 0 && found.length === 0) found.push(`exit code ${code}`, stderr)
  return [...found, ...missed].join("\n") || undefined
}

const script = (name: string, what: string, file = name): Step => ({
  name,
  what,
  command: [process.execPath, `scripts/${file}.ts`]
})

const steps: ReadonlyArray<Step> = [
  // An incremental build repeats old errors after a change of `lib` or `types`.
  { name: "types", what: "tsc -b", command: ["tsc", "-b", "--force", "--pretty", "false"] },
  {
    name: "format",
    what: "oxfmt (pnpm format repairs it)",
    command: ["oxfmt", "--list-different"]
  },
  { name: "lint", what: "oxlint, with types", command: ["oxlint", "--format", "unix"] },
  {
    name: "effect",
    what: "Effect diagnostics",
    command: [
      "effect-tsgo",
      "diagnostics",
      "--project=tsconfig.json",
      "--format=json",
      "--severity=error,warning",
      "--strict",
      "--list-files"
    ],
    read: effectDiagnostics
  },
  {
    name: "unused",
    what: "knip: files, exports, dependencies",
    command: ["knip", "--no-progress", "--no-config-hints"]
  },
  script("imports", "imports point down, never sideways"),
  script("prose", "every sentence names its subject"),
  script("silences", "each silence of the spec has a decision"),
  script("size", "no bundle exceeds its limit"),
  script("packages", "published packages and dependencies"),
  { ...script("npm", "publint and arethetypeswrong", "published"), after: "types" },
  script("names", "the list of public names"),
  script("examples", "the types of examples in docs"),
  script("deploy", "deploy/ by the schemas of its formats"),
  script("docs", "no dead link, no stale index")
]

const secondsSince = (start: number): string => ((performance.now() - start) / 1000).toFixed(1)

const run = ([command, ...args]: Step["command"]): Promise<Outcome> =>
  new Promise((resolveWith) => {
    const start = performance.now()
    const path = `${resolve(root, "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}`
    const child = spawn(command, args, { cwd: root, env: { ...process.env, PATH: path } })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk))
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk))
    const done = (code: number | null): void =>
      resolveWith({ code, stdout, stderr, seconds: secondsSince(start) })
    child.on("error", ({ message }) => {
      stderr += message
      done(null)
    })
    child.on("close", done)
  })

const byExitCode = ({ code, stderr, stdout }: Outcome): string | undefined =>
  code === 0 ? undefined : `${stdout}${stderr}`.trim() || `exit code ${code}`

const start = performance.now()
const wanted = process.argv.slice(2)
if (wanted.includes("--help")) {
  for (const { name, what } of steps) console.log(`${name.padEnd(9)}${what}`)
  process.exit()
}
const failed: Array<string> = wanted
  .filter((name) => !steps.some((step) => step.name === name))
  .map((name) => `${name} (there is no such step)`)

const running: Array<{ readonly step: Step; readonly outcome: Promise<Outcome> }> = []
for (const step of steps) {
  if (wanted.length > 0 && !wanted.includes(step.name)) continue
  const before = running.find((each) => each.step.name === step.after)?.outcome
  const outcome = before === undefined ? run(step.command) : before.then(() => run(step.command))
  running.push({ step, outcome })
}

console.error(`running ${running.map(({ step }) => step.name).join(", ")} …`)

for (const { outcome, step } of running) {
  const result = await outcome
  const wrong = (step.read ?? byExitCode)(result)
  const verdict = wrong === undefined ? "ok" : "FAILED"
  console.log(
    `${step.name.padEnd(9)}${step.what.padEnd(40)}${verdict.padEnd(8)}${result.seconds} s`
  )
  if (wrong === undefined) continue
  console.log(wrong.replaceAll(/^(?=.)/gm, "    "))
  failed.push(step.name)
}

const total = secondsSince(start)
console.log(
  failed.length === 0
    ? `check passed in ${total} s`
    : `check FAILED in ${total} s: ${failed.join(", ")}`
)
process.exitCode = failed.length === 0 ? 0 : 1
