import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StateStore } from "@pawl/testkit/internal/state/StateStore"
import { EventFeed } from "./EventFeed.ts"
import { isShown } from "./PublicForms.ts"
import * as WatchedStore from "./WatchedStore.ts"

export const layer: Layer.Layer<never, never, EventFeed> = Layer.effect(
  StateStore,
  Effect.map(EventFeed, ({ publish }) =>
    WatchedStore.make({
      changed: ({ name, value }) => {
        if (value !== undefined && isShown(name)) publish(name, value)
      }
    })
  )
)
