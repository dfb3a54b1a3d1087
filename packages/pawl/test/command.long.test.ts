import { makeFolder } from "@pawl/test-support/Folder"
import { bundleOf, run as runProgram } from "@pawl/test-support/Program"
import { startInTest } from "@pawl/test-support/ProgramTests"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync
} from "node:fs"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import { Ledger } from "@pawl/webhook/Ledger"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const file = fileURLToPath(new URL("../src/bin/pawl.ts", import.meta.url))
const program = bundleOf(file)

const runIn = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await Effect.runPromise(
    runProgram(process.execPath, [file, ...args], env)
  )
  return { code, out: stdout, err: stderr }
}

const run = (...args: ReadonlyArray<string>) => runIn({}, ...args)

const directory = makeFolder()

/** Starts a command. Returns its first line, and how to wait for a later one and to stop it. */
const start = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const { child, ended, line } = startInTest(process.execPath, [file, ...args], env)
  const stop = () => (child.kill("SIGTERM"), ended)
  return { line: await line(/^(.+)\n/u), says: line, stop }
}

const register = (filename: string, ids: ReadonlyArray<string>) =>
  Ledger.use((ledger) =>
    Effect.forEach(ids, (id) => ledger.register({ kind: "card-payment", transactionId: id }, 0))
  ).pipe(Effect.provide(NodeSqlite.layerLedger({ filename })), Effect.runPromise)

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
  const unknown = 'Unknown subcommand "help" for "pawl". --help lists the subcommands\n'
  expect(await run("help")).toEqual({ code: 1, out: "", err: unknown })
  expect((await run("explian")).err).toMatch(/^Unknown [^\n]*Did you mean this\? explain\n$/u)
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
  for (const [at, { out: help }] of helps.entries()) {
    expect(help).toMatch(new RegExp(`^EXAMPLES\\n  # \\S.*\\n  pawl ${names[at]} -?\\S`, "mu"))
  }
  for (const words of ["-- node shop.mjs", "--port 4010 --file sandbox.db"]) {
    expect(helps[0]?.out).toContain(`\n  pawl sandbox ${words}\n`)
  }
  for (const words of ["--store sqlite:callbacks.db --admin-port 4021 ", "--forward http:"]) {
    expect(helps[2]?.out).toContain(`\n  pawl receiver ${words}`)
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

it("sandbox, receiver and trigger work together, and their transaction is explained, replayed, exported and reconciled", async () => {
  const sandbox = await start({}, "sandbox", "--port", "0", "--pace", "10ms")
  const [, baseUrl = ""] = sandbox.line.split(" ")
  const env = {
    PAWL_STORE: `sqlite:${join(directory, "ledger.db")}`,
    PAWL_BASE_URL: baseUrl,
    PAWL_MERCHANT_KEY: "sandbox-key",
    PAWL_MERCHANT_SECRET: "sandbox-secret"
  }
  const receiver = await start(env, "receiver", "--port", "0")
  const [, callbackUrl = ""] = receiver.line.split(" ")
  const urls = ["--base-url", baseUrl, "--callback-url", callbackUrl]
  const triggered = await run("trigger", "succeed", ...urls)
  expect(triggered).toMatchObject({ code: 0, out: expect.stringContaining("SUCCEED") as unknown })
  await receiver.says(/"to":"SUCCEED"/u)
  expect(await receiver.stop()).toBe(0)

  const books = join(directory, "books-of-another")
  const reconcileOf = (other: Readonly<Record<string, string>>) =>
    runIn({ ...env, ...other }, "reconcile", "--day", "2026-11-21", "--out", books)
  const refused = (reason: string) => ({
    code: 1,
    out: "",
    err: expect.stringMatching(`^The store belongs to ${reason}.*\n$`) as unknown
  })
  expect(await reconcileOf({ PAWL_MERCHANT_KEY: "other" })).toEqual(refused("another merchant key"))
  expect(await reconcileOf({ PAWL_BASE_URL: "http://127.0.0.1:1/api" })).toEqual(
    refused("the service at")
  )
  expect(existsSync(books)).toBe(false)
  const [id = ""] = triggered.out.split(" ")
  const [explained, replayed, exported, unknown] = await Promise.all([
    runIn(env, "explain", "card-payment", id),
    runIn(env, "replay", "card-payment", id),
    runIn(env, "export", "card-payment", id),
    runIn(env, "explain", "refund", id)
  ])
  expect(explained).toMatchObject({ code: 0, err: "" })
  expect(explained.out).toMatch(/^\d{4}-\S+Z {2}A callback claimed SUCCEED\.$/mu)
  expect(explained.out).toMatch(/^\d{4}-\S+Z {2}The service reported SUCCEED/mu)
  expect(explained.out).toMatch(/^Now: SUCCEED, confirmed by the service\./mu)
  expect(replayed).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^\d {2}SUCCEED {2}1 call, accepted$[^]*makes the same calls\.$/mu
    ) as unknown
  })
  expect(exported.out).toMatch(
    /^pawl trigger steps:NEW,PENDING,PROCESSING,SUCCEED --kind card-payment --amount 10.00 --currency EUR /u
  )
  expect(unknown).toMatchObject({ code: 1, out: "" })

  const day = new Date().toISOString().slice(0, 10)
  const reconciled = await runIn(env, "reconcile", "--day", day, "--out", directory)
  expect(reconciled).toMatchObject({ code: 0, err: "" })
  expect(reconciled.out).toMatch(/^1 transaction of \S+ compared, 0 differ: /u)
  const journal = readFileSync(join(directory, `pawl-${day}.journal`), "utf8")
  expect(journal).toContain("    assets:payments service  10.00 EUR\n")
  const unheard = await run("trigger", "succeed", "--base-url", baseUrl)
  await register(join(directory, "ledger.db"), [unheard.out.split(" ")[0] ?? ""])
  const unbooked = await runIn(env, "reconcile", "--day", "1970-01-01", "--out", directory)
  expect(unbooked.out).toMatch(
    /^Not booked there, .+ is not known: 1 transaction, each in a comment\.$/mu
  )
  // A run after a finished one reads the day again.
  const moved = await fetch(baseUrl.replace("/api", `/sandbox/transactions/${id}/status`), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"status":"CHARGEBACK"}'
  })
  expect(moved.status).toBe(200)
  const next = await runIn(env, "reconcile", "--day", day, "--out", directory)
  expect([next.code, next.out]).toEqual([
    1,
    expect.stringMatching(/^1 transaction of \S+ compared, 1 differ: /u)
  ])

  const asked = Promise.withResolvers<void>()
  const silent = createServer(() => asked.resolve()).listen(0, "127.0.0.1")
  await once(silent, "listening")
  const { port } = silent.address() as AddressInfo
  const silentUrl = `http://127.0.0.1:${port}/api`
  expect(await runIn(env, "receiver", "rename", baseUrl, silentUrl)).toMatchObject({ code: 0 })
  const out = join(directory, "interrupted")
  const args = [file, "reconcile", "--day", day, "--out", out]
  const interrupted = startInTest(process.execPath, args, { ...env, PAWL_BASE_URL: silentUrl })
  await asked.promise
  interrupted.child.kill("SIGINT")
  expect(await interrupted.ended).toBe(130)
  expect(interrupted.stderr()).toBe(
    `Interrupted: 0 of 1 transactions of ${day} are compared; run the command again to compare the others.\n`
  )
  silent.closeAllConnections()
  silent.close()

  const again = (exported.out.trim().split(" --callback-url")[0] ?? "").split(" ").slice(1)
  const repeated = await run(...again, "--base-url", baseUrl)
  expect(repeated).toMatchObject({ code: 0, out: expect.stringContaining("SUCCEED") as unknown })
  expect(await sandbox.stop()).toBe(0)
})

