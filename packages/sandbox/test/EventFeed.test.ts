import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { EventFeed, layer } from "../src/internal/sandbox/EventFeed.ts"

it.effect("a subscriber that is behind loses the oldest events, not the newest", () =>
  Effect.gen(function* () {
    const { publish, subscribe } = yield* EventFeed
    const events = yield* subscribe
    for (let item = 1; item <= 1100; item++) publish("request", item)
    const [first] = yield* Stream.runCollect(Stream.take(events, 1024))
    assert.strictEqual(first?.id, 77)
  }).pipe(Effect.provide(layer), Effect.scoped)
)
