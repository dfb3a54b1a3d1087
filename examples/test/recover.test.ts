import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { serve } from "@pawl/test-support/Listener"
import { start } from "@pawl/test-support/Program"
import * as Sandbox from "@pawl/testkit/Sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { expect, it } from "vitest"

const program = new URL("../src/recover.ts", import.meta.url).pathname

/** A proxy in front of the service. `onPaid` decides whether the response to a create is lost. */
const proxy = (baseUrl: string, onPaid: () => "lost" | "passed") =>
  Effect.map(
    serve((request, reply) => {
      void (async () => {
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
      })()
    }),
    (port) => `http://127.0.0.1:${port}/api`
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
    const buy = (orderId: string) =>
      Effect.gen(function* () {
        const { child, exited, stderr, stdout } = yield* start(
          process.execPath,
          [program, orderId],
          {
            PAWL_BASE_URL: url,
            PAWL_MERCHANT_KEY: "sandbox-key",
            PAWL_MERCHANT_SECRET: "sandbox-secret",
            ORDERS_FILE: join(directory, "orders.db")
          }
        )
        kill = () => child.kill("SIGKILL")
        const { signal } = yield* exited
        return { out: stdout() + stderr(), signal }
      })

    const killed = yield* buy("order-1")
    expect(killed.signal).toBe("SIGKILL")
    expect(killed.out).not.toContain("order-1")

    const restarted = yield* buy("order-2")
    // The original response, and the next id: no payment was made in between.
    expect(restarted.out).toContain("order-1: paid by 100001")
    expect(restarted.out).toContain("order-2: paid by 100002")
    expect(paid).toBe(3)
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.provide(Sandbox.layer({ seed: 1 }), NodeHttpClient.layerUndici)),
    Effect.runPromise
  ))