/** The commands that work on a store that exists. */
const readersOf = (folder: string, file: string) => {
  const store = ["--store", `sqlite:${file}`]
  return Promise.all([
    run("explain", "card-payment", "1", ...store),
    run("replay", "card-payment", "1", ...store),
    run("export", "card-payment", "1", ...store),
    run("erase", "card-payment", "1", "--compact", ...store),
    run("receiver", "rename", "https://a.example/api", "https://b.example/api", ...store),
    run("reconcile", "--day", "2026-11-21", "--out", folder, ...store)
  ])
}

it("commands that read a store refuse a file that does not exist, and make none", async () => {
  const folder = join(directory, "empty")
  mkdirSync(folder)
  const missing = join(folder, "typo.db")
  const outcomes = await readersOf(folder, missing)
  const errOf = (name: string) =>
    `The SQLite file ${name} does not exist: name the store of the receiver\n`
  expect(outcomes).toEqual(outcomes.map(() => ({ code: 1, out: "", err: errOf(missing) })))
  const ofUri = await run("erase", "card-payment", "1", "--store", `sqlite:file:${missing}`)
  expect(ofUri).toEqual({ code: 1, out: "", err: errOf(`file:${missing}`) })
  expect(readdirSync(folder)).toEqual([])
  const unreadable = join(directory, "unreadable")
  symlinkSync(unreadable, unreadable)
  const ofLink = await run("explain", "card-payment", "1", "--store", `sqlite:${unreadable}`)
  expect(ofLink.err).toContain(`The SQLite file ${unreadable} cannot be used: `)
  const ofName = await run("explain", "card-payment", "1", "--store", "callbacks.db")
  expect(ofName.err).toMatch(/^--store cannot be used: give one or more of sqlite:FILE and /u)
})

