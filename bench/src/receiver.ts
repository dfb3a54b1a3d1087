/**
 * What it costs to take a callback in.
 *
 * - `receiver`: the CPU time a server takes for an accepted callback, each server in a process of its
 *   own, 64 connections. The floor is bare node:http with the same checks by hand and a Map.
 *   Express over Stripe's verifier takes 1.3 to 1.6 of the floor: 1.8 times less than that would be less
 *   than the floor itself, most of which is Node's own.
 * - `disk`: the time a callback takes while the disk needs a millisecond more for every flush, which is
 *   what commits in groups are for. It is skipped where there is no gcc to make the disk slow.
 *
 * Every callback is another transaction's, signed beforehand; a server sees each of them once.
 */
import { execFileSync, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Callback, forged, make, search } from "./callbacks.ts"
import type { Bench, Costs } from "./harness.ts"

const rounds = 15

/** The bytes of a request that posts a callback. */
export const post = ({ bytes, checksum, stripe }: Callback): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST /callback${search} HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: service\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n` +
        `X-Checksum: ${checksum}\r\nStripe-Signature: ${stripe}\r\n\r\n`
    ),
    bytes
  ])

/** Posts over every connection, the next as soon as one is answered, and throws unless all are right. */
const send = (
  sockets: ReadonlyArray<Socket>,
  posts: ReadonlyArray<Buffer>,
  expected: number
): Promise<void> => {
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  let [next, answered] = [0, 0]
  for (const socket of sockets) {
    const more = (): void => void (next < posts.length && socket.write(posts[next++]!))
    socket.removeAllListeners("data").on("data", (answer) => {
      const text = answer.toString("latin1")
      if (!text.startsWith(`HTTP/1.1 ${expected} `)) {
        return reject(new Error(`${expected} expected, not ${text}`))
      }
      // A body, where there is one, ends what is answered as its headers do.
      if (++answered === posts.length) return resolve()
      return more()
    })
    more()
  }
  return promise
}

export interface Server {
  readonly name: string
  /** Sends so many callbacks that it has not seen. */
  readonly take: (times: number) => Promise<void>
  readonly cpuTime: () => Promise<number>
  readonly close: () => void
}

/** Starts a server in a process of its own, and holds it to a right answer to what is true and forged. */
export const serve = async (
  name: string,
  store: string,
  posts: ReadonlyArray<Buffer>,
  options: { readonly preload?: string | undefined; readonly connections?: number } = {}
): Promise<Server> => {
  const { connections = 64, preload } = options
  const child = fork(new URL("receiverServer.ts", import.meta.url), [name, store], {
    env: { ...process.env, ...(preload && { LD_PRELOAD: preload }) },
    // Of what is forged, the receiver warns.
    stdio: ["ignore", "ignore", "inherit", "ipc"]
  })
  const told = async () => (await once(child, "message"))[0] as number
  const port = await told()
  const sockets = Array.from({ length: connections }, () =>
    connect({ host: "127.0.0.1", port, noDelay: true })
  )
  const some = sockets.map((_, at) => make(-1 - at, at % 2 === 0))
  await send(sockets, some.map(forged).map(post), 401)
  await send(sockets, some.map(post), 200)
  let sent = 0
  return {
    name,
    take: (times) => send(sockets, posts.slice(sent, (sent += times)), 200),
    cpuTime: () => {
      child.send("how much?")
      return told()
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      child.disconnect()
    }
  }
}

/** As `measure` does it, but the cost is what the server says, or the time until all are answered. */
const inTurns = async (
  names: ReadonlyArray<string>,
  options: {
    readonly unit: string
    readonly times: number
    readonly warmUp: number
    readonly preload?: (directory: string) => string
    readonly costOf: (server: Server, take: () => Promise<void>) => Promise<number>
  }
): Promise<Costs> => {
  const { costOf, preload, times, unit, warmUp } = options
  const directory = mkdtempSync(join(tmpdir(), "pawl-bench-"))
  const servers: Array<Server> = []
  try {
    const posts = Array.from({ length: warmUp + rounds * times }, (_, id) => post(make(id)))
    for (const name of names) {
      const filename = join(directory, `${name.replaceAll(/[^a-z]/gu, "-")}.db`)
      servers.push(await serve(name, filename, posts, { preload: preload?.(directory) }))
    }
    for (const { take } of servers) await take(warmUp)
    const of = new Map(names.map((name): [string, Array<number>] => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < servers.length; turn++) {
        const server = servers[(round + turn) % servers.length]!
        of.get(server.name)?.push((await costOf(server, () => server.take(times))) / times)
      }
    }
    return { unit, of }
  } finally {
    for (const { close } of servers) close()
    rmSync(directory, { recursive: true })
  }
}

export const receiver: Bench = {
  what: "a callback taken in, 64 connections, each server in a process of its own",
  floor: "bare node:http",
  goals: [
    { variant: "pawl-receiver", against: "bare node:http", atMost: 1.15 },
    { variant: "pawl, HttpRouter", against: "bare node:http", atMost: 1.6 },
    { variant: "pawl, web-standard", against: "bare node:http", atMost: 2 },
    { variant: "pawl-receiver", against: "Express + stripe", atMost: 1 / 1.8 },
    { variant: "pawl-receiver, SQLite", against: "pawl-receiver", atMost: 2 }
  ],
  run: () =>
    inTurns(
      [
        "bare node:http",
        "pawl-receiver",
        "pawl, HttpRouter",
        "pawl, web-standard",
        "Fastify, by hand",
        "Express + stripe",
        "node:sqlite, in groups",
        "pawl-receiver, SQLite"
      ],
      {
        unit: "CPU time of the server",
        times: 2000,
        warmUp: 10_000,
        costOf: async ({ cpuTime }, take) => {
          const start = await cpuTime()
          await take()
          return (await cpuTime()) - start
        }
      }
    )
}

/** Compiles what makes a disk slow. */
const slowDisk = (directory: string): string => {
  const library = join(directory, "slowDisk.so")
  const source = new URL("slowDisk.c", import.meta.url).pathname
  execFileSync("gcc", ["-shared", "-fPIC", "-o", library, source, "-ldl"])
  return library
}

const hasCompiler = (): boolean => {
  try {
    execFileSync("gcc", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

export const disk: Bench = {
  what: "a callback stored, 64 connections, on a disk that takes 1 ms more to flush",
  floor: "node:sqlite, one by one",
  goals: [{ variant: "pawl-receiver, SQLite", against: "node:sqlite, one by one", atMost: 1 / 15 }],
  run: () => {
    if (!hasCompiler()) {
      console.error("disk: skipped, since there is no gcc to make a disk slow with")
      return Promise.resolve({ unit: "time", of: new Map() })
    }
    return inTurns(["node:sqlite, one by one", "node:sqlite, in groups", "pawl-receiver, SQLite"], {
      unit: "time",
      times: 1000,
      warmUp: 4000,
      preload: slowDisk,
      costOf: async (_server, take) => {
        const start = performance.now()
        await take()
        return performance.now() - start
      }
    })
  }
}
