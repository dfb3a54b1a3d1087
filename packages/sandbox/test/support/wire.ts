import * as Effect from "effect/Effect"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, request as httpRequest } from "node:http"

export interface Arrived {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: { readonly transactionId: string; readonly transactionStatus: string }
}

export const receiver = (
  answer: (path: string, body: Arrived["body"]) => readonly [status: number, location?: string]
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const received: Array<Arrived> = []
        const server = createServer((request, response) => {
          let text = ""
          request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
          request.on("end", () => {
            const path = request.url ?? ""
            const body = JSON.parse(text) as Arrived["body"]
            received.push({ path, headers: request.headers, body })
            const [status, location] = answer(path, body)
            response.writeHead(status, location === undefined ? {} : { location }).end("thank you")
          })
        })
        await once(server.listen(0, "127.0.0.1"), "listening")
        return { received, server }
      }),
      ({ server }) =>
        Effect.promise(async () => {
          server.closeAllConnections()
          await once(server.close(), "close")
        })
    ),
    ({ received, server }) => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { received, url: `http://127.0.0.1:${port}` }
    }
  )

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
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) })
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
