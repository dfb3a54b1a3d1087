/**
 * The merchant's own books: what the handler was told, in order.
 */
import * as Handler from "@pawl/core/Handler"
import type { Status } from "@pawl/core/Status"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"

export class Orders extends Context.Service<
  Orders,
  SubscriptionRef.SubscriptionRef<ReadonlyArray<Handler.Transition>>
>()("@pawl/examples/demo/Orders") {}

export const layer = Layer.effect(
  Orders,
  SubscriptionRef.make<ReadonlyArray<Handler.Transition>>([])
)

/** The handler the receiver tells: it writes the books. */
export const layerHandler = Handler.layer((transition) =>
  Effect.flatMap(
    Orders,
    SubscriptionRef.update((told) => [...told, transition])
  )
)

/** Everything that was told so far. */
export const told = Effect.flatMap(Orders, SubscriptionRef.get)

/** Waits until a status of a transaction is told. */
export const until = (transactionId: string, status: Status) =>
  Effect.flatMap(Orders, (orders) =>
    SubscriptionRef.changes(orders).pipe(
      Stream.filter((all) =>
        all.some(({ to, ...one }) => one.transactionId === transactionId && to === status)
      ),
      Stream.take(1),
      Stream.runDrain
    )
  )
