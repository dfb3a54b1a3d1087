/** A fake of the payments service, which signs callbacks with its own code. */
import type { Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import type { Incoming } from "@pawl/webhook/Verifier"
import { serve } from "@pawl/test-support/Listener"
import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"

export const secret = "sandbox-secret"

export const sign = (texts: ReadonlyArray<string>, key: string = secret): string =>
  createHmac("sha256", key).update(texts.join("|"), "utf8").digest("base64")

export interface Callback {
  readonly search: string
  readonly body: string
  readonly checksum: string
}

export const callback = (transactionId: string, transactionStatus: Status): Callback => ({
  search: "?paymentMethod=apm&apmType=PIX",
  body: JSON.stringify({
    accountId: "4711",
    amount: "10.00",
    currency: "EUR",
    transactionId,
    transactionStatus,
    apmType: "PIX"
  }),
  checksum: sign(["4711", "10.00", "EUR", transactionId])
})

export const incoming = ({ body, checksum, search }: Callback): Incoming => ({
  method: "POST",
  search,
  contentType: "application/json",
  contentEncoding: undefined,
  checksum,
  body: new TextEncoder().encode(body)
})

export const searchOf = (method: Method): string =>
  method === "card" ? "?paymentMethod=card" : "?paymentMethod=apm&apmType=PIX"

export const start = Effect.gen(function* () {
  const statuses = new Map<string, Status>()
  let reads = 0
  const port = yield* serve((request, response) => {
    request.resume()
    response.setHeader("content-type", "application/json")
    if (request.url === "/api/v1/auth") return response.end('{"accessToken":"sandbox-token"}')
    const id = /^\/api\/v1\/payments\/apm\/status\/(.+)$/u.exec(request.url ?? "")?.[1]
    const status = id === undefined ? undefined : statuses.get(id)
    reads++
    return response
      .writeHead(status === undefined ? 404 : 200)
      .end(JSON.stringify(status ?? { error: "not found" }))
  })
  return { statuses, reads: () => reads, baseUrl: `http://127.0.0.1:${port}/api` }
})

export const startHanging = Effect.gen(function* () {
  let hanging = 0
  const port = yield* serve((request, response) => {
    request.resume()
    if (request.url === "/api/v1/auth") {
      response.setHeader("content-type", "application/json")
      return response.end('{"accessToken":"sandbox-token"}')
    }
    hanging++
    response.on("close", () => hanging--)
    return response
  })
  return { hanging: () => hanging, baseUrl: `http://127.0.0.1:${port}/api` }
})

export const silentApplication = Effect.map(
  serve((request, response) => {
    request.resume()
    response.end()
  }),
  (port) => `http://127.0.0.1:${port}/`
)
