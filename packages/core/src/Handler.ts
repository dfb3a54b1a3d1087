/**
 * The handler: the merchant's function that is called with each transition.
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
 * A change of the standing of a transaction, as the handler gets it.
 *
 * - `id`: identifier of the transition, the same in every attempt. Use it to make the handler idempotent.
 * - `requestId`: the requestId of the create, from a registration or a `CallbackUrl` token; null without
 *   either.
 * - `from`: the status of the last call that was noted as told; null before. After a crash between a call that succeeded and its note it
 *   is an earlier status than the handler has had. Decide by `sequence` and `to`.
 * - `to`: the status that holds now.
 * - `confirmed`: whether the service confirmed `to` in a response or a read.
 * - `conflict`: all final statuses that the service confirmed, if it confirmed several; else null.
 * - `sequence`: the number of this transition of the transaction, from 1, the same in every attempt. If two calls
 *   of a transaction overlap, because the first one took longer than its lease, the higher number is the later.
 * - `attempt`: the number of this call of the handler, from 1.
 * - `signed`: the fields that the checksum covers, of the newest callback that claims `to`; null without such
 *   a callback, as when only a read found the status.
 * - `callback`: the other fields of that callback, which are not signed. No object has a member `__proto__`, `constructor` or
 *   `prototype`.
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
  readonly sequence: number
  readonly attempt: number
  readonly signed: Signed | null
  readonly callback: Body | null
}

/**
 * Service that is told every transition: at least once, in rank order, and one at a time per transaction.
 *
 * **Details**
 *
 * A call that fails, dies or takes longer than 5 minutes is retried, for 24 hours.
 *
 * `commit` is optional. It runs `markTold`, which marks the transition as told, and writes rows of the
 * merchant, both in one database transaction. `handler` of `@pawl/webhook/LedgerSql` makes such a handler,
 * for rows in the database of the ledger.
 *
 * @category services
 * @since 0.1.0
 */
export class Handler extends Context.Service<
  Handler,
  {
    readonly handle: (transition: Transition) => Effect.Effect<void, unknown>
    readonly commit?: <A, E>(
      transition: Transition,
      markTold: Effect.Effect<A, E>
    ) => Effect.Effect<A, unknown>
  }
>()("@pawl/core/Handler") {}

/**
 * Layer that makes a handler from a function.
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
