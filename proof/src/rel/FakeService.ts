/** A fake of the payments service, which signs callbacks with its own code. */
import * as NodeHmac from "@pawl/core/NodeHmac"
import type { Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import * as Verifier from "@pawl/webhook/Verifier"
import { serve } from "@pawl/test-support/Listener"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"

export const secret = "sandbox-secret"

export const layerVerifier = Verifier.layer({ current: Redacted.make(secret) }).pipe(
  Layer.provide(NodeHmac.layer)
)

export const sign = (texts: ReadonlyArray<string>, key: string = secret): string =>
  createHmac("sha256", key).update(texts.join("|"), "utf8").digest("base64")

export interface Callback {
  readonly search: string
  readonly body: string
  readonly checksum: string
}

export const searchOf = (method: Method): string =>
  method === "card" ? "?paymentMethod=card" : "?paymentMethod=apm&apmType=PIX"

export const callback = (
  transactionId: string,
  transactionStatus: Status,
  { accountId = "4711", key = secret, search = searchOf("apm") } = {}
): Callback => ({
  search,
  body: JSON.stringify({
    accountId,
    amount: "10.00",
    currency: "EUR",
    transactionId,
    transactionStatus,
    apmType: "PIX"
  }),
  checksum: sign([accountId, "10.00", "EUR", transactionId], key)
})

export const incoming = ({ body, checksum, search }: Callback): Verifier.Incoming => ({
  method: "POST",
  search,
  contentType: "application/json",
  contentEncoding: undefined,
  checksum,
  body: new TextEncoder().encode(body)
})

export interface Read {
  readonly id: string
  readonly at: number
}

/** Starts the service. While it `isDown` it closes every connection; while it `hangs` no read ends. */
export const start = Effect.gen(function* () {
  const statuses = new Map<string, Status>()
  const reads: Array<Read> = []
  const fault = { isDown: false, hangs: false }
  let hanging = 0
  const port = yield* serve((request, response) => {
    const { url = "" } = request
    request.resume()
    if (fault.isDown) return request.socket.destroy()
    response.setHeader("content-type", "application/json")
    if (url === "/api/v1/auth") return response.end('{"accessToken":"sandbox-token"}')
    if (fault.hangs) {
      hanging++
      return response.on("close", () => hanging--)
    }
    const [, resource = "", id = ""] = /^\/api\/v1\/(.+)\/status\/(.+)$/u.exec(url) ?? []
    reads.push({ id, at: performance.now() })
    const status = resource === "payments/apm" ? statuses.get(id) : undefined
    return response
      .writeHead(status === undefined ? 404 : 200)
      .end(JSON.stringify(status ?? { error: "not found" }))
  })
  return {
    statuses,
    reads,
    fault,
    hanging: () => hanging,
    baseUrl: `http://127.0.0.1:${port}/api`
  }
})
