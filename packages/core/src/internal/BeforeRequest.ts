import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * Effect that a reader runs before each request of a read but the first. With it a reader retries no
 * request.
 */
// PURE: a bundle that reads no status drops it.
export const BeforeRequest: Context.Reference<Effect.Effect<void> | undefined> =
  /* @__PURE__ */ Context.Reference("@pawl/core/StatusReader/BeforeRequest", {
    defaultValue: (): Effect.Effect<void> | undefined => undefined
  })
