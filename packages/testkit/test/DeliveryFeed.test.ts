import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import type { Delivery } from "../src/Courier.ts"
import * as DeliveryFeed from "../src/internal/courier/DeliveryFeed.ts"

const delivery = (id: number): Delivery => ({
  id: String(id),
  transactionId: "100001",
  status: "NEW",
  at: "2030-01-01T00:00:00Z",
  attempt: 1,
  answer: 200,
  forged: false
})

it.effect("a subscriber that is behind loses the oldest attempts, not the newest", () =>
  Effect.gen(function* () {
    const { changes, publish } = DeliveryFeed.make()
    const open = yield* Latch.make()
    let isBegun = false
    const reading = yield* changes.pipe(
      Stream.tap(() =>
        Effect.andThen(
          Effect.sync(() => (isBegun = true)),
          open.await
        )
      ),
      Stream.take(1024),
      Stream.runCollect,
      Effect.forkChild
    )
    yield* Effect.suspend(() => {
      publish(delivery(0))
      return Effect.yieldNow
    }).pipe(Effect.repeat({ until: () => isBegun }))
    for (let id = 1; id <= 1100; id++) publish(delivery(id))
    yield* open.open
    const ids = (yield* Fiber.join(reading)).map(({ id }) => Number(id))
    assert.strictEqual(
      ids.find((id) => id > 0),
      77
    )
  })
)
