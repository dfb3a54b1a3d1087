/**
 * Responses of the admin API and of the health endpoints.
 */

/** A response. The body of a response to HEAD is not sent. */
export interface Response {
  readonly status: 200 | 400 | 401 | 404 | 405 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Makes a response of text. */
export const text = (body: string, type: string, status: Response["status"] = 200): Response => ({
  status,
  headers: {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff"
  },
  body
})

/** Makes a response of JSON. */
export const json = (body: unknown, status: Response["status"] = 200): Response =>
  text(`${JSON.stringify(body)}\n`, "application/json", status)

/** Adds headers to a response. */
export const withHeaders = (response: Response, headers: Response["headers"]): Response => ({
  ...response,
  headers: { ...response.headers, ...headers }
})

/** Makes the response to a request that is not valid. */
export const invalid = (message: string): Response => json({ message }, 400)

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

/** Makes the response to a method that a path does not have. */
export const notAllowed = (allow: string): Response =>
  withHeaders(json({ message: `Only ${allow} is allowed here` }, 405), { allow })
