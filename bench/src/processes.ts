/**
 * A server sends its port to its parent, and its CPU time after each message. Each process ends
 * with its parent.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { type ChildProcess, fork, type ForkOptions } from "node:child_process"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo, Server as NetServer } from "node:net"

/** Rejects if the process ends before it sends a number. */
const nextNumber = async (child: ChildProcess): Promise<number> => {
  const received = new AbortController()
  const { signal } = received
  const ended = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.slice(1).join(" ")} ended with ${String(code)}`)
  })
  try {
    return await Promise.race([once(child, "message", { signal }).then(([first]) => first), ended])
  } finally {
    received.abort()
  }
}

/** Starts a program that calls `answer`. */
export const start = (file: URL, args: ReadonlyArray<string> = [], options: ForkOptions = {}) => {
  const child = fork(file, args, options)
  return {
    next: () => nextNumber(child),
    ask: (question: number | string) => {
      child.send(question)
      return nextNumber(child)
    },
    close: () => {
      if (child.connected) child.disconnect()
    }
  }
}

export interface ServerProcess {
  readonly port: number
  readonly cpuTime: () => Promise<number>
  readonly close: () => void
}

/** Starts a program that calls `reportPort`. */
export const startServer = async (
  file: URL,
  args?: ReadonlyArray<string>,
  options?: ForkOptions
): Promise<ServerProcess> => {
  const { ask, close, next } = start(file, args, options)
  return { port: await next(), cpuTime: () => ask("cpu time"), close }
}

/** In µs. */
export const cpuTime = (): number => {
  const { system, user } = process.cpuUsage()
  return system + user
}

export const answer = (respond: (question: number) => number | Promise<number>): void => {
  process.on("message", async (question: number) => void process.send?.(await respond(question)))
  process.on("disconnect", () => process.exit())
}

export const reportPort = (port: number): void => {
  process.send?.(port)
  answer(cpuTime)
}

export const listen = (server: NetServer): void =>
  void server.listen(0, "127.0.0.1", () => reportPort((server.address() as AddressInfo).port))

/** No connection may close during a benchmark. */
export const keepAliveTimeout = 600_000

export const keepAlive = (server: Server): Server => Object.assign(server, { keepAliveTimeout })

export const serveRoutes = <E>(
  routes: Layer.Layer<never, E, HttpRouter.HttpRouter | HttpRouter.Request<"Error", unknown>>
): void => {
  const port = Layer.effectDiscard(
    Effect.map(HttpServer.HttpServer, ({ address }) =>
      reportPort("port" in address ? address.port : 0)
    )
  )
  const served = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true })
  const server = NodeHttpServer.layer(() => keepAlive(createServer()), {
    port: 0,
    host: "127.0.0.1"
  })
  Effect.runFork(Layer.launch(Layer.provide(Layer.merge(served, port), server)))
}
