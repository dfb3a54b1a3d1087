import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import * as NodeTransport from "../src/NodeTransport.ts"
import * as Server from "./support/server.ts"

/** Answers each request after 5 ms and counts connections. */
const startService = Effect.gen(function* () {
  const counts = { open: 0, most: 0 }
  const { url } = yield* Server.start(
    (socket, request) => {
      const answer = request.startsWith("POST /api/v1/auth ")
        ? '{"token":"abc"}'
        : '{"transactionId":"100001","transactionStatus":"NEW"}'
      setTimeout(() => Server.reply(socket, 200, answer), 5)
    },
    (socket) => {
      counts.most = Math.max(counts.most, ++counts.open)
      socket.on("close", () => counts.open--)
    }
  )
  return { counts, url }
})

describe("C30 the bound of the connections", () => {
  it("lets a process with 256 file descriptors make 1,500 concurrent calls", () =>
    Effect.gen(function* () {
      const { counts, url } = yield* startService
      const program = `"${process.execPath}" "${join(import.meta.dirname, "manyCallsChild.ts")}"`
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)("sh", ["-c", `ulimit -n 256 && exec ${program} ${url}/api 1500 128`])
      )
      expect(JSON.parse(stdout)).toMatchObject({ outcomes: { Success: 1500 } })
      expect(counts.most).toBeLessThanOrEqual(128)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("fails 20,000 waiting requests when the layer ends", () =>
    Effect.gen(function* () {
      const server = yield* Server.start(() => undefined)
      const errors = yield* Effect.provide(
        Effect.gen(function* () {
          const fibers = yield* Effect.forEach(Array.from({ length: 20_000 }), () =>
            Effect.forkDetach(Effect.flip(Server.post(server.url)), { startImmediately: true })
          )
          while (server.received.length === 0) yield* Effect.sleep("1 millis")
          return fibers
        }),
        NodeTransport.layerWith({ connections: 1 })
      ).pipe(Effect.flatMap((fibers) => Effect.forEach(fibers, Fiber.join)))
      expect(errors.map((error) => error._tag === "Unreachable" && error.sent)).toEqual(
        errors.map((_, at) => at === 0)
      )
    }).pipe(Effect.scoped, Effect.runPromise))
})

describe("C31 a request", () => {
  it("is not sent when the connection does not open in time", () =>
    Effect.gen(function* () {
      // The listener never answers the TLS handshake.
      const silent = yield* Server.start(() => undefined)
      expect(
        yield* Effect.flip(Server.post(silent.url.replace("http:", "https:"), "100 millis"))
      ).toMatchObject({ _tag: "Unreachable", sent: false, reason: "no connection in time" })
    }).pipe(Effect.provide(NodeTransport.layer), Effect.scoped, Effect.runPromise))
})
