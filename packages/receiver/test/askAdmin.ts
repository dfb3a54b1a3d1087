import type * as Admin from "../src/Admin.ts"
import * as Effect from "effect/Effect"

export const askAdmin =
  ({ respond }: Admin.Admin["Service"]) =>
  (url: string, method = "GET", headers: Admin.Request["headers"] = { host: "127.0.0.1:4020" }) => {
    const [path = "", search] = url.split("?")
    return Effect.map(respond({ method, path, search, headers }), ({ body, headers, status }) => ({
      status,
      headers,
      body,
      json:
        headers["content-type"] === "application/json" ? (JSON.parse(body) as unknown) : undefined
    }))
  }

type Ask = ReturnType<typeof askAdmin>

export const pagesOf = Effect.fnUntraced(function* (ask: Ask, first: string) {
  const pages: Array<ReadonlyArray<{ readonly transactionId: string }>> = []
  let next: string | undefined = first
  while (next !== undefined) {
    const { headers, json }: Effect.Success<ReturnType<Ask>> = yield* ask(next)
    pages.push(json as ReadonlyArray<{ readonly transactionId: string }>)
    next = /^<(.+)>; rel="next"$/u.exec(headers["link"] ?? "")?.[1]
  }
  return pages
})
