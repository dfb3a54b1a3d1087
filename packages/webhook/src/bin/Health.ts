/**
 * The health endpoints of the port for callbacks.
 *
 * **Details**
 *
 * `/healthz` says that the process serves. `/readyz` says whether its store, or one of its shards, can be read too, and is 503 from the start
 * of the shutdown on. The store is asked at most once a second, however many requests come.
 */
import * as Effect from "effect/Effect"
import { notAllowed, type Response, text, unavailable } from "../internal/admin/Response.ts"
import { Ledger } from "../Ledger.ts"
import { Worker } from "../Worker.ts"

/** Makes the function that responds to a health endpoint, and returns undefined for any other path. */
export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const { isDraining } = yield* Worker
  // No transaction has the empty id: the ledger looks for one key.
  const isReadable = yield* Effect.cachedWithTTL(
    Effect.map(
      Effect.forEach(ledger.shards ?? [ledger], ({ get }) => Effect.isSuccess(get("apm", "")), {
        concurrency: "unbounded"
      }),
      (shards) => shards.includes(true)
    ),
    "1 second"
  )
  const paths: Readonly<Record<string, Effect.Effect<Response>>> = {
    "/healthz": Effect.succeed(ok),
    "/readyz": Effect.map(Effect.zip(isReadable, isDraining), ([isReady, isEnding]) =>
      isReady && !isEnding ? ok : unavailable
    )
  }
  return (method: string, path: string): Effect.Effect<Response> | undefined => {
    const response = Object.hasOwn(paths, path) ? paths[path] : undefined
    return response === undefined || method === "GET" || method === "HEAD"
      ? response
      : Effect.succeed(notAllowed("GET, HEAD"))
  }
})

const ok = text("ok\n", "text/plain; charset=utf-8")
