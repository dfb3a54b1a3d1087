/**
 * Kills workerd while a receiver in a Durable Object gets callbacks.
 *
 * A callback that was answered 200 must be stored, and the handler must be told the status that the
 * service states for it.
 */
import { createHmac } from "node:crypto"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { freePort } from "../test-support/src/FreePort.ts"
import { finalOf, secret } from "../packages/testkit/test/support/durableObject.ts"

/** The database of the object is in the directory `disk`. */
const config = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "main", esModule = embed "durable.mjs")], compatibilityDate = "2026-11-01",
      bindings = [(name = "ledger", durableObjectNamespace = "Ledger")],
      durableObjectNamespaces = [(className = "Ledger", uniqueKey = "ledger", enableSql = true)],
      durableObjectStorage = (localDisk = "disk")
    )),
    (name = "disk", disk = (path = "disk", writable = true))
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
`

const callback = (url: string, transactionId: string): Promise<Response> => {
  const fields = { mid: "mid-1", orderAmount: "10.50", orderCurrency: "EUR", transactionId }
  const text = Object.values(fields).join("|")
  return fetch(`${url}/callback?paymentMethod=card`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-checksum": createHmac("sha256", secret).update(text).digest("base64")
    },
    body: JSON.stringify({ ...fields, transactionStatus: finalOf(transactionId) }),
    signal: AbortSignal.timeout(5000)
  })
}

interface Told {
  readonly id: string
  readonly status: string
}

/** Undefined while workerd does not answer. */
const toldAt = async (url: string): Promise<ReadonlyArray<Told> | undefined> => {
  const response = await fetch(`${url}/told`).catch(() => undefined)
  return response?.ok === true ? ((await response.json()) as ReadonlyArray<Told>) : undefined
}

const until = async <A>(find: () => Promise<A | undefined>, what: string): Promise<A> => {
  for (let tries = 0; tries < 300; tries++) {
    const found = await find()
    if (found !== undefined) return found
    await sleep(100)
  }
  throw new Error(`${what} took longer than 30 seconds`)
}

/** Kills the process and its children: the command of a package is a script that starts workerd. */
const kill = async (child: ChildProcess): Promise<void> => {
  const { exitCode, pid, signalCode } = child
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  const ended = once(child, "exit")
  process.kill(-pid, "SIGKILL")
  await ended
}

/**
 * The counts of a run: callbacks answered 200, those of them never told, and those told wrongly.
 */
export interface Counts {
  readonly kills: number
  readonly answered: number
  readonly lost: number
  readonly wrong: number
  readonly twice: number
}

const callers = 8

export const prepare = async (cwd: string, port = 0): Promise<void> => {
  await mkdir(join(cwd, "disk"), { recursive: true })
  await writeFile(join(cwd, "durable.capnp"), config(port))
}

export const run = async (program: string, cwd: string, kills: number): Promise<Counts> => {
  const port = await freePort()
  await prepare(cwd, port)
  const url = `http://127.0.0.1:${port}`
  const answered = new Set<string>()
  let next = 100_001
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(program, ["serve", "durable.capnp"], { cwd, detached: true, stdio: "ignore" })
    return until(() => toldAt(url), "the start of workerd")
  }
  try {
    for (let count = 0; count < kills; count++) {
      await start()
      let isRunning = true
      const call = async () => {
        while (isRunning) {
          const id = String(next++)
          const response = await callback(url, id).catch(() => undefined)
          if (response?.status === 200) answered.add(id)
        }
      }
      const calls = Array.from({ length: callers }, call)
      await sleep(50 + Math.random() * 250)
      if (child !== undefined) await kill(child)
      isRunning = false
      await Promise.all(calls)
    }
    await start()
    const isTold = (told: ReadonlyArray<Told>) => new Set(told.map(({ id }) => id))
    const told = await until(async () => {
      const found = (await toldAt(url)) ?? []
      const ids = isTold(found)
      return [...answered].every((id) => ids.has(id)) ? found : undefined
    }, "the calls of the handler").catch(async () => (await toldAt(url)) ?? [])
    const ids = isTold(told)
    return {
      kills,
      answered: answered.size,
      lost: [...answered].filter((id) => !ids.has(id)).length,
      wrong: told.filter(({ id, status }) => status !== finalOf(id)).length,
      twice: told.length - ids.size
    }
  } finally {
    if (child !== undefined) await kill(child)
  }
}
