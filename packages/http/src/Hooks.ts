/**
 * Hooks that the client runs before each request and after its response.
 *
 * **Gotchas**
 *
 * The client waits for a hook, for at most 10 seconds. Its failure changes nothing, and is logged at level
 * debug. No event has a header or a body, and so no secret, card number, access token or checksum.
 *
 * **Example** (A log line for each response)
 *
 * ```ts
 * import type { Hooks } from "@pawl/http/Hooks"
 * import * as Effect from "effect/Effect"
 *
 * export const hooks: Hooks = {
 *   onResponse: ({ attempt, milliseconds, operation, serviceRequestId, status }) =>
 *     Effect.logInfo(`${operation} ${attempt}: ${status} in ${milliseconds} ms (${serviceRequestId})`)
 * }
 * ```
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"

/**
 * A request before it is sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestEvent {
  /** Name of the endpoint, such as `createApmPayment`. */
  readonly operation: string
  /** HTTP method. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** Address, with the ids of its path. */
  readonly url: string
  /** Number of the request in its call, from 1. */
  readonly attempt: number
  /** Idempotency key of a create. */
  readonly requestId?: string | undefined
}

/**
 * The end of a request.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResponseEvent extends RequestEvent {
  /** Time since the request, with its wait for a connection. */
  readonly milliseconds: number
  /** HTTP status; absent when no response arrived. */
  readonly status?: number | undefined
  /** The service's own id of the request, if its response has one. */
  readonly serviceRequestId?: string | undefined
  /** Tag of the error when no response arrived, or `Interrupted`. */
  readonly error?: string | undefined
}

/**
 * The hooks of a client.
 *
 * @category models
 * @since 0.1.0
 */
export interface Hooks {
  /** Runs before each request, retries included. */
  readonly onRequest?: ((event: RequestEvent) => Effect.Effect<void, unknown>) | undefined
  /** Runs after each response, and after a request without one. */
  readonly onResponse?: ((event: ResponseEvent) => Effect.Effect<void, unknown>) | undefined
}
