import { execFile, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const file = fileURLToPath(new URL("../src/bin/pawl.ts", import.meta.url))

const run = (...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: unknown; readonly out: string; readonly err: string }>((done) => {
    execFile(process.execPath, [file, ...args], (error, out, err) =>
      done({ code: error?.code ?? 0, out, err })
    )
  })

/** Starts a command, and returns its first line and the process. */
const start = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly line: string; readonly stop: () => Promise<unknown> }>(
    (resolve, reject) => {
      const child = spawn(process.execPath, [file, ...args], { env: { ...process.env, ...env } })
      const ended = new Promise((done) => child.once("exit", (code) => done(code)))
      let out = ""
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        out += chunk
        const [line = ""] = /^.*\n/u.exec(out) ?? []
        const stop = () => (child.kill("SIGTERM"), ended)
        if (line !== "") resolve({ line: line.trim(), stop })
      })
      child.once("exit", (code) => reject(new Error(`ended with ${code}: ${out}`)))
    }
  )

/** The commands, in the order of the help. */
const names = [
  "sandbox",
  "trigger",
  "receiver",
  "explain",
  "replay",
  "export",
  "reconcile",
  "conform",
  "doctor",
  "mcp"
]

it("lists its commands, and says in one sentence what it does not know", async () => {
  const { code, out } = await run("--help")
  expect(code).toBe(0)
  for (const command of names) {
    expect(out).toMatch(new RegExp(`^  ${command} +\\S`, "mu"))
  }
  expect(await run("sandbox", "--tokn=hunter2")).toEqual({
    code: 1,
    out: "",
    err: expect.not.stringContaining("hunter2") as unknown
  })
})

it("prints its help without loading a command, in the words of the commands", async () => {
  const hooks = `import { registerHooks } from "node:module"
    registerHooks({ resolve: (name, context, next) => (console.error(name), next(name, context)) })`
  const { err, out } = await new Promise<{ readonly out: string; readonly err: string }>((done) => {
    const spy = `data:text/javascript,${encodeURIComponent(hooks)}`
    execFile(process.execPath, ["--import", spy, file, "--help"], (_error, out, err) =>
      done({ out, err })
    )
  })
  expect(err).toContain("effect/cli/Command")
  expect(err).not.toMatch(/bin\/\w+Command$/mu)
  const helps = await Promise.all(names.map((name) => run(name, "--help")))
  for (const [at, { out: help }] of helps.entries()) {
    const [, listed = ""] = new RegExp(`^  ${names[at]} +(.+?) *$`, "mu").exec(out) ?? []
    expect(help).toMatch(/^DESCRIPTION\n  \S/u)
    expect(help.slice("DESCRIPTION\n  ".length).startsWith(listed)).toBe(true)
  }
  expect(helps[2]?.out).toMatch(
    /Required: PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET and PAWL_BASE_URL/u
  )
})

it("prints a completion script with the commands", async () => {
  const { code, out } = await run("--completions", "bash")
  expect(code).toBe(0)
  expect(out).toContain("conform")
})

it("sandbox, receiver and trigger work together, and SIGTERM ends them with 0", async () => {
  const sandbox = await start({}, "sandbox", "--port", "0", "--pace", "10ms")
  const [, baseUrl = ""] = sandbox.line.split(" ")
  const receiver = await start(
    {
      PAWL_BASE_URL: baseUrl,
      PAWL_MERCHANT_KEY: "sandbox-key",
      PAWL_MERCHANT_SECRET: "sandbox-secret"
    },
    "receiver",
    "--port",
    "0"
  )
  const [, callbackUrl = ""] = receiver.line.split(" ")
  const triggered = await run(
    "trigger",
    "succeed",
    "--base-url",
    baseUrl,
    "--callback-url",
    callbackUrl
  )
  expect(triggered).toMatchObject({ code: 0, out: expect.stringContaining("SUCCEED") as unknown })
  expect(await receiver.stop()).toBe(0)
  expect(await sandbox.stop()).toBe(0)
})
