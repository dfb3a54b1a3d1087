/**
 * The state of a sandbox without a file.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StateStore from "@pawl/testkit/internal/state/StateStore"
import { EventFeed } from "./EventFeed.ts"

/** Layer that keeps the state of one sandbox in memory, and publishes each change. */
export const layer: Layer.Layer<never, never, EventFeed> = Layer.effect(
  StateStore.StateStore,
  Effect.map(EventFeed, ({ publish }) =>
    StateStore.make({
      changed: ({ name, shown }) => {
        if (shown !== undefined) publish(name, shown)
      }
    })
  )
)
