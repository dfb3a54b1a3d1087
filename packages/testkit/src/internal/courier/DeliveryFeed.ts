import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { Delivery } from "../../Courier.ts"

/** Feed of the attempts; a subscriber that is 1,024 attempts behind loses the oldest. */
export interface DeliveryFeed {
  readonly publish: (delivery: Delivery) => void
  readonly changes: Stream.Stream<Delivery>
}

/** The buffer allocates all its capacity at once, so the first subscriber makes it. */
export const make = (): DeliveryFeed => {
  let buffer: PubSub.PubSub<Delivery> | undefined
  return {
    publish: (delivery) => {
      // `publishUnsafe` refuses the newest attempt of a full buffer.
      if (buffer !== undefined) Effect.runSync(PubSub.publish(buffer, delivery))
    },
    changes: Stream.unwrap(
      Effect.gen(function* () {
        buffer ??= yield* PubSub.sliding<Delivery>({ capacity: 1024 })
        return Stream.fromPubSub(buffer)
      })
    )
  }
}
