/**
 * Hooks that the client runs before each request and after its response.
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
 * **Details**
 *
 * The events have no header and no body, so no secret, card number, access token or checksum reaches a hook. A hook
 * that fails changes nothing. The client waits for a hook, and its time counts for the call.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"

/**
 * A request that is about to be sent.
 *
 * - `operation`: the name of the endpoint in the contract, such as `createApmPayment`.
 * - `url`: the address, with the ids of its path.
 * - `attempt`: the number of the request among those of its call, from 1.
 * - `requestId`: that of a create.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestEvent {
  readonly operation: string
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly url: string
  readonly attempt: number
  readonly requestId?: string | undefined
}

/**
 * The end of a request.
 *
 * - `milliseconds`: the time since the request, with its wait for a connection.
 * - `status`: the HTTP status; absent when no response arrived.
 * - `serviceRequestId`: the service's own id of the request, if its response has one.
 * - `error`: the tag of the error when no response arrived, or `Interrupted`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResponseEvent extends RequestEvent {
  readonly milliseconds: number
  readonly status?: number | undefined
  readonly serviceRequestId?: string | undefined
  readonly error?: string | undefined
}

/**
 * The hooks of a client.
 *
 * @category models
 * @since 0.1.0
 */
export interface Hooks {
  readonly onRequest?: ((event: RequestEvent) => Effect.Effect<void, unknown>) | undefined
  readonly onResponse?: ((event: ResponseEvent) => Effect.Effect<void, unknown>) | undefined
}
