/**
 * The merchant's handler: it records every transition, in order.
 */
import * as Handler from "@pawl/core/Handler"
import type { Status } from "@pawl/core/Status"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"

export class HandlerLog extends Context.Service<
  HandlerLog,
  SubscriptionRef.SubscriptionRef<ReadonlyArray<Handler.Transition>>
>()("@pawl/examples/demo/HandlerLog") {}

export const layer = Layer.effect(
  HandlerLog,
  SubscriptionRef.make<ReadonlyArray<Handler.Transition>>([])
)

export const layerHandler = Handler.layer((transition) =>
  Effect.flatMap(
    HandlerLog,
    SubscriptionRef.update((transitions) => [...transitions, transition])
  )
)

export const transitions = Effect.flatMap(HandlerLog, SubscriptionRef.get)

export const untilTold = (transactionId: string, status: Status) =>
  Effect.flatMap(HandlerLog, (log) =>
    SubscriptionRef.changes(log).pipe(
      Stream.filter((transitions) =>
        transitions.some(
          (transition) => transition.transactionId === transactionId && transition.to === status
        )
      ),
      Stream.take(1),
      Stream.runDrain
    )
  )
