/**
 * Posting and serving on loopback.
 */
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { Agent, createServer, request, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { Callback } from "./Service.ts"

/** Serves a listener on a port of its own until the scope ends. */
export const serve = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(listener).listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

/** Posts callbacks over at most so many connections: the status of each answer, undefined without one. */
export const poster = (connections: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Agent({ keepAlive: true, maxSockets: connections })),
      (agent) => Effect.sync(() => agent.destroy())
    ),
    (agent) =>
      (port: number, { body, checksum, search }: Partial<Callback> & Pick<Callback, "body">) =>
        new Promise<number | undefined>((resolve) => {
          const headers = {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
            ...(checksum !== undefined && { "x-checksum": checksum })
          }
          const sent = request(
            {
              agent,
              host: "127.0.0.1",
              port,
              path: `/callback${search ?? ""}`,
              method: "POST",
              headers
            },
            (response) => {
              response.on("error", () => resolve(undefined))
              response.on("end", () => resolve(response.statusCode))
              response.resume()
            }
          )
          sent.setTimeout(30_000, () => sent.destroy())
          sent.on("error", () => resolve(undefined))
          // A response that ends before its time says nothing but "close".
          sent.on("close", () => resolve(undefined))
          sent.end(body)
        })
  )

/** Runs a task so many times, `width` of them at a time. */
export const each = async (
  count: number,
  width: number,
  task: (index: number) => Promise<void>
): Promise<void> => {
  let next = 0
  const lane = async () => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: width }, lane))
}
