/** PostgreSQL servers in a temporary folder, which a test may kill. */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { freePort } from "./FreePort.ts"

const execute = promisify(execFile)
const installations = "/usr/lib/postgresql"

/** Undefined where they are not installed. */
export const programs = (): string | undefined => {
  const [newest] = existsSync(installations)
    ? readdirSync(installations).toSorted().toReversed()
    : []
  const folder = newest && join(installations, newest, "bin")
  return folder !== undefined && existsSync(join(folder, "initdb")) ? folder : undefined
}

/**
 * Runs a program of PostgreSQL. It refuses to run as root, so root runs it as the owner of the
 * database.
 */
const run = async (name: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const program = join(programs() ?? "", name)
  const isRoot = process.getuid?.() === 0
  const [file, all] = isRoot
    ? ["runuser", ["-u", "postgres", "--", program, ...args]]
    : [program, args]
  const { stdout } = await execute(file, [...all], { cwd: tmpdir() })
  return stdout
}

interface Options {
  readonly primary?: { readonly port: number }
  readonly settings?: Readonly<Record<string, number>>
}

/**
 * Makes a server, or a standby of `primary`, which is deleted when the scope ends. `kill` ends all
 * its processes at once, as if its machine lost its memory.
 */
export const make = ({ primary, settings = {} }: Options = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = mkdtempSync(join(tmpdir(), "pawl-postgres-"))
      if (process.getuid?.() === 0) {
        const { stdout } = await execute("id", ["-u", "postgres"])
        chownSync(folder, Number(stdout), -1)
      }
      const data = join(folder, "data")
      const port = await freePort()
      if (primary === undefined)
        await run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-N")
      else {
        const address = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "postgres"]
        await run("pg_basebackup", "-D", data, "-R", "-X", "stream", "-c", "fast", ...address)
      }
      const all = { listen_addresses: "127.0.0.1", unix_socket_directories: folder, ...settings }
      const options = [
        `-p ${port}`,
        ...Object.entries(all).map(([name, value]) => `-c ${name}=${value}`)
      ].join(" ")
      const log = join(folder, "log")
      const start = async () => {
        await run("pg_ctl", "-D", data, "-w", "-l", log, "-o", options, "start")
      }
      const kill = async () => {
        const [pid] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")
        const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")
        const isRunning = () => existsSync(`/proc/${pid}`)
        for (const each of [String(pid), ...children]) process.kill(Number(each), "SIGKILL")
        while (isRunning()) await new Promise((resolve) => setTimeout(resolve, 10))
      }
      const promote = async () => {
        await run("pg_ctl", "-D", data, "-w", "promote")
      }
      await start()
      return { folder, data, port, start, kill, promote }
    }),
    ({ data, folder }) =>
      Effect.promise(async () => {
        await run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop").catch(() => undefined)
        rmSync(folder, { recursive: true, force: true })
      })
  )
