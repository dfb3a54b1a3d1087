/**
 * A payments service for the checks of the client: it issues tokens and accepts every APM payment
 * with a valid one. `GET /tokens` counts the tokens, and `POST /revoke` revokes them.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Service {
  readonly url: string
  readonly close: () => void
}

export const startService = async (): Promise<Service> => {
  const valid = new Set<string>()
  let tokens = 0
  const respond = (path: string, authorization: string): readonly [number, string] => {
    if (path === "/tokens") return [200, String(tokens)]
    if (path === "/revoke") {
      valid.clear()
      return [200, ""]
    }
    if (path === "/api/v1/auth") {
      const accessToken = `token-${++tokens}`
      valid.add(`Bearer ${accessToken}`)
      return [200, JSON.stringify({ accessToken })]
    }
    if (!valid.has(authorization)) return [401, "{}"]
    return path === "/api/v1/payments/apm"
      ? [200, '{"transactionId":"100001","transactionStatus":"NEW"}']
      : [404, "{}"]
  }
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const [status, body] = respond(request.url ?? "", request.headers.authorization ?? "")
      // Late enough that concurrent requests overlap.
      setTimeout(() => response.writeHead(status).end(body), 20)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
