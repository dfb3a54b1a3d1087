/**
 * The health endpoints of the port for callbacks.
 *
 * **Details**
 *
 * `/healthz` says that the process serves. `/readyz` says whether its store, or one of its shards, can be written, and is 503
 * from the start of the shutdown on. Its body names the condition of the receiver; the credentials and the clock are in it,
 * but do not decide.
 */
import * as Effect from "effect/Effect"
import { json, notAllowed, type Response, text } from "../internal/admin/Response.ts"

/** Makes the function that responds to a health endpoint, and returns undefined for any other path. `read` returns the body. */
export const make = (read: Effect.Effect<{ readonly ready: boolean }>) => {
  const paths: Readonly<Record<string, Effect.Effect<Response>>> = {
    "/healthz": Effect.succeed(ok),
    "/readyz": Effect.map(read, (all) => json(all, all.ready ? 200 : 503))
  }
  return (method: string, path: string): Effect.Effect<Response> | undefined => {
    const response = Object.hasOwn(paths, path) ? paths[path] : undefined
    return response === undefined || method === "GET" || method === "HEAD"
      ? response
      : Effect.succeed(notAllowed("GET, HEAD"))
  }
}

const ok = text("ok\n", "text/plain; charset=utf-8")
