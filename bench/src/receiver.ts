/**
 * Measures accepting a callback.
 *
 * - `receiver`: the CPU time of a server, in its own process, over 64 connections. The floor is
 *   bare node:http with hand-written checks and a Map.
 * - `disk`: the time for a callback when each disk flush takes 1 ms longer, which shows the gain of
 *   group commit. It needs gcc.
 * - `slowDisk`: what a receiver still does when each flush takes 150 ms longer.
 *
 * Every callback has its own transaction, is signed beforehand, and is sent once.
 */
import { execFileSync } from "node:child_process"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { type Callback, forged, make, search } from "./callbacks.ts"
import { type Bench, type Costs, inRounds } from "./harness.ts"
import { startServer } from "./processes.ts"
import { scratch } from "./scratch.ts"

export const post = ({ bytes, checksum, stripe }: Callback): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST /callback${search} HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: service\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n` +
        `X-Checksum: ${checksum}\r\nStripe-Signature: ${stripe}\r\n\r\n`
    ),
    bytes
  ])

const send = (
  sockets: ReadonlyArray<Socket>,
  posts: ReadonlyArray<Buffer>,
  expected: number
): Promise<void> => {
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  let [next, answered] = [0, 0]
  for (const socket of sockets) {
    const more = (): void => void (next < posts.length && socket.write(posts[next++]!))
    socket.removeAllListeners("data").on("data", (bytes) => {
      const text = bytes.toString("latin1")
      if (!text.startsWith(`HTTP/1.1 ${expected} `)) {
        return reject(new Error(`Expected ${expected}, got ${text}`))
      }
      if (++answered === posts.length) return resolve()
      return more()
    })
    more()
  }
  return promise
}

export interface Server {
  readonly name: string
  readonly take: (times: number) => Promise<void>
  readonly refuse: () => Promise<void>
  readonly cpuTime: () => Promise<number>
  readonly close: () => void
}

export const serve = async (
  name: string,
  store: string,
  posts: ReadonlyArray<Buffer>,
  options: { readonly preload?: string | undefined; readonly connections?: number } = {}
): Promise<Server> => {
  const { connections = 64, preload } = options
  const file = new URL("receiverServer.ts", import.meta.url)
  const { close, cpuTime, port } = await startServer(file, [name, store], {
    env: { ...process.env, ...(preload && { LD_PRELOAD: preload }) },
    stdio: ["ignore", "ignore", "inherit", "ipc"]
  })
  const sockets = Array.from({ length: connections }, () =>
    connect({ host: "127.0.0.1", port, noDelay: true })
  )
  const another = connect({ host: "127.0.0.1", port, noDelay: true })
  const some = sockets.map((_, at) => make(-1 - at, at % 2 === 0))
  await send(sockets, some.map(forged).map(post), 401)
  await send(sockets, some.map(post), 200)
  let sent = 0
  return {
    name,
    take: (times) => send(sockets, posts.slice(sent, (sent += times)), 200),
    refuse: () => send([another], [post(forged(make(-1)))], 401),
    cpuTime,
    close: () => {
      for (const socket of [...sockets, another]) socket.destroy()
      close()
    }
  }
}

interface Pace {
  readonly unit: string
  readonly rounds: number
  readonly times: number
  readonly warmUp: number
  readonly preload?: (directory: string) => string
  readonly costOf: (server: Server, take: () => Promise<void>) => Promise<number>
}

export const byCpuTime: Pace = {
  unit: "CPU time of the server",
  rounds: 15,
  times: 2000,
  warmUp: 20_000,
  costOf: async ({ cpuTime }, take) => {
    const start = await cpuTime()
    await take()
    return (await cpuTime()) - start
  }
}

/** `costOf` returns the CPU time of the server, or the elapsed time. */
export const measureServers = async (
  names: ReadonlyArray<string>,
  options: Pace = byCpuTime
): Promise<Costs> => {
  const { costOf, preload, rounds, times, unit, warmUp } = options
  const directory = scratch()
  const servers: Array<Server> = []
  try {
    const posts = Array.from({ length: warmUp + rounds * times }, (_, id) => post(make(id)))
    for (const name of names) {
      const filename = join(directory, `${name.replaceAll(/[^a-z]/gu, "-")}.db`)
      servers.push(await serve(name, filename, posts, { preload: preload?.(directory) }))
    }
    for (const { take } of servers) await take(warmUp)
    const of = await inRounds(
      servers,
      { rounds },
      async (server) => (await costOf(server, () => server.take(times))) / times
    )
    return { unit, of }
  } finally {
    for (const { close } of servers) close()
  }
}

export const receiver: Bench = {
  what: "a callback accepted over 64 connections, each server in its own process",
  floor: "bare node:http",
  goals: [
    { variant: "pawl-receiver", against: "bare node:http", atMost: 1.15 },
    { variant: "pawl, HttpRouter", against: "bare node:http", atMost: 1.6 },
    { variant: "pawl, web-standard", against: "bare node:http", atMost: 2 },
    { variant: "pawl-receiver, SQLite", against: "pawl-receiver", atMost: 2 }
  ],
  run: () =>
    measureServers([
      "bare node:http",
      "pawl-receiver",
      "pawl, HttpRouter",
      "HttpRouter, hand-written",
      "pawl, web-standard",
      "web-standard, hand-written",
      "Fastify, hand-written",
      "Express + stripe",
      "node:sqlite, group commit",
      "pawl-receiver, SQLite"
    ])
}

const slower =
  (milliseconds: number) =>
  (directory: string): string => {
    const library = join(directory, "slowDisk.so")
    const source = new URL("slowDisk.c", import.meta.url).pathname
    const delay = `-DMILLISECONDS=${milliseconds}`
    execFileSync("gcc", ["-shared", "-fPIC", delay, "-o", library, source, "-ldl"])
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
  what: "a callback stored over 64 connections, with 1 ms added to each disk flush",
  floor: "node:sqlite, one commit each",
  goals: [],
  run: () => {
    if (!hasCompiler()) return skipped("disk")
    return measureServers(
      ["node:sqlite, one commit each", "node:sqlite, group commit", "pawl-receiver, SQLite"],
      {
        unit: "time",
        rounds: 15,
        times: 1000,
        warmUp: 4000,
        preload: slower(1),
        costOf: async (_server, take) => {
          const start = performance.now()
          await take()
          return performance.now() - start
        }
      }
    )
  }
}

const skipped = (name: string): Promise<Costs> => {
  console.error(`${name}: skipped, because it needs gcc`)
  return Promise.resolve({ unit: "time", of: new Map() })
}

/** The delay of each flush, and the limit for an answer that needs no flush, in milliseconds. */
const [slowFlush, longestAnswer] = [150, 100]
const [eachCallback, slowestRefusal] = [
  "a callback ÷ a 64th of a flush",
  `the slowest refusal ÷ ${longestAnswer} ms`
]

export const slowDisk: Bench = {
  what: `pawl-receiver on SQLite over 256 connections, with ${slowFlush} ms added to each disk flush`,
  goals: [
    { variant: eachCallback, atMost: 1 },
    { variant: slowestRefusal, atMost: 1 }
  ],
  run: async () => {
    if (!hasCompiler()) return skipped("slowDisk")
    const [rounds, times] = [5, 1000]
    const directory = scratch()
    const posts = Array.from({ length: (rounds + 1) * times }, (_, id) => post(make(id)))
    const server = await serve("pawl-receiver, SQLite", join(directory, "slow.db"), posts, {
      preload: slower(slowFlush)(directory),
      connections: 256
    })
    try {
      await server.take(times)
      const found = { callbacks: new Array<number>(), refusals: new Array<number>() }
      for (let round = 0; round < rounds; round++) {
        const start = performance.now()
        const taken = server.take(times).then(() => performance.now() - start)
        let slowest = 0
        let isDone = false
        void taken.finally(() => (isDone = true))
        while (!isDone) {
          const begin = performance.now()
          await server.refuse()
          slowest = Math.max(slowest, performance.now() - begin)
        }
        found.callbacks.push((await taken) / times / (slowFlush / 64))
        found.refusals.push(slowest / longestAnswer)
      }
      return {
        unit: "share of the limit",
        of: new Map([
          [eachCallback, found.callbacks],
          [slowestRefusal, found.refusals]
        ])
      }
    } finally {
      server.close()
    }
  }
}
