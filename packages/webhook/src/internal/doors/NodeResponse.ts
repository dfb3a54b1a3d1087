/**
 * Sends the responses of a server of `node:http`.
 */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http"

/**
 * Sends a response, unless other code has sent one, such as a timeout of the application. `writeHead` throws an error then, and
 * most responses are sent by an observer of a fiber, whose errors reach whatever resumed the fiber.
 */
export const send = (
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body = ""
): void => {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
}
