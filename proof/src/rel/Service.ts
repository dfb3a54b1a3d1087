/**
 * The service as these runs know it: it signs callbacks with code of its own, and says where each
 * transaction stands.
 */
import type { Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"
import { serve } from "./Sockets.ts"

export const secret = "sandbox-secret"

/** The base64 HMAC of four texts, as a callback carries it. */
export const sign = (texts: ReadonlyArray<string>, key: string = secret): string =>
  createHmac("sha256", key).update(texts.join("|"), "utf8").digest("base64")

/** A callback as it is posted. */
export interface Callback {
  readonly search: string
  readonly body: string
  readonly checksum: string
}

/** The callback of an APM payment that moved. */
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

/** A callback as the receiver's core takes it in. */
export const incoming = ({ body, checksum, search }: Callback): Incoming => ({
  method: "POST",
  search,
  contentType: "application/json",
  contentEncoding: undefined,
  checksum,
  body: new TextEncoder().encode(body)
})

/** The query a method's callbacks come with. */
export const searchOf = (method: Method): string =>
  method === "card" ? "?paymentMethod=card" : "?paymentMethod=apm&apmType=PIX"

/** Serves the status endpoints of APM payments from a map that is the truth, and counts the reads. */
export const start = Effect.gen(function* () {
  const truth = new Map<string, Status>()
  let reads = 0
  const port = yield* serve((request, response) => {
    request.resume()
    response.setHeader("content-type", "application/json")
    if (request.url === "/api/v1/auth") return response.end('{"accessToken":"sandbox-token"}')
    const id = /^\/api\/v1\/payments\/apm\/status\/(.+)$/u.exec(request.url ?? "")?.[1]
    const status = id === undefined ? undefined : truth.get(id)
    reads++
    return response
      .writeHead(status === undefined ? 404 : 200)
      .end(JSON.stringify(status ?? { error: "not found" }))
  })
  return { truth, reads: () => reads, baseUrl: `http://127.0.0.1:${port}/api` }
})

/** An application that takes everything and remembers nothing; its URL. */
export const deaf = Effect.map(
  serve((request, response) => {
    request.resume()
    response.end()
  }),
  (port) => `http://127.0.0.1:${port}/`
)
