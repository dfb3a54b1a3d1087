import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Sandbox from "@pawl/testkit/Sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer, text } from "node:stream/consumers"
import { expect, it } from "vitest"

const program = new URL("../src/recover.ts", import.meta.url).pathname

/** A proxy in front of the service. `onPaid` decides whether the response to a create is lost. */
const proxy = (baseUrl: string, onPaid: () => "lost" | "passed") =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const forward = async (request: IncomingMessage, reply: ServerResponse) => {
        const url = request.url ?? ""
        const response = await fetch(new URL(url, baseUrl), {
          method: request.method ?? "GET",
          headers: {
            "content-type": "application/json",
            authorization: request.headers.authorization ?? ""
          },
          body: await buffer(request)
        })
        const bytes = Buffer.from(await response.arrayBuffer())
        if (url.endsWith("/payments/apm") && onPaid() === "lost") return
        reply.writeHead(response.status).end(bytes)
      }
      const server = createServer((request, reply) => void forward(request, reply))
      await once(server.listen(0, "127.0.0.1"), "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/api`
    })
  )

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "pawl-recover-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true }))
)

it("C03 pays an order once when its process is killed between the request and the response", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Sandbox.Sandbox
    let paid = 0
    let kill = (): unknown => undefined
    const url = yield* proxy(baseUrl, () => {
      if (++paid > 1) return "passed"
      kill()
      return "lost"
    })
    const directory = yield* temporary
    const start = (orderId: string) =>
      Effect.promise(async () => {
        const child = spawn(process.execPath, [program, orderId], {
          env: {
            ...process.env,
            PAWL_BASE_URL: url,
            PAWL_MERCHANT_KEY: "sandbox-key",
            PAWL_MERCHANT_SECRET: "sandbox-secret",
            ORDERS_FILE: join(directory, "orders.db")
          },
          stdio: ["ignore", "pipe", "pipe"]
        })
        kill = () => child.kill("SIGKILL")
        const exit = once(child, "exit")
        const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
        return { out: out + err, signal: (await exit)[1] as string | null }
      })

    const killed = yield* start("order-1")
    expect(killed.signal).toBe("SIGKILL")
    expect(killed.out).not.toContain("order-1")

    const restarted = yield* start("order-2")
    // The original response, and the next id: no payment was made in between.
    expect(restarted.out).toContain("order-1: paid by 100001")
    expect(restarted.out).toContain("order-2: paid by 100002")
    expect(paid).toBe(3)
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.provide(Sandbox.layer(), NodeHttpClient.layerUndici)),
    Effect.runPromise
  ))
