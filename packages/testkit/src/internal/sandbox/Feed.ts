/**
 * What happens in a sandbox, as it happens.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/**
 * Service that passes on what happened to whoever listens from then on.
 *
 * **Details**
 *
 * `tell` never waits. A listener that is more than 1,024 events behind loses the oldest, which it sees
 * by the gap in their numbers.
 */
export class Feed extends Context.Service<
  Feed,
  {
    readonly tell: (name: string, item: unknown) => void
    readonly subscribe: Effect.Effect<Stream.Stream<Event>, never, Scope.Scope>
  }
>()("@pawl/testkit/internal/sandbox/Feed") {}

/** Something that happened. `id` counts from 1. */
export interface Event {
  readonly id: number
  readonly name: string
  readonly item: unknown
}

/** Layer that passes on what happens in one sandbox. */
export const layer: Layer.Layer<Feed> = Layer.effect(
  Feed,
  Effect.map(
    Effect.acquireRelease(PubSub.sliding<Event>({ capacity: 1024 }), PubSub.shutdown),
    (pubsub) => {
      let told = 0
      return {
        tell: (name, item) => {
          PubSub.publishUnsafe(pubsub, { id: ++told, name, item })
        },
        subscribe: Effect.map(PubSub.subscribe(pubsub), Stream.fromSubscription)
      }
    }
  )
)
