import { BodyBuffer } from "@pawl/core/internal/BodyBuffer"
import type { CannotListen } from "@pawl/webhook/NodeReceiver"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { NodePort, layer } from "../internal/sandbox/NodePort.ts"

const maxBytes = 64 * 1024

/**
 * Listens on a port until the scope closes, and returns its origin. A function whose caller closes
 * the connection is interrupted.
 */
export const open = Effect.fnUntraced(function* (
  host: string,
  port: number,
  receive: (incoming: Incoming) => Effect.Effect<number>
): Effect.fn.Return<string, CannotListen, Scope.Scope> {
  const context = yield* Layer.build(layer(host, port))
  const fork = Effect.runForkWith(yield* Effect.context())
  const { origin, server } = yield* Effect.provideContext(NodePort, context)
  server.on("request", (request, response) => {
    const body = new BodyBuffer(maxBytes)
    let isTooLarge = false
    request.on("data", (chunk: Uint8Array) => {
      isTooLarge ||= !body.add(chunk)
    })
    request.on("end", () => {
      if (isTooLarge) return response.writeHead(413).end()
      const checksum = request.headers["x-checksum"]
      const fiber = fork(
        Effect.map(
          receive({
            method: request.method ?? "",
            search: /\?.*$/u.exec(request.url ?? "")?.[0] ?? "",
            contentType: request.headers["content-type"],
            contentEncoding: request.headers["content-encoding"],
            checksum: Array.isArray(checksum) ? checksum[0] : checksum,
            body: body.bytes
          }),
          (status) => response.writeHead(status).end()
        )
      )
      response.on("close", () => {
        if (!response.writableEnded) fork(Fiber.interrupt(fiber))
      })
      return undefined
    })
  })
  return origin
})
