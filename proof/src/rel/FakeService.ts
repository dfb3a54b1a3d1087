/** A fake of the payments service, which signs callbacks with its own code. */
import * as NodeHmac from "@pawl/core/NodeHmac"
import type { Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import * as Verifier from "@pawl/webhook/Verifier"
import { serve } from "@pawl/test-support/Listener"
import * as Service from "@pawl/test-support/Service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export const { secret, sign } = Service

export const layerVerifier = Verifier.layer({ current: Redacted.make(secret) }).pipe(
  Layer.provide(NodeHmac.layer)
)

export interface Callback {
  readonly search: string
  readonly body: string
  readonly checksum: string
}

export const searchOf = (method: Method): string => Service.incoming(method, {}).search

export const callback = (
  transactionId: string,
  transactionStatus: Status,
  { accountId = "4711", key = secret, search = searchOf("apm") } = {}
): Callback => {
  const fields = Service.apm({ accountId, transactionId, transactionStatus })
  return { search, body: JSON.stringify(fields), checksum: Service.checksum("apm", fields, key) }
}

export const incoming = ({ body, ...callback }: Callback): Verifier.Incoming => ({
  ...Service.incoming("apm", {}),
  ...callback,
  body: Service.bytes(body)
})

/** Starts the service. While it `isDown` it closes every connection; while it `hangs` no read ends. */
export const start = Effect.gen(function* () {
  const statuses = new Map<string, Status>()
  const reads: Array<{ readonly id: string; readonly at: number }> = []
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