it("commands that read a store refuse the database of another program, and change nothing of it", async () => {
  const folder = join(directory, "other")
  mkdirSync(folder)
  const other = join(folder, "shop.db")
  const database = new DatabaseSync(other)
  database.exec("CREATE TABLE orders (id TEXT)")
  database.close()
  chmodSync(other, 0o644)
  const before = readFileSync(other)
  const outcomes = await readersOf(folder, other)
  const err = `The SQLite file ${other} cannot be used: it is no file of pawl; name another file\n`
  expect(outcomes).toEqual(outcomes.map(() => ({ code: 1, out: "", err })))
  expect(readdirSync(folder)).toEqual(["shop.db"])
  expect(readFileSync(other)).toEqual(before)
  expect(statSync(other).mode & 0o777).toBe(0o644)

  const damaged = join(folder, "damaged.db")
  const tables = new DatabaseSync(damaged)
  tables.exec("CREATE TABLE pawl_migrations (id TEXT)")
  tables.close()
  const ofDamaged = await run("explain", "card-payment", "1", "--store", `sqlite:${damaged}`)
  expect(ofDamaged.err).toContain(`The SQLite file ${damaged} cannot be used (no such column: `)
})

it("reconcile refuses a day to come and one that no calendar has, and erase does not speak of texts that it did not delete", async () => {
  const filename = join(directory, "without-rows.db")
  expect(await run("receiver", "migrate", "--store", `sqlite:${filename}`)).toMatchObject({
    code: 0
  })
  const env = { PAWL_STORE: `sqlite:${filename}` }
  const [future, none, erased] = await Promise.all([
    runIn(env, "reconcile", "--day", "9999-12-31", "--out", directory),
    runIn(env, "reconcile", "--day", "2026-02-30", "--out", directory),
    runIn(env, "erase", "card-payment", "1")
  ])
  expect(future).toEqual({
    code: 1,
    out: "",
    err: "--day 9999-12-31 is in the future: give today or an earlier day\n"
  })
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining("Expected a day such as") })
  expect(erased).toEqual({ code: 1, out: "", err: "The store has no card transaction 1.\n" })
})

it("erase erases all of its transactions though nobody reads its output, and fails if its output cannot be written", async () => {
  const filename = join(directory, "unread.db")
  const ids = Array.from({ length: 50 }, (_, index) => String(100_001 + index))
  await register(filename, ids)
  const args = [program, "erase", "card-payment", ...ids, "--store", `sqlite:${filename}`]
  const child = spawn(process.execPath, args)
  child.stdout.destroy()
  const closed = once(child, "close")
  expect(await child.stderr.setEncoding("utf8").toArray()).toEqual([])
  expect(await closed).toEqual([0, null])
  const full = spawn("sh", ["-c", 'exec "$0" "$@" > /dev/full', process.execPath, ...args])
  expect(await once(full, "close")).toEqual([1, null])
})

it("a signal ends a server with 0 whatever the words of its program, and work with 130", async () => {
  const env = { PAWL_BASE_URL: "http://127.0.0.1:1/api", PAWL_MERCHANT_KEY: "key" }
  const all = { ...env, PAWL_MERCHANT_SECRET: "sandbox-secret" }
  const waits = ["--", process.execPath, "-e", "setInterval(() => {}, 1000)", "migrate"]
  const receiver = await start(all, "--log-level", "info", "receiver", "--port", "0", ...waits)
  expect(await receiver.stop()).toBe(0)
  const sandbox = await start({}, "sandbox", "--port", "0")
  const [, baseUrl = ""] = sandbox.line.split(" ")
  const stuck = ["sandbox", "trigger", "stuck", "--base-url", baseUrl]
  const trigger = await start({}, ...stuck)
  expect(await trigger.stop()).toBe(130)
  await sandbox.stop()
})

it("a transaction that cannot be read is not explained as one without a status, and does not stop the erasure of others", async () => {
  const filename = join(directory, "damaged.db")
  await register(filename, ["100001", "100002", "100003"])
  const database = new DatabaseSync(filename)
  database.exec("UPDATE pawl_transactions SET document = '{' WHERE key LIKE '100002%'")
  database.close()
  const env = { PAWL_STORE: `sqlite:${filename}` }
  const err = "The card 100002 cannot be read: restore it from a backup.\n"
  for (const command of ["explain", "replay", "export"]) {
    expect(await runIn(env, command, "card", "100002")).toEqual({ code: 1, out: "", err })
  }
  const erased = await runIn(env, "erase", "card-payment", "100001", "100002", "100003")
  expect(erased.code).toBe(1)
  expect(erased.out.match(/^10000\d: deleted/gmu)).toEqual(["100001: deleted", "100003: deleted"])
  expect(erased.err).toBe(
    "100002 is not erased: The transaction 100002 card cannot be read: restore it from a backup, and erase it again.\n"
  )
})
