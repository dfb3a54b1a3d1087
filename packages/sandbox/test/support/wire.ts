import * as Effect from "effect/Effect"
import { once } from "node:events"
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  request as httpRequest
} from "node:http"
import type { AddressInfo } from "node:net"
import { readText, serve } from "@pawl/test-support/Listener"

export interface Arrived {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: { readonly transactionId: string; readonly transactionStatus: string }
}

export const receiver = (
  answer: (path: string, body: Arrived["body"]) => readonly [status: number, location?: string]
) =>
  Effect.suspend(() => {
    const received: Array<Arrived> = []
    const served = serve((request, response) => {
      void (async () => {
        const path = request.url ?? ""
        const body = JSON.parse(await readText(request)) as Arrived["body"]
        received.push({ path, headers: request.headers, body })
        const [status, location] = answer(path, body)
        response.writeHead(status, location === undefined ? {} : { location }).end("thank you")
      })()
    })
    return Effect.map(served, (port) => ({ received, url: `http://127.0.0.1:${port}` }))
  })

/** Serves a listener on a free port, for tests that are no effects. */
export const listen = async (listener: RequestListener = () => {}) => {
  const server = createServer(listener)
  await once(server.listen(0, "127.0.0.1"), "listening")
  const port = String((server.address() as AddressInfo).port)
  return { server, port, url: `http://127.0.0.1:${port}` }
}

/** Sends headers that `fetch` refuses. Returns the status of the response. */
export const raw = (
  url: string,
  options: {
    readonly method?: string
    readonly path?: string
    readonly headers?: Readonly<Record<string, string>>
  } = {},
  body = ""
): Effect.Effect<number | undefined> =>
  Effect.promise(
    () =>
      new Promise((resolve, reject) => {
        httpRequest(url, options, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on("error", reject)
          .end(body)
      })
  )

export const call = (
  method: string,
  url: string,
  options: { readonly body?: unknown; readonly token?: string | undefined } = {}
) =>
  Effect.promise(async () => {
    const { body, token } = options
    const response = await fetch(url, {
      method,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` })
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    return {
      status: response.status,
      text,
      json: (text === "" ? undefined : JSON.parse(text)) as unknown
    }
  })

export const post = (url: string, body: unknown, token?: string) =>
  call("POST", url, { body, token })

export const get = (url: string, token?: string) => call("GET", url, { token })
