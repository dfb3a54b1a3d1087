/**
 * The merchant's side of the receiver: what is told, and to whom.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Body, Signed } from "./Callback.ts"
import type { Status } from "./Status.ts"
import type { Kind, Method } from "./Kind.ts"

/**
 * A change of where a transaction stands.
 *
 * - `id`: the same in every attempt; use it to make the handler idempotent.
 * - `requestId`: of the request it comes of, as it was registered or as a `CallbackUrl` token says; null
 *   where neither was.
 * - `from`: what the handler was last told; null the first time.
 * - `to`: where the transaction stands now.
 * - `confirmed`: the service itself said so, in a response or a read.
 * - `conflict`: every final status the service confirmed, when it confirmed several.
 * - `attempt`: from 1, counting calls of the handler.
 * - `signed`: what the checksum of the newest callback claiming `to` covers; null when a read found it.
 * - `callback`: the rest of that callback, which nothing vouches for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Transition {
  readonly id: string
  readonly method: Method
  readonly kind: Kind
  readonly transactionId: string
  readonly requestId: string | null
  readonly from: Status | null
  readonly to: Status
  readonly confirmed: boolean
  readonly conflict: Array<Status> | null
  readonly attempt: number
  readonly signed: Signed | null
  readonly callback: Body | null
}

/**
 * Service that is told of every change of a transaction: one at a time per transaction, in rank
 * order, at least once.
 *
 * **Details**
 *
 * A call that fails, dies or takes longer than 5 minutes is made again.
 *
 * `settle`, where there is one, runs `told`, which marks as told what `handle` took, together with what
 * has to be written with it: both or neither. A handler whose own rows are in the ledger's database has
 * one (`@pawl/webhook/LedgerSql`, `handler`).
 *
 * @category services
 * @since 0.1.0
 */
export class Handler extends Context.Service<
  Handler,
  {
    readonly handle: (transition: Transition) => Effect.Effect<void, unknown>
    readonly settle?: <A, E>(
      transition: Transition,
      told: Effect.Effect<A, E>
    ) => Effect.Effect<A, unknown>
  }
>()("@pawl/core/Handler") {}

/**
 * Layer that makes a handler of a function.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E, R>(
  handle: (transition: Transition) => Effect.Effect<void, E, R>
): Layer.Layer<Handler, never, R> =>
  Layer.effect(
    Handler,
    Effect.map(Effect.context<R>(), (context) => ({
      handle: (transition: Transition) => Effect.provide(handle(transition), context)
    }))
  )
