import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/**
 * Service that publishes the changes in a sandbox.
 *
 * `publish` never waits. A subscriber that is more than 1,024 events behind loses the oldest; a gap
 * in the event numbers shows the loss.
 */
export class EventFeed extends Context.Service<
  EventFeed,
  {
    readonly publish: (name: string, item: unknown) => void
    readonly subscribe: Effect.Effect<Stream.Stream<Event>, never, Scope.Scope>
  }
>()("@pawl/sandbox/internal/sandbox/EventFeed") {}

/** One change; `id` counts from 1. */
export interface Event {
  readonly id: number
  readonly name: string
  readonly item: unknown
}

export const layer: Layer.Layer<EventFeed> = Layer.effect(
  EventFeed,
  Effect.map(
    Effect.acquireRelease(PubSub.sliding<Event>({ capacity: 1024 }), PubSub.shutdown),
    (pubsub) => {
      let published = 0
      return {
        publish: (name, item) => {
          // `publishUnsafe` refuses the newest event of a full buffer.
          Effect.runSync(PubSub.publish(pubsub, { id: ++published, name, item }))
        },
        subscribe: Effect.map(PubSub.subscribe(pubsub), Stream.fromSubscription)
      }
    }
  )
)
