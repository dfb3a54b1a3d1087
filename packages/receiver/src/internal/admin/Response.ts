/** Requests and responses of the admin API and of the health endpoints. */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type * as Effect from "effect/Effect"

/**
 * Request to the admin API: `path` is without the query, `search` is the query. Names of headers
 * are lower case.
 */
export interface Request {
  readonly method: string
  readonly path: string
  readonly search?: string | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/** Route of a method and a path, whose groups are ids. */
export type Route = readonly [
  method: "GET" | "POST",
  path: RegExp,
  respond: (
    query: URLSearchParams,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<Response, StoreUnavailable>
]

/** Response of the admin API. The body of a response to HEAD is not sent. */
export interface Response {
  readonly status: 200 | 400 | 401 | 404 | 405 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const text = (body: string, type: string, status: Response["status"] = 200): Response => ({
  status,
  headers: {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff"
  },
  body
})

export const json = (body: unknown, status: Response["status"] = 200): Response =>
  text(`${JSON.stringify(body)}\n`, "application/json", status)

export const withHeaders = (response: Response, headers: Response["headers"]): Response => ({
  ...response,
  headers: { ...response.headers, ...headers }
})

export const invalid = (message: string): Response => json({ message }, 400)

/**
 * Makes the response of a page of rows, oldest first. The header `Link` names the page after a full
 * one.
 */
export const page = <Row>(
  path: string,
  query: URLSearchParams,
  rows: ReadonlyArray<Row>,
  options: {
    readonly limit: number
    readonly show: (row: Row) => unknown
    readonly cursorOf: (row: Row) => string
  }
): Response => {
  const page = json(rows.map(options.show))
  const last = rows.length === options.limit ? rows.at(-1) : undefined
  if (last === undefined) return page
  const next = new URLSearchParams(query)
  next.set("after", options.cursorOf(last))
  return withHeaders(page, { link: `<${path}?${next}>; rel="next"` })
}

export const notFound = json({ message: "Not found" }, 404)
export const severalMerchants = json(
  { message: "This receiver has several merchants: begin the path with /merchants/ID" },
  404
)
export const unavailable = json({ message: "The ledger is not available" }, 503)
export const unauthorized = withHeaders(
  json({ message: "Send the token as Authorization: Bearer <token>" }, 401),
  { "www-authenticate": "Bearer" }
)

export const notAllowed = (allow: string): Response =>
  withHeaders(json({ message: `Only ${allow} is allowed here` }, 405), { allow })
