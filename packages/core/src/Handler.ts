/**
 * The handler: the merchant's function that gets each transition.
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
 * A change of the standing of a transaction.
 *
 * @category models
 * @since 0.1.0
 */
export interface Transition {
  /**
   * Identifier of the transition, the same in every attempt. Do not deduplicate by it: after an
   * older backup was restored, a status may have another `id`. Compare ranks, then `sequence`.
   */
  readonly id: string
  /** Method of the transaction. */
  readonly method: Method
  /** Kind of the transaction, or its method while the kind is unknown. */
  readonly kind: Kind
  /** Identifier that the service assigned. */
  readonly transactionId: string
  /** requestId of the create, from a registration or a `CallbackUrl` token; null without either. */
  readonly requestId: string | null
  /**
   * Last status that the row records as accepted by the handler; null before the first. After a crash the
   * handler may have got a later one, so do not decide by it.
   */
  readonly from: Status | null
  /** Status that holds now. */
  readonly to: Status
  /** Whether the service confirmed `to` in a response or a read. */
  readonly confirmed: boolean
  /** All final statuses that the service confirmed, if there are several; else null. */
  readonly conflict: Array<Status> | null
  /**
   * Number of the transition in its transaction, from 1, the same in every attempt. If two calls
   * overlap because a lease ran out, the higher number is the later transition.
   */
  readonly sequence: number
  /** Number of this call of the handler, from 1. */
  readonly attempt: number
  /** Signed fields of the newest callback that claims `to`; null without one. */
  readonly signed: Signed | null
  /**
   * The other fields of that callback, unsigned, without members `__proto__`, `constructor` and
   * `prototype`.
   */
  readonly callback: Body | null
}

/**
 * Service that gets every transition at least once, in rank order, and one at a time per transaction.
 *
 * @category services
 * @since 0.1.0
 */
export class Handler extends Context.Service<
  Handler,
  {
    /**
     * Handles a transition. A call that fails, dies or takes longer than 5 minutes is retried, for 24
     * hours.
     */
    readonly handle: (transition: Transition) => Effect.Effect<void, unknown>
    /**
     * Writes rows of the merchant and runs `markTold` in one database transaction; optional. `handler` of
     * `@pawl/webhook/LedgerSql` makes one for rows in the ledger's database.
     */
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
