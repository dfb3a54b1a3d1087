import type * as Admin from "../src/Admin.ts"
import * as Effect from "effect/Effect"

/** Returns a function that sends a request of this machine, and reads a JSON body. */
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
